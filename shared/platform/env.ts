/** Reads the variables that a grant sets. A missing one names itself instead of becoming an odd error later. */
import type { Variable } from '../contract/capabilities.ts';

export const env = (name: Variable): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: the function lacks the grant that sets it`);
  return value;
};

export const envList = (name: Variable): readonly string[] =>
  env(name)
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
