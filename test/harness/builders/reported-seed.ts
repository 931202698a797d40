import type { TestContext } from 'vitest';
import { givenSeed } from '../../setup/seed.ts';

/** Reports the seed, so that a random one can be reused. */
export const seed = (t: TestContext): { readonly seed: number } => {
  const chosen = givenSeed ?? Math.floor(Math.random() * 2 ** 31);
  void t.annotate(`seed ${chosen}`);
  return { seed: chosen };
};
