import type * as z from 'zod/mini';
import type { RestoreJob } from '../../contract/models/restore.ts';
import type { RestoreRecord } from './record.ts';
import { accountedFor, touchedCount } from './shard-totals.ts';

/** Percent of the whole that checking takes; writing is the rest. A dry run only checks. */
const checkShare = 50;

/** 100 only for a completed restore. */
export const percentOf = (restore: RestoreRecord): number => {
  const { status, dryRun, sealedAt, plan, expected, checked } = restore;
  if (status === 'completed') return 100;
  const share = dryRun ? 100 : checkShare;
  if (sealedAt === undefined || !plan || dryRun) return partOf(checked, expected, share);
  return checkShare + partOf(decidedCount(restore), touchedCount(plan), 100 - checkShare);
};

/** Whole percents below `share`: only the next stage shows that this one is complete. */
const partOf = (done: number, all: number, share: number): number =>
  all === 0 ? 0 : Math.min(share - 1, Math.floor((done / all) * share));

/** `documents` counts the documents whose outcome is known; once sealed, also those the plan leaves unchanged. */
export const restoreProgress = (restore: RestoreRecord): z.input<typeof RestoreJob>['progress'] => {
  const { plan, sealedAt, status } = restore;
  const percent = percentOf(restore);
  if (sealedAt === undefined || !plan) return { percent, documents: 0, totalDocuments: null };
  const totalDocuments = touchedCount(plan) + plan.skip + plan.unchanged;
  const documents = plan.skip + plan.unchanged + decidedCount(restore);
  return { percent, documents: status === 'completed' ? totalDocuments : Math.min(documents, totalDocuments), totalDocuments };
};

const decidedCount = (restore: RestoreRecord): number => accountedFor(restore);
