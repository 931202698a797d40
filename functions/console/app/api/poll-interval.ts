const firstMs = 1_000;
const lastMs = 15_000;
/** Each poll waits a tenth longer than the one before. */
const growth = 1.1;

interface Polled<T> {
  readonly data: T | undefined;
  readonly dataUpdateCount: number;
  readonly errorUpdateCount: number;
}

/** Milliseconds until the next poll, or false if there is none. TanStack Query pauses polls while the page is hidden. */
export const pollInterval = <T>(
  state: Polled<T>,
  pollWhile: ((data: T) => boolean) | undefined,
  fromMs = firstMs,
): number | false => {
  const { data, dataUpdateCount, errorUpdateCount } = state;
  if (!pollWhile || data === undefined || !pollWhile(data)) return false;
  return Math.min(lastMs, fromMs * growth ** (dataUpdateCount + 4 * errorUpdateCount));
};
