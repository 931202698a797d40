/** A turn before there is anything to add to: it waits for a base, and captures begin at the moment that one shows. */
import { type BackupDeps, type BackupRecord, markRetentionDue } from '../../backup/index.ts';
import { commit, iso, type Write } from '../../platform/index.ts';
import type { CycleContext } from '../model/cycle-context.ts';
import { endTurn, type Next, nextOf } from '../model/cycle-end.ts';
import { momentOf } from '../model/micro-time.ts';
import type { PitrRecord } from '../model/record.ts';
import { shownIds } from '../model/resume-position.ts';
import { TooManyCollections, tokenWrites } from '../model/resume-token-items.ts';
import { closed } from '../timeline/gaps.ts';
import { leftUnchecked } from '../timeline/windows.ts';
import {
  canBegin,
  collectionsOf,
  failedBase,
  findBackup,
  holdBase,
  mayTry,
  readComing,
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

export const begin = async (scene: CycleContext, engine: BackupDeps): Promise<Next> => {
  const { tenant, pitr } = scene;
  const now = engine.clock.now();
  const coming = await readComing(tenant, pitr);
  const fits = (backup: BackupRecord): boolean => canBegin(tenant, pitr, backup, now);
  const found = coming && fits(coming) ? coming : await findBackup(tenant, pitr, now, lookBackSeconds, fits);
  if (found) {
    try {
      return await beginWith(scene, found, engine);
    } catch (error) {
      if (!(error instanceof TooManyCollections)) throw error;
      const changed = { comingBaseId: null, isTooLarge: true, trouble: error.message } as const;
      await commit([endTurn(scene, changed, now, lookSeldomSeconds), markRetentionDue(tenant, now)]);
      return nextOf(scene, lookSeldomSeconds);
    }
  }
  const delaySeconds = pitr.isTooLarge ? lookSeldomSeconds : Math.min(lookSeconds, pitr.captureIntervalSeconds);
  const end = (changed: Partial<PitrRecord>): Write => endTurn(scene, { putOffs: undefined, ...changed }, now, delaySeconds);
  const isUnderWay = coming?.status === 'pending' || coming?.status === 'running';
  if (pitr.comingBaseId !== null && !isUnderWay)
    // It failed, was cancelled, or took longer than the source remembers.
    await commit([
      end({ comingBaseId: null, ...failedBase(pitr, now), trouble: whyNot(pitr, coming) }),
      markRetentionDue(tenant, now),
    ]);
  else if (isUnderWay || !mayTry(pitr, now) || (await startBase(scene, now, end)) === undefined) await commit([end({})]);
  return nextOf(scene, delaySeconds);
};

const whyNot = ({ comingBaseId }: PitrRecord, coming: BackupRecord | undefined): string => {
  if (coming?.status === 'completed')
    return `the base backup ${comingBaseId} took longer than ${startMaxMicros / 60_000_000} minutes, or shows a moment before the loss`;
  return `the base backup ${comingBaseId} ${coming ? `is ${coming.status}` : 'is gone'}${coming?.error ? `: ${coming.error.message}` : ''}`;
};

const beginWith = async (scene: CycleContext, backup: BackupRecord, engine: BackupDeps): Promise<Next> => {
  const { tenant, pitr } = scene;
  const collections = await collectionsOf(tenant, backup, engine);
  const to = readTimeOf(backup);
  const readTime = momentOf(to);
  const standings = [...collections].map(([collectionId, count]) => ({
    ...{ collectionId, to, token: undefined, count },
    isCounted: true,
  }));
  const { writes: tokens, tokenItems } = tokenWrites(tenant, pitr, standings);
  const now = engine.clock.now();
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
    known: shownIds(standings),
    unchecked: leftUnchecked(pitr),
  };
  await commit([endTurn(scene, changed, now, 0), ...tokens, holdBase(tenant, backup.id)]);
  return nextOf(scene, 0);
};
