/** The weekly digest of an organization. */
import * as z from 'zod';
import { Moment } from '../fields.ts';
import { Cost } from './backup.ts';
import { FailedJob, Overview, ProjectOverview } from './overview.ts';

export const DigestProject = ProjectOverview.pick({
  id: true,
  name: true,
  protection: true,
  reasons: true,
  lastVerification: true,
  lastRestoreTest: true,
  lastRestore: true,
  nextRun: true,
}).extend({ lastGoodBackupAt: Moment.nullable() });

export const AlertDigest = z.object({
  at: Moment,
  from: z.iso.date(),
  to: z.iso.date(),
  totals: Overview.shape.totals.pick({ projects: true, protected: true, atRisk: true, unprotected: true }),
  projects: z.array(DigestProject),
  backups: z.object({ completed: z.int(), failed: z.int(), addedBytes: z.int() }),
  storage: z.object({ storedBytes: z.int(), changeBytes: z.int() }),
  cost: z.object(Cost.shape),
  failedJobs: z.array(FailedJob),
  complete: z.boolean(),
  subject: z.string(),
  text: z.string(),
});
