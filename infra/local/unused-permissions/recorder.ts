/**
 * What the stages of a test run use of the permissions they were given, as lines of one file: each stage appends a permission when it
 * is used for the first time, so that one that is killed has told what it used.
 */
import { appendFileSync } from 'node:fs';
import type { Used } from '../base/types.ts';
import type { ResolvedResource } from '../cloudformation/read-template.ts';
import { namesOf, roleOf } from './permission-names.ts';

/** The variable that names the file; without it nothing is recorded. */
export const recordVariable = 'PERMISSIONS_USED';

/** Undefined where nothing is to be recorded. */
export const recorder = (resources: readonly ResolvedResource[]): ((used: Used) => void) | undefined => {
  const file = process.env[recordVariable];
  if (!file) return undefined;
  const [name, role] = [namesOf(resources), roleOf(resources)];
  return (used) => appendFileSync(file, `${name(role(used), used)}\n`);
};
