/** A cycle before captures begin: waits for a base backup, and begins at its read time. */

import { enqueue } from '../../event/index.ts';
import { commit, iso, type Write } from '../../platform/index.ts';
import { type BackupDeps, type BackupRecord, markRetentionDue, type PlannedBackup } from '../../stored-backup/index.ts';
import type { CycleContext } from '../model/cycle-context.ts';
import { endCycle, type NextCycle, nextCycle } from '../model/end-cycle.ts';
import { momentOf } from '../model/micro-time.ts';
import type { PitrRecord } from '../model/record.ts';
import { shownIds, startPosition } from '../model/resume-position.ts';
import { TooManyCollections, tokenWrites } from '../model/resume-token-items.ts';
import { remainingUnchecked } from '../timeline/unchecked-periods.ts';
import {
  canBegin,
  collectionsOf,
  endsDivergence,
  failedBase,
  findBackup,
  holdBase,
  mayStartBase,
  readRequestedBase,
  readTimeOf,
  startBase,
  startMaxMicros,
} from './base-backup.ts';

/** How often it checks for the base. */
const pollSeconds = 5;
/** If the project is too large, only a backup of fewer collections can help. */
const slowPollSeconds = 300;
/** A backup with a read time 45 minutes ago was started a little before. */
const lookBackSeconds = 2 * 3_600;

export const beginWithBase = async (cycle: CycleContext, deps: BackupDeps): Promise<NextCycle> => {
  const { tenant, pitr } = cycle;
  const now = deps.clock.now();
  const requested = await readRequestedBase(tenant, pitr);
  const fits = (backup: BackupRecord): backup is PlannedBackup => canBegin(tenant, backup, { pitr, now });
  const found =
    requested && fits(requested) ? requested : await findBackup(tenant, { pitr, now, seconds: lookBackSeconds, fits });
  if (found) {
    try {
      return await beginAt(cycle, found, deps);
    } catch (error) {
      if (!(error instanceof TooManyCollections)) throw error;
      const changed = { comingBaseId: null, isTooLarge: true, trouble: error.message } as const;
      await commit([endCycle(cycle, { changed, now, delaySeconds: slowPollSeconds }), markRetentionDue(tenant, now)]);
      return nextCycle(cycle, slowPollSeconds);
    }
  }
  const delaySeconds = pitr.isTooLarge ? slowPollSeconds : Math.min(pollSeconds, pitr.captureIntervalSeconds);
  const end = (changed: Partial<PitrRecord>): Write =>
    endCycle(cycle, { changed: { putOffs: undefined, ...changed }, now, delaySeconds });
  const isRunning = requested?.status === 'pending' || requested?.status === 'running';
  if (pitr.comingBaseId !== null && !isRunning)
    // It failed, was cancelled, or took longer than the source keeps history.
    await commit([
      end({ comingBaseId: null, ...failedBase(pitr, now), trouble: whyNot(pitr, requested) }),
      markRetentionDue(tenant, now),
    ]);
  else if (isRunning || !mayStartBase(pitr, now) || (await startBase(cycle, now, end)) === undefined) await commit([end({})]);
  return nextCycle(cycle, delaySeconds);
};

const whyNot = ({ comingBaseId }: PitrRecord, requested: BackupRecord | undefined): string => {
  if (requested?.status === 'completed')
    return `the base backup ${comingBaseId} took longer than ${startMaxMicros / 60_000_000} minutes, or its read time is before the loss`;
  return `the base backup ${comingBaseId} ${requested ? `is ${requested.status}` : 'is gone'}${requested?.error ? `: ${requested.error.message}` : ''}`;
};

const beginAt = async (cycle: CycleContext, backup: PlannedBackup, deps: BackupDeps): Promise<NextCycle> => {
  const { tenant, pitr } = cycle;
  const collections = await collectionsOf(tenant, backup, deps);
  const to = readTimeOf(backup);
  const readTime = momentOf(to);
  const positions = [...collections].map(startPosition(to));
  const { writes: tokens, tokenItems } = tokenWrites(tenant, pitr, positions);
  const now = deps.clock.now();
  const changed: Partial<PitrRecord> = {
    status: 'active',
    begunAt: iso(now),
    bases: [...pitr.bases, { backupId: backup.id, readTime, since: readTime }],
    gaps: pitr.gaps.map((gap) => (gap.to === null ? { ...gap, to: readTime } : gap)),
    comingBaseId: null,
    baseBytes: backup.originalSize,
    bytesSinceBase: 0,
    ...(endsDivergence(pitr, backup) && { mustReadBase: undefined }),
    putOffs: undefined,
    isTooLarge: undefined,
    baseDueAt: undefined,
    unprovenBase: undefined,
    tokenItems,
    capturedTo: readTime,
    listedAt: readTime,
    // A base contains all collections at its read time.
    checkedAt: readTime,
    checkTriedAt: readTime,
    countSpacingSeconds: undefined,
    known: shownIds(positions),
    knownCount: positions.length,
    unchecked: remainingUnchecked(pitr),
  };
  await commit([
    endCycle(cycle, { changed, now, delaySeconds: 0 }),
    ...tokens,
    holdBase(tenant, backup.id),
    // The task extends the lock of the base to that of the window.
    ...(backup.lockedUntil === null ? [] : [enqueue(tenant, { kind: 'expire-captures', projectId: pitr.projectId }, now)]),
  ]);
  return nextCycle(cycle, 0);
};
