/** A restore to a moment, as it is asked for: which backup is to be made of what, or why not. */
import { asReadingError, type BackupRecord, type Doors, requestArchiveDeps } from '../../backup/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { readDestination } from '../../destination/index.ts';
import {
  BatchReader,
  type BatchRecord,
  collectionsOf,
  describeBatch,
  heldBy,
  type PointPlan,
  type PointWish,
  planPoint,
  pointBackup,
} from '../../pitr/index.ts';
import { after, type Clock, clock, iso, newId, type Tenant } from '../../platform/index.ts';
import { readProject } from '../../project/index.ts';
import type { RestorePoint } from '../model/record.ts';
import type { StartRestoreOptions } from '../model/start-options.ts';
import { type RestoreDeps, restoreDeps } from '../restore-deps.ts';

/** A moment that can be restored. */
export interface PointRequest {
  readonly plan: PointPlan;
  /** What the restore remembers of it. */
  readonly point: RestorePoint;
}

export type PointScope = Pick<StartRestoreOptions, 'collections' | 'documents' | 'includeSubcollections'>;

/** The backup that is to be made, as if it were there; its id is given out now. */
export const readPointRequest = async (
  tenant: Tenant,
  { projectId, pointInTime }: { readonly projectId: string; readonly pointInTime: string },
  scope: PointScope,
  now: Date,
): Promise<{ backup: BackupRecord; moment: PointRequest }> => {
  await readProject(tenant, projectId);
  const plan = await planPoint(tenant, projectId, wishOf(pointInTime, scope), now);
  const { storageDestination } = plan.base;
  const { prefix } = await readDestination(tenant, storageDestination.id);
  const id = newId('backup', now);
  const path = [prefix, projectId, id].filter((part) => part !== '').join('/');
  const backup = pointBackup(tenant, plan, { id, path, createdAt: iso(now), createdBy: { type: 'system', id: 'restore' } });
  return { backup, moment: { plan, point: { ...plan.point, holds: heldBy(plan), storageDestination, path } } };
};

const wishOf = (pointInTime: string, { collections, documents, includeSubcollections }: PointScope): PointWish => {
  const paths = documents ? documents.paths.map(parentOf) : collections;
  const named = paths.includes('*') ? undefined : [...new Set(paths)];
  const ids = named?.map((path) => path.slice(path.lastIndexOf('/') + 1));
  return { pointInTime, named, collectionIds: includeSubcollections ? undefined : ids };
};

const parentOf = (document: string): string => document.slice(0, document.lastIndexOf('/'));

/** Refuses documents of collections that may have been there then and are not known: nobody is told that they were not. */
export const assertCollectionsKnown = async (tenant: Tenant, { plan }: PointRequest, doors: Doors = requestArchiveDeps): Promise<void> => {
  const { doubt, base } = plan;
  if (!doubt) return;
  const known = await collectionsOf(tenant, base, doors).catch((error: unknown) => {
    throw asReadingError(error);
  });
  if (doubt.collectionIds.some((id) => !known.has(id))) throw doubt.refusal;
};

const lanes = 16;
/** Somebody waits; what could not be looked at by then is found missing by the job, before it writes anything. */
const lookSeconds = 6;

/** Refuses a moment of whose batches one is not in its place, by its name. */
export const assertBatchesPresent = async (
  tenant: Tenant,
  { plan }: PointRequest,
  doors: Pick<RestoreDeps, 'openStore' | 'dataKeyOf'> = restoreDeps,
  time: Clock = clock,
): Promise<void> => {
  const reader = new BatchReader(tenant, doors);
  const until = after(time.now(), lookSeconds);
  const left = plan.batches.values();
  const lost: BatchRecord[] = [];
  const lane = async (): Promise<void> => {
    for (const batch of left) {
      if (time.now() >= until) return;
      if ((await reader.sizeOf(batch)) !== batch.chunk.size) lost.push(batch);
    }
  };
  try {
    await Promise.all(Array.from({ length: lanes }, lane));
  } finally {
    reader.close();
  }
  const [first] = lost.sort((a, b) => (a.to < b.to ? -1 : 1));
  if (first) throw missing(plan, first);
};

const missing = ({ point }: PointPlan, batch: BatchRecord): ApiError =>
  new ApiError('CONFLICT', `The project cannot be restored to this moment: the destination has lost ${describeBatch(batch)}`, {
    pointInTime: point.moment,
    batch: { id: batch.id, from: batch.from, to: batch.to, object: `${batch.path}/${batch.chunk.name}` },
    latest: batch.from,
  });
