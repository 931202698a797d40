import * as z from 'zod/mini';
import { RestoreTestRun } from '../models/restore-test.ts';
import { error } from './event-error.ts';
import { organization, project } from './fields.ts';

/** The run of a restore test, without its single differences. */
const restoreTest = z.extend(z.omit(RestoreTestRun, { progress: true, differences: true }), { differences: z.int() });

export const restoreTestEvents = {
  'restore_test.completed': z.object({ restoreTest, project, organization }),
  'restore_test.failed': z.object({ restoreTest: z.extend(restoreTest, { error }), project, organization }),
};
