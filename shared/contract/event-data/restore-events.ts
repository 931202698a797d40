import * as z from 'zod/mini';
import { Progress } from '../models/job.ts';
import { RestoreJob } from '../models/restore.ts';
import { error } from './event-error.ts';
import { organization } from './fields.ts';

/** Restores as in the API, with the names of both projects. */
const restore = z.extend(z.omit(RestoreJob, { failures: true, collections: true, documentIds: true, plan: true }), {
  projectName: z.string(),
  targetProjectName: z.string(),
});

export const restoreEvents = {
  'restore.started': z.object({ restore, organization }),
  'restore.progress': z.object({ restore, organization, progress: Progress }),
  'restore.completed': z.object({ restore, organization }),
  'restore.failed': z.object({ restore: z.extend(restore, { error }), organization }),
};
