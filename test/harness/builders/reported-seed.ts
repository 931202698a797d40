import type { TestContext } from 'vitest';
import { givenSeed } from '../../setup/seed.ts';

/** Said in the report, so that a drawn one can be given again. */
export const seed = (t: TestContext): { readonly seed: number } => {
  const chosen = givenSeed ?? Math.floor(Math.random() * 2 ** 31);
  void t.annotate(`seed ${chosen}`);
  return { seed: chosen };
};
