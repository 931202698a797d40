import type * as z from 'zod';
import type { RestoreJob } from '../../contract/models/restore.ts';
import type { PlanCounts, RestoreRecord } from './record.ts';

/** How much of the way checking is; the other half is writing. A plan that is only shown has no other half. */
const checkShare = 50;

/** 100 is said of a restore that was completed, never of one that only seems to be through. */
export const percentOf = (restore: RestoreRecord): number => {
  const { status, dryRun, sealedAt, plan, expected, checked } = restore;
  if (status === 'completed') return 100;
  const share = dryRun ? 100 : checkShare;
  if (sealedAt === undefined || !plan || dryRun) return partOf(checked, expected, share);
  return checkShare + partOf(decidedOf(restore), touchedIn(plan), 100 - checkShare);
};

/** Whole percents, and never the last one: that there is no more to come is said by the next stage. */
const partOf = (done: number, all: number, share: number): number =>
  all === 0 ? 0 : Math.min(share - 1, Math.floor((done / all) * share));

/** `documents` are those of which it is known what became of them; from sealing on also what stays as it is. */
export const progressOf = (restore: RestoreRecord): z.input<typeof RestoreJob>['progress'] => {
  const { plan, sealedAt, status } = restore;
  const percent = percentOf(restore);
  if (sealedAt === undefined || !plan) return { percent, documents: 0, totalDocuments: null };
  const totalDocuments = touchedIn(plan) + plan.skip + plan.unchanged;
  const documents = plan.skip + plan.unchanged + decidedOf(restore);
  return { percent, documents: status === 'completed' ? totalDocuments : Math.min(documents, totalDocuments), totalDocuments };
};

const decidedOf = ({ written, deleted, raced, failed }: RestoreRecord): number => written + deleted + raced + failed;

const touchedIn = ({ create, overwrite, delete: deleted }: PlanCounts): number => create + overwrite + deleted;
