import type { TestContext } from 'node:test';
import { givenSeed } from '../../support/seed.ts';

/** Said in the report, so that a drawn one can be given again. */
export const seed = (t: TestContext): { readonly seed: number } => {
  const chosen = givenSeed ?? Math.floor(Math.random() * 2 ** 31);
  t.diagnostic(`seed ${chosen}`);
  return { seed: chosen };
};
