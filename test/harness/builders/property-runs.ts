/** Runs of a property: `npm test` draws the same values every time and makes fewer runs; `npm run fuzz` makes all with a random seed. */
export const propertyRuns = (runs: { readonly usual: number; readonly fuzz: number }): number =>
  process.env.FUZZ_RUNS === undefined ? runs.usual : runs.fuzz;
