/** A turn before there is anything to add to: it waits for a base, and captures begin at the moment that one shows. */
import { type BackupRecord, type Engine, retentionNote } from '../backup/index.ts';
import { commit, type Write } from '../platform/index.ts';
import { canBegin, collectionsOf, findBackup, holdBase, mayTry, readComing, readTimeOf, startBase } from './base.ts';
import { closed } from './gaps.ts';
import { momentOf } from './moment.ts';
import { type PitrRecord, pitrKey } from './record.ts';
import type { Scene } from './scene.ts';
import { encodeStandings } from './standing.ts';
import { endTurn, type Next, nextOf } from './turning.ts';
import { leftUnchecked } from './windows.ts';

/** How often it is looked whether the base is there. */
const lookSeconds = 5;
/** A backup that shows a moment of 55 minutes ago was begun a little before it. */
const lookBackSeconds = 2 * 3_600;

export const begin = async (scene: Scene, engine: Engine): Promise<Next> => {
  const { tenant, pitr } = scene;
  const now = engine.clock.now();
  const coming = await readComing(tenant, pitr);
  const fits = (backup: BackupRecord): boolean => canBegin(tenant, pitr, backup, now);
  const found = coming && fits(coming) ? coming : await findBackup(tenant, pitr, now, lookBackSeconds, fits);
  if (found) return beginWith(scene, found, engine);
  const delaySeconds = Math.min(lookSeconds, pitr.captureIntervalSeconds);
  const end = (changed: Partial<PitrRecord>): Write => endTurn(scene, changed, now, delaySeconds);
  const isUnderWay = coming?.status === 'pending' || coming?.status === 'running';
  if (pitr.comingBaseId !== null && !isUnderWay)
    // It failed, was cancelled, or took longer than the source remembers.
    await commit([end({ comingBaseId: null, baseFailures: pitr.baseFailures + 1 }), retentionNote(tenant, now)]);
  else if (isUnderWay || !mayTry(pitr, now) || (await startBase(scene, now, end)) === undefined) await commit([end({})]);
  return nextOf(scene, delaySeconds);
};

const beginWith = async (scene: Scene, backup: BackupRecord, engine: Engine): Promise<Next> => {
  const { tenant, pitr } = scene;
  const collections = await collectionsOf(tenant, backup, engine);
  const to = readTimeOf(backup);
  const readTime = momentOf(to);
  const standings = [...collections].map(([collectionId, count]) => ({
    ...{ collectionId, to, token: undefined, count },
    isCounted: true,
  }));
  const changed: Partial<PitrRecord> = {
    status: 'active',
    bases: [...pitr.bases, { backupId: backup.id, readTime, since: readTime }],
    gaps: closed(pitr.gaps, readTime).map((gap) => (gap.to === null ? { ...gap, to: readTime } : gap)),
    comingBaseId: null,
    baseFailures: 0,
    capturedTo: readTime,
    listedAt: readTime,
    // A base lists all collections of its moment.
    checkedAt: readTime,
    checkTriedAt: readTime,
    known: undefined,
    unchecked: leftUnchecked(pitr),
  };
  await commit([
    endTurn(scene, changed, engine.clock.now(), 0),
    { put: { ...pitrKey.tokens(tenant, pitr.projectId), groups: encodeStandings(standings) } },
    holdBase(tenant, backup.id),
  ]);
  return nextOf(scene, 0);
};
