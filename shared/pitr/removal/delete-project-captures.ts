/** A project that is deleted takes its captures along: nobody could restore them any more. */
import type { BackupRecord } from '../../backup/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { after, commit, get, iso, query, set, type Tenant, updateItem, walk } from '../../platform/index.ts';
import { projectKey } from '../../project/index.ts';
import { batchPrefix, type PitrRecord, pitrKey, pitrPrefix, uploadPrefix } from '../model/record.ts';
import { dropTokens } from '../model/resume-token-items.ts';

/** Captures are bound to their project: without it they are of no use, whatever their record says. */
export const isProjectGone = async (tenant: Tenant, projectId: string): Promise<boolean> =>
  (await get(projectKey.project(tenant, projectId))) === undefined;

/** What is kept of them: nothing, after as many steps as it takes to free its bases. Undefined once there are none. */
export const decideFinalExpiry = (
  { bases, gaps, capturedTo, keptFrom }: PitrRecord,
  freedMax: number,
): Pick<PitrRecord, 'keptFrom' | 'bases' | 'gaps'> | undefined => {
  const left = bases.slice(freedMax);
  if (bases.length === 0) return undefined;
  return left[0] ? { keptFrom: left[0].readTime, bases: left, gaps } : { keptFrom: capturedTo ?? keptFrom, bases: [], gaps: [] };
};

/** The last of them, after the batches: while a turn that was under way may still store an object it is looked for again later. */
export const endCaptures = async (tenant: Tenant, pitr: PitrRecord, againSeconds: number, now: Date): Promise<void> => {
  const { projectId, turn } = pitr;
  const capturing = pitrKey.capturing(tenant, projectId);
  if (await hasAny(tenant, projectId, uploadPrefix)) {
    await updateItem(set(capturing, { forgetAt: iso(after(now, againSeconds)) }));
    return;
  }
  await commit([
    {
      remove: pitrKey.pitr(tenant, projectId),
      condition: '#turn = :turn',
      names: { '#turn': 'turn' },
      values: { ':turn': turn },
    },
    { remove: capturing },
    ...dropTokens(tenant, pitr),
  ]);
};

/** The project whose changes are stored there, and whether they are being removed: as long as any are there the destination stays. */
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

/** Refuses to take away a base while captures that are being removed still hold it; one that is in use is refused as such. */
export const refuseEnding = async (tenant: Tenant, { projectId, pitrBase }: BackupRecord): Promise<void> => {
  if (pitrBase && (await isProjectGone(tenant, projectId)))
    throw new ApiError('CONFLICT', 'What was captured of the deleted project is being removed; try again in a minute', {
      neededBy: 'pitr',
    });
};

const hasAny = async (tenant: Tenant, projectId: string, prefix: string): Promise<boolean> =>
  (await query({ pk: pitrKey.tokens(tenant, projectId).pk, prefix, limit: 1 })).items.length > 0;
