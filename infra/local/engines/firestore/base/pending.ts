/**
 * A value that is on its way. Generators of documents yield it and take the value when they are continued, so that one body of code serves
 * documents in memory, without a promise for each, and documents that have to be fetched.
 */
export class Pending<T = unknown> {
  /** Never rejects. */
  readonly settled: Promise<void>;
  #take: () => T = () => {
    throw new Error('the value was taken before it had settled');
  };

  constructor(value: Promise<T>) {
    this.settled = value.then(
      (settled) => {
        this.#take = () => settled;
      },
      (error: unknown) => {
        this.#take = () => {
          throw error;
        };
      },
    );
  }

  /** The value, or throws why there is none. */
  take(): T {
    return this.#take();
  }
}

/** The items; pending values between them are awaited. */
export async function* awaited<T>(items: Iterable<T | Pending>): AsyncGenerator<T, void, undefined> {
  for (const item of items)
    if (item instanceof Pending) await item.settled;
    else yield item;
}

/** The result of a generator; pending values that it yields are awaited. */
export async function completed<R>(run: Generator<Pending, R, undefined>): Promise<R> {
  for (;;) {
    const next = run.next();
    if (next.done) return next.value;
    await next.value.settled;
  }
}

/** A value that may be pending. */
export function* taken<T>(value: T | Pending<T>): Generator<Pending, T, undefined> {
  if (!(value instanceof Pending)) return value;
  yield value;
  return value.take();
}
