/** Starts `read` for up to `ahead` items before their results are awaited, and yields the results in order. */
export async function* prefetch<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  ahead: number,
  read: (item: T) => Promise<R>,
): AsyncGenerator<R, void, undefined> {
  const pending: Promise<R>[] = [];
  for await (const item of items) {
    const next = read(item);
    // The error surfaces when the result is awaited.
    next.catch(() => undefined);
    pending.push(next);
    const [first] = pending;
    if (first && pending.length > ahead) {
      pending.shift();
      yield await first;
    }
  }
  for (const next of pending) yield await next;
}
