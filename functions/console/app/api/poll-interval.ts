const firstMs = 1_000;
/** A job notices an outage within 12 seconds, and its page shows it within 15. */
const lastMs = 3_000;
/** While the service does not answer. */
const lastFailedMs = 15_000;
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
  // What is expensive to read starts slower than others end.
  const longest = Math.max(fromMs, errorUpdateCount === 0 ? lastMs : lastFailedMs);
  return Math.min(longest, fromMs * growth ** (dataUpdateCount + 4 * errorUpdateCount));
};
