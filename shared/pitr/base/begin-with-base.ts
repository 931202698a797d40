/** A turn before there is anything to add to: it waits for a base, and captures begin at the moment that one shows. */
import { type BackupDeps, type BackupRecord, retentionNote } from '../../backup/index.ts';
import { commit, iso, type Write } from '../../platform/index.ts';
import type { CycleContext } from '../model/cycle-context.ts';
import { endCycle, type NextCycle, nextCycle } from '../model/cycle-end.ts';
import { momentOf } from '../model/micro-time.ts';
import type { PitrRecord } from '../model/record.ts';
import { shownIds } from '../model/resume-position.ts';
import { TooManyCollections, tokenWrites } from '../model/resume-token-items.ts';
import { closed } from '../timeline/gaps.ts';
import { remainingUnchecked } from '../timeline/windows.ts';
import {
  canBegin,
  collectionsOf,
  failedBase,
  findBackup,
  holdBase,
  mayStartBase,
  readRequestedBase,
  readTimeOf,
  startBase,
  startMaxMicros,
} from './base-backup.ts';

/** How often it is looked whether the base is there. */
const lookSeconds = 5;
/** Where no base helps: one that someone else has made may. */
const lookSeldomSeconds = 300;
/** A backup that shows a moment of 45 minutes ago was begun a little before it. */
const lookBackSeconds = 2 * 3_600;

export const beginWithBase = async (cycle: CycleContext, deps: BackupDeps): Promise<NextCycle> => {
  const { tenant, pitr } = cycle;
  const now = deps.clock.now();
  const coming = await readRequestedBase(tenant, pitr);
  const fits = (backup: BackupRecord): boolean => canBegin(tenant, pitr, backup, now);
  const found = coming && fits(coming) ? coming : await findBackup(tenant, pitr, now, lookBackSeconds, fits);
  if (found) {
    try {
      return await beginWith(cycle, found, deps);
    } catch (error) {
      if (!(error instanceof TooManyCollections)) throw error;
      const changed = { comingBaseId: null, isTooLarge: true, trouble: error.message } as const;
      await commit([endCycle(cycle, changed, now, lookSeldomSeconds), retentionNote(tenant, now)]);
      return nextCycle(cycle, lookSeldomSeconds);
    }
  }
  const delaySeconds = pitr.isTooLarge ? lookSeldomSeconds : Math.min(lookSeconds, pitr.captureIntervalSeconds);
  const end = (changed: Partial<PitrRecord>): Write => endCycle(cycle, { putOffs: undefined, ...changed }, now, delaySeconds);
  const isUnderWay = coming?.status === 'pending' || coming?.status === 'running';
  if (pitr.comingBaseId !== null && !isUnderWay)
    // It failed, was cancelled, or took longer than the source remembers.
    await commit([
      end({ comingBaseId: null, ...failedBase(pitr, now), trouble: whyNot(pitr, coming) }),
      retentionNote(tenant, now),
    ]);
  else if (isUnderWay || !mayStartBase(pitr, now) || (await startBase(cycle, now, end)) === undefined) await commit([end({})]);
  return nextCycle(cycle, delaySeconds);
};

const whyNot = ({ comingBaseId }: PitrRecord, coming: BackupRecord | undefined): string => {
  if (coming?.status === 'completed')
    return `the base backup ${comingBaseId} took longer than ${startMaxMicros / 60_000_000} minutes, or shows a moment before the loss`;
  return `the base backup ${comingBaseId} ${coming ? `is ${coming.status}` : 'is gone'}${coming?.error ? `: ${coming.error.message}` : ''}`;
};

const beginWith = async (cycle: CycleContext, backup: BackupRecord, deps: BackupDeps): Promise<NextCycle> => {
  const { tenant, pitr } = cycle;
  const collections = await collectionsOf(tenant, backup, deps);
  const to = readTimeOf(backup);
  const readTime = momentOf(to);
  const positions = [...collections].map(([collectionId, count]) => ({
    ...{ collectionId, to, token: undefined, count },
    isCounted: true,
  }));
  const { writes: tokens, tokenItems } = tokenWrites(tenant, pitr, positions);
  const now = deps.clock.now();
  const changed: Partial<PitrRecord> = {
    status: 'active',
    begunAt: iso(now),
    bases: [...pitr.bases, { backupId: backup.id, readTime, since: readTime }],
    gaps: closed(pitr.gaps, readTime).map((gap) => (gap.to === null ? { ...gap, to: readTime } : gap)),
    ...{ comingBaseId: null, baseBytes: backup.originalSize, bytesSinceBase: 0 },
    ...{ putOffs: undefined, isTooLarge: undefined, tokenItems },
    capturedTo: readTime,
    listedAt: readTime,
    // A base lists all collections of its moment.
    checkedAt: readTime,
    checkTriedAt: readTime,
    known: shownIds(positions),
    unchecked: remainingUnchecked(pitr),
  };
  await commit([endCycle(cycle, changed, now, 0), ...tokens, holdBase(tenant, backup.id)]);
  return nextCycle(cycle, 0);
};
