/** Finds the job that has built the backup of a moment, or builds it, so that the moment is not built again. */
import { isDeepStrictEqual } from 'node:util';
import { undoSeconds } from '../../contract/limits.ts';
import { after, get, iso, type Tenant } from '../../platform/index.ts';
import { backupKey } from '../../stored-backup/index.ts';
import type { RestorePoint, RestoreRecord } from '../model/record.ts';
import { listRestores } from './list-restores.ts';

const daySeconds = 24 * 3_600;
/** What is built for a moment is kept that long. */
const keptSeconds = undoSeconds + daySeconds;
const pageLimit = 100;

interface WantedPoint {
  readonly projectId: string;
  readonly point: RestorePoint;
  readonly now: Date;
}

/** Only a backup that would not differ and is kept for another day: it may be read for hours. Undefined if there is none. */
export const findBuiltPoint = async (
  tenant: Tenant,
  { projectId, point, now }: WantedPoint,
): Promise<RestoreRecord | undefined> => {
  const from = iso(after(now, -keptSeconds));
  for (let next: string | undefined; ; ) {
    const page = await listRestores(tenant, { projectId, from }, { limit: pageLimit, after: next });
    for (const restore of page.restores)
      if (isWithin(restore, projectId) && isSamePoint(restore, point) && (await isUsable(tenant, restore, now))) return restore;
    next = page.next;
    if (next === undefined) return undefined;
  }
};

/** What is answered names the target, which may be a project that the caller may not see. */
const isWithin = ({ projectId, targetProjectId }: RestoreRecord, wanted: string): boolean =>
  projectId === wanted && targetProjectId === wanted;

/** An audit may have found since that the moment differs: then what is known about it has changed. */
const isSamePoint = ({ point: built }: RestoreRecord, wanted: RestorePoint): boolean =>
  built !== undefined && isDeepStrictEqual(knownOf(built), knownOf(wanted));

const knownOf = ({ moment, isPartial, isUnchecked = false, uncovered, lacks, diverged }: RestorePoint) =>
  JSON.parse(JSON.stringify({ moment, isPartial, isUnchecked, uncovered, lacks, diverged })) as unknown;

const isUsable = async (tenant: Tenant, restore: RestoreRecord, now: Date): Promise<boolean> => {
  const { status, buildsOnly, pointMade, backupId } = restore;
  if (status === 'pending' || status === 'running') return buildsOnly === true && restore.cancelling !== true;
  if (status !== 'completed' || pointMade === undefined) return false;
  const backup = await get(backupKey.backup(tenant, backupId));
  if (backup?.status !== 'completed' || backup.leaving !== undefined) return false;
  return backup.expiresAt === null || Date.parse(backup.expiresAt) > after(now, daySeconds).getTime();
};
