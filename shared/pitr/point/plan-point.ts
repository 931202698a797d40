/** Plans a restore point: its base and the batches since. */

import { ApiError, invalid } from '../../contract/errors.ts';
import { JobFailure } from '../../job/index.ts';
import { bestEffort, get, iso, set, type Tenant, updateItem } from '../../platform/index.ts';
import { type BackupRecord, backupKey } from '../../stored-backup/index.ts';
import { findMissingBatch, missingMessage } from '../batch/batch-chain.ts';
import { heardAheadMicros, listBatchesAfter } from '../batch/list-batches.ts';
import { readPitr } from '../model/cycle-context.ts';
import { microsOf, momentOf, shownMoment } from '../model/micro-time.ts';
import { type BatchRecord, type PitrRecord, pitrKey } from '../model/record.ts';
import { expandGaps } from '../timeline/gap-lists.ts';
import { PointNotCovered, type PointRequest } from './missing-coverage.ts';
import { readAuditedSince } from './read-audited-since.ts';
import { baseOf, type Doubt, doubtAt, type PointInTime, requestedSecond, resolvePoint } from './resolve-point.ts';

export interface PointPlan {
  readonly point: PointInTime;
  readonly base: BackupRecord;
  /** In order of time. */
  readonly batches: readonly BatchRecord[];
  /** When the oldest document of the moment was last read from the source, if the base has a read time. */
  readonly auditedSince?: string | undefined;
  /** Requested collections that must be in the base, or else are unknown. */
  readonly doubt?: Doubt | undefined;
}

/** Refuses a moment that cannot be restored, and says which can. */
export const planPoint = async (
  tenant: Tenant,
  { projectId, request, now }: { readonly projectId: string; readonly request: PointRequest; readonly now: Date },
): Promise<PointPlan> => {
  const found = await readPitr(tenant, projectId);
  if (!found)
    throw invalid('pointInTime', 'point-in-time recovery is not enabled for this project; restore a backup by its backupId');
  // Only a restore of some collections needs to know all that a gap names.
  const gaps = request.collectionIds ? await expandGaps(tenant, found, ({ isBridged }) => !isBridged) : found.gaps;
  const record = { ...found, gaps };
  try {
    return await planKnown(tenant, { record, request, now });
  } catch (error) {
    if (error instanceof PointNotCovered && error.isUncounted) await requestCount(tenant, record, now);
    throw error;
  }
};

/** The next cycle counts, although it may not be due. */
const requestCount = (tenant: Tenant, { projectId }: PitrRecord, now: Date): Promise<void> =>
  bestEffort('request a count', updateItem(set(pitrKey.pitr(tenant, projectId), { countRequestedAt: iso(now) })));

const planKnown = async (
  tenant: Tenant,
  { record, request, now }: { readonly record: PitrRecord; readonly request: PointRequest; readonly now: Date },
): Promise<PointPlan> => {
  const second = requestedSecond(request, now);
  const listed = await listBatches(tenant, record, { from: baseOf(record, request, now).readTime, to: second });
  const found = keptOf(record, listed.batches);
  const point = resolvePoint(record, found, { request, now });
  if (listed.missing !== undefined)
    throw new ApiError('CONFLICT', missingMessage(listed.missing), { pointInTime: shownMoment(microsOf(second)) });
  const base = await readBase(tenant, point);
  if (base?.status !== 'completed' || base.leaving !== undefined)
    throw new ApiError('CONFLICT', `The base backup ${point.base.backupId} of this moment does not exist any more`, {
      pointInTime: shownMoment(microsOf(point.moment)),
      backupId: point.base.backupId,
    });
  const batches = upTo(found, point.moment);
  const auditedSince = await readAuditedSince(tenant, base, point.moment);
  return { point, base, batches, auditedSince, doubt: doubtAt(record, batches, { moment: point.moment, request, now }) };
};

/** Plans a moment that was resolved before. Fails if part of it has expired since, which the remaining batches do not show. */
export const loadRestorePoint = async (tenant: Tenant, projectId: string, point: PointInTime): Promise<PointPlan> => {
  const before = await readPitr(tenant, projectId);
  const { batches: found, missing } = await listBatches(
    tenant,
    { projectId, ...before },
    { from: point.base.readTime, to: point.moment },
  );
  // Read after the batches: expiry updates the record before it deletes.
  const record = await readPitr(tenant, projectId);
  const base = await readBase(tenant, point);
  const { keptFrom = null, bases = [] } = record ?? {};
  const isKept = keptFrom === null || microsOf(keptFrom) <= microsOf(point.base.readTime);
  if (!isKept || base?.status !== 'completed' || !bases.some(({ backupId }) => backupId === point.base.backupId))
    throw new JobFailure('STORAGE_READ_ERROR', 'The changes captured up to this moment have expired', {
      pointInTime: shownMoment(microsOf(point.moment)),
    });
  if (missing !== undefined)
    throw new JobFailure('STORAGE_READ_ERROR', missingMessage(missing), {
      pointInTime: shownMoment(microsOf(point.moment)),
    });
  const auditedSince = await readAuditedSince(tenant, base, point.moment);
  return { point, base, batches: upTo(keptOf({ keptFrom, bases }, found), point.moment), auditedSince };
};

/** Without batches that expire, or whose key does. */
const keptOf = (
  { keptFrom, bases }: Pick<PitrRecord, 'keptFrom' | 'bases'>,
  batches: readonly BatchRecord[],
): readonly BatchRecord[] => {
  if (keptFrom === null) return batches;
  const keys = new Set(bases.map(({ backupId }) => backupId));
  return batches.filter(({ to, keyBackupId }) => {
    const beyond = microsOf(to) - microsOf(keptFrom);
    return beyond > 0 || (beyond > -heardAheadMicros && keys.has(keyBackupId));
  });
};

/** The backups to hold until the point is built: the base, and those whose keys encrypt the batches. */
export const heldBy = ({ base, batches }: PointPlan): readonly string[] => [
  ...new Set([base.id, ...batches.map(({ keyBackupId }) => keyBackupId)]),
];

const readBase = (tenant: Tenant, { base }: PointInTime): Promise<BackupRecord | undefined> =>
  get(backupKey.backup(tenant, base.backupId));

/** A missing batch is detected only if the record was read before. */
const listBatches = async (
  tenant: Tenant,
  { projectId, lastBatch = null }: { readonly projectId: string; readonly lastBatch?: string | null | undefined },
  { from, to }: { readonly from: string; readonly to: string },
): Promise<{ batches: readonly BatchRecord[]; missing: string | undefined }> => {
  const batches: BatchRecord[] = [];
  const begin = Math.max(0, microsOf(from) - heardAheadMicros);
  const moment = microsOf(to);
  let lastName = lastBatch;
  for await (const batch of listBatchesAfter(tenant, projectId, momentOf(begin))) {
    if (microsOf(batch.from) < moment) batches.push(batch);
    else {
      lastName = batch.previous;
      break;
    }
  }
  return { batches, missing: findMissingBatch({ batches, lastName, begin, moment }) };
};

const upTo = (batches: readonly BatchRecord[], moment: string): readonly BatchRecord[] =>
  batches.filter(({ from }) => microsOf(from) < microsOf(moment));
