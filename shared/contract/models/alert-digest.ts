/** The weekly digest of an organization. */
import * as z from 'zod/mini';
import { Moment } from '../fields.ts';
import { Cost } from './job.ts';
import { FailedJob, Overview, ProjectOverview } from './overview.ts';

export const DigestProject = z.extend(
  z.pick(ProjectOverview, {
    id: true,
    name: true,
    protection: true,
    reasons: true,
    lastVerification: true,
    lastRestoreTest: true,
    lastRestore: true,
    nextRun: true,
  }),
  { lastGoodBackupAt: z.nullable(Moment) },
);

export const AlertDigest = z.object({
  at: Moment,
  from: z.iso.date(),
  to: z.iso.date(),
  totals: z.pick(Overview.shape.totals, { projects: true, protected: true, atRisk: true, unprotected: true }),
  projects: z.array(DigestProject),
  backups: z.object({ completed: z.int(), failed: z.int(), addedBytes: z.int() }),
  storage: z.object({ storedBytes: z.int(), changeBytes: z.int() }),
  cost: z.object(Cost.shape),
  failedJobs: z.array(FailedJob),
  complete: z.boolean(),
  subject: z.string(),
  text: z.string(),
});
