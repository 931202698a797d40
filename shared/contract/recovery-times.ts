/** How long restores took. Pure, so that the client and the console have it, too. */
export interface RecoveryTimes {
  readonly runs: number;
  readonly min: number;
  readonly median: number;
  readonly max: number;
}

/** Of times in seconds; null without any. */
export const recoveryTimes = (times: readonly number[]): RecoveryTimes | null => {
  const seconds = times.toSorted((a, b) => a - b);
  const [min] = seconds;
  const max = seconds.at(-1);
  if (min === undefined || max === undefined) return null;
  const middle = seconds.length >> 1;
  const upper = seconds[middle] ?? max;
  const median = seconds.length % 2 === 1 ? upper : ((seconds[middle - 1] ?? min) + upper) / 2;
  return { runs: seconds.length, min, median: Math.round(median * 1_000) / 1_000, max };
};
