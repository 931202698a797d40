interface Runs {
  /** Of `npm test`. Default: as many as usual. */
  readonly quick?: number;
  /** Of `npm run test:all`. */
  readonly usual: number;
  /** Of `npm run fuzz`. Default: as many as usual. */
  readonly fuzz?: number;
}

/** Runs of a property. Only `npm run fuzz` draws other values every time. */
export const propertyRuns = ({ usual, quick = usual, fuzz = usual }: Runs): number => {
  if (process.env.FUZZ_RUNS !== undefined) return fuzz;
  return process.env.TEST_ALL === '1' ? usual : quick;
};
