/** A requested point-in-time restore: which backup to build from which base and batches, or why that is impossible. */

import { ApiError } from '../../contract/errors.ts';
import { objectPath, readDestination } from '../../destination/index.ts';
import {
  type BatchRecord,
  ChangeBatchReader,
  collectionsOf,
  describeBatch,
  heldBy,
  type PointPlan,
  type PointRequest,
  planPoint,
  pointBackupRecord,
} from '../../pitr/index.ts';
import { after, type Clock, clock, iso, mapConcurrent, newId, type Tenant } from '../../platform/index.ts';
import { readProject } from '../../project/index.ts';
import { type ArchiveDeps, type BackupRecord, requestArchiveDeps, toReadError } from '../../stored-backup/index.ts';
import type { RestorePoint } from '../model/record.ts';
import type { StartRestoreOptions } from '../model/start-options.ts';
import { type RestoreDeps, restoreDeps } from '../restore-deps.ts';

/** A point in time that can be restored. */
export interface RestorablePoint {
  readonly plan: PointPlan;
  /** Stored on the restore's record. */
  readonly point: RestorePoint;
}

export interface PointScope extends Pick<StartRestoreOptions, 'collections' | 'documents' | 'includeSubcollections'> {
  /** Restore what is proven for the moment, if that is less than requested. */
  readonly allowPartial: boolean;
}

/** Returns the record of the backup to build, with its id. */
export const readPointRequest = async (
  tenant: Tenant,
  {
    projectId,
    pointInTime,
    scope,
    now,
  }: { readonly projectId: string; readonly pointInTime: string; readonly scope: PointScope; readonly now: Date },
): Promise<{ backup: BackupRecord; pointRequest: RestorablePoint }> => {
  await readProject(tenant, projectId);
  const plan = await planPoint(tenant, { projectId, request: pointOptions(pointInTime, scope), now });
  const { storageDestination } = plan.base;
  const destination = await readDestination(tenant, storageDestination.id);
  const id = newId('backup', now);
  const path = objectPath(destination, projectId, id);
  const backup = pointBackupRecord(tenant, plan, { id, path, createdAt: iso(now), createdBy: { type: 'system', id: 'restore' } });
  return { backup, pointRequest: { plan, point: { ...plan.point, holds: heldBy(plan), storageDestination, path } } };
};

const pointOptions = (
  pointInTime: string,
  { collections, documents, includeSubcollections, allowPartial }: PointScope,
): PointRequest => {
  const paths = documents ? documents.paths.map(parentOf) : collections;
  const named = paths.includes('*') ? undefined : [...new Set(paths)];
  const ids = named?.map((path) => path.slice(path.lastIndexOf('/') + 1));
  return { pointInTime, named, collectionIds: includeSubcollections ? undefined : ids, allowPartial };
};

const parentOf = (document: string): string => document.slice(0, document.lastIndexOf('/'));

/**
 * Throws if a requested collection may have existed at that time but was not observed: it is never reported as absent. If a partial
 * restore is allowed, returns the request with what it lacks.
 */
export const withKnownCollections = async (
  tenant: Tenant,
  request: RestorablePoint,
  deps: ArchiveDeps = requestArchiveDeps,
): Promise<RestorablePoint> => {
  const { doubt, base, point } = request.plan;
  if (!doubt) return request;
  const known = await collectionsOf(tenant, base, deps).catch((error: unknown) => {
    throw toReadError(error);
  });
  const ids = doubt.collectionIds.filter((id) => !known.has(id));
  if (ids.length === 0) return request;
  if (!doubt.allowPartial) throw doubt.refusal(ids);
  const more = { uncovered: point.uncovered ?? doubt.uncovered(ids), isPartial: true, isUnchecked: true };
  return { plan: { ...request.plan, point: { ...point, ...more } }, point: { ...request.point, ...more } };
};

const concurrency = 16;
/** The request waits for this. The job finds later what was not checked in time, before it writes anything. */
const checkSeconds = 6;

/** Throws CONFLICT if the destination has lost one of the batches. */
export const assertBatchesPresent = async (
  tenant: Tenant,
  {
    pointRequest: { plan },
    deps = restoreDeps,
    time = clock,
  }: {
    readonly pointRequest: RestorablePoint;
    readonly deps?: Pick<RestoreDeps, 'openStore' | 'dataKeyOf'> | undefined;
    readonly time?: Clock | undefined;
  },
): Promise<void> => {
  const reader = new ChangeBatchReader(tenant, deps);
  const until = after(time.now(), checkSeconds);
  const lost: BatchRecord[] = [];
  try {
    await mapConcurrent(plan.batches, concurrency, async (batch) => {
      if (time.now() < until && (await reader.sizeOf(batch)) !== batch.chunk.size) lost.push(batch);
    });
  } finally {
    reader.close();
  }
  const [first] = lost.sort((a, b) => (a.to < b.to ? -1 : 1));
  if (first) throw missing(plan, first);
};

const missing = ({ point }: PointPlan, batch: BatchRecord): ApiError =>
  new ApiError(
    'CONFLICT',
    `The project cannot be restored to this point in time: the destination has lost ${describeBatch(batch)}`,
    {
      pointInTime: point.moment,
      batch: { id: batch.id, from: batch.from, to: batch.to, object: `${batch.path}/${batch.chunk.name}` },
      latest: batch.from,
    },
  );
