/** Environment variables that a capability sets. A missing variable throws an error with its name. */
import type { Variable } from '../contract/capabilities.ts';

export const env = (name: Variable): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set: the function lacks the capability that sets it`);
  return value;
};

export const envList = (name: Variable): readonly string[] =>
  env(name)
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
