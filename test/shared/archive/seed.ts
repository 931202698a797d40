import type { TestContext } from 'node:test';

/** Another seed each run, said in the report; SEED repeats one. */
export const seed = (t: TestContext): { readonly seed: number } => {
  const chosen = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
  t.diagnostic(`seed ${chosen}`);
  return { seed: chosen };
};
