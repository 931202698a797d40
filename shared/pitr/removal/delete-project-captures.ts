/** Deletes the captures of a deleted project: they cannot be restored any more. */

import { ApiError } from '../../contract/errors.ts';
import {
  after,
  check,
  commit,
  deletePartition,
  get,
  iso,
  query,
  set,
  type Tenant,
  updateItem,
  walk,
} from '../../platform/index.ts';
import { projectKey } from '../../project/index.ts';
import type { BackupRecord } from '../../stored-backup/index.ts';
import { batchPrefix, divergedPrefix, type PitrRecord, pitrKey, pitrPrefix, uploadPrefix } from '../model/record.ts';
import { dropTokens } from '../model/resume-token-items.ts';

export const isProjectGone = async (tenant: Tenant, projectId: string): Promise<boolean> =>
  (await get(projectKey.project(tenant, projectId))) === undefined;

/** Keeps nothing, after as many steps as releasing the bases takes. Undefined once none are held. */
export const decideFinalExpiry = (
  { bases, gaps, capturedTo, keptFrom }: PitrRecord,
  freedMax: number,
): Pick<PitrRecord, 'keptFrom' | 'bases' | 'gaps'> | undefined => {
  const rest = bases.slice(freedMax);
  if (bases.length === 0) return undefined;
  return rest[0] ? { keptFrom: rest[0].readTime, bases: rest, gaps } : { keptFrom: capturedTo ?? keptFrom, bases: [], gaps: [] };
};

/** Deletes the record after its batches. While a running cycle may still upload an object, it tries again later. */
export const deleteCaptures = async (
  tenant: Tenant,
  { pitr, retrySeconds, now }: { readonly pitr: PitrRecord; readonly retrySeconds: number; readonly now: Date },
): Promise<void> => {
  const { projectId, turn } = pitr;
  const capturing = pitrKey.capturing(tenant, projectId);
  if (await hasAny(tenant, projectId, uploadPrefix)) {
    await updateItem(set(capturing, { forgetAt: iso(after(now, retrySeconds)) }));
    return;
  }
  const { check: remove, ...unchanged } = check(pitrKey.pitr(tenant, projectId), { turn });
  await deletePartition(pitrKey.audit(tenant, projectId).pk, { prefix: divergedPrefix });
  await commit([
    { remove, ...unchanged },
    { remove: capturing },
    { remove: pitrKey.audit(tenant, projectId) },
    ...dropTokens(tenant, pitr),
  ]);
};

/** A project whose captures are in the destination, and whether they are being deleted. The destination cannot be deleted meanwhile. */
export const captureUsing = async (
  tenant: Tenant,
  storageDestinationId: string,
): Promise<{ readonly projectId: string; readonly isEnding: boolean } | undefined> => {
  const where = { 'storageDestination.id': storageDestinationId };
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: pitrPrefix, where };
  for await (const { projectId, status, bases } of walk<PitrRecord>(range)) {
    const isOver = status === 'disabled' && bases.length === 0;
    if (!isOver || (await hasAny(tenant, projectId, batchPrefix)))
      return { projectId, isEnding: isOver || (await isProjectGone(tenant, projectId)) };
  }
  return undefined;
};

/** Refuses to delete a base while captures of a deleted project still hold it. Another check refuses a base in use. */
export const refuseEnding = async (tenant: Tenant, { projectId, pitrBase }: BackupRecord): Promise<void> => {
  if (pitrBase && (await isProjectGone(tenant, projectId)))
    throw new ApiError('CONFLICT', 'The captured changes of the deleted project are being deleted; try again in a minute', {
      neededBy: 'pitr',
    });
};

const hasAny = async (tenant: Tenant, projectId: string, prefix: string): Promise<boolean> =>
  (await query({ pk: pitrKey.tokens(tenant, projectId).pk, prefix, limit: 1 })).items.length > 0;
