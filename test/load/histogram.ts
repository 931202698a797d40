/** A histogram of times in steps of 5 %: its memory does not grow with the duration of a load. */
export interface Histogram {
  readonly count: number;
  note(ms: number): void;
  /** At most 5 % above the true quantile; NaN if the histogram is empty. */
  quantile(share: number): number;
}

const step = Math.log(1.05);

export const makeHistogram = (): Histogram => {
  const steps = new Map<number, number>();
  let count = 0;
  return {
    get count() {
      return count;
    },
    note: (ms) => {
      const at = Math.ceil(Math.log(Math.max(ms, 0.01)) / step);
      steps.set(at, (steps.get(at) ?? 0) + 1);
      count += 1;
    },
    quantile: (share) => {
      let left = Math.max(1, Math.ceil(count * share));
      for (const [at, times] of [...steps].sort(([a], [b]) => a - b)) {
        left -= times;
        if (left <= 0) return Math.exp(at * step);
      }
      return Number.NaN;
    },
  };
};
