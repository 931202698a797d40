/**
 * Records the permissions that the stages of a test run use, as lines of one file. A line is appended at the first use, so that
 * the record of a killed stage is complete.
 */
import { appendFileSync } from 'node:fs';
import type { UsedPermission } from '../base/types.ts';
import type { ResolvedResource } from '../cloudformation/read-template.ts';
import { namesOf, roleOf } from './permission-names.ts';

/** The environment variable with the file's path. Unset: nothing is recorded. */
export const recordVariable = 'PERMISSIONS_USED';

/** Undefined if nothing is to be recorded. */
export const recorder = (resources: readonly ResolvedResource[]): ((used: UsedPermission) => void) | undefined => {
  const file = process.env[recordVariable];
  if (!file) return undefined;
  const [name, role] = [namesOf(resources), roleOf(resources)];
  return (used) => appendFileSync(file, `${name(role(used), used)}\n`);
};
