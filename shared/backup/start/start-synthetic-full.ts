/** A synthetic full has the contents of a long chain, copied without reading the source. The chain can then be deleted. */
import { ApiError } from '../../contract/errors.ts';
import { readDestination } from '../../destination/index.ts';
import { sendTask } from '../../event/index.ts';
import {
  after,
  commit,
  get,
  log,
  omitUndefined,
  retryOnConflict,
  StaleReadError,
  type Tenant,
  walk,
} from '../../platform/index.ts';
import { isInMove, readProject } from '../../project/index.ts';
import {
  type BackupRecord,
  backupKey,
  backupPrefix,
  currentEncryption,
  isPlanned,
  isRestorePointBackup,
  readEncryption,
} from '../../stored-backup/index.ts';
import { isSameScope } from '../incremental/find-parent.ts';
import { startBackup } from './start-backup.ts';

/** Most jobs take a few minutes. */
const retrySeconds = 60;
/** By then the chain has a later backup, from which a synthetic full is made. */
const waitSeconds = 24 * 3_600;
/** What the synthetic full needs was deleted, so none is made. */
const gone = new Set<string>(['ORGANIZATION_NOT_FOUND', 'PROJECT_NOT_FOUND', 'STORAGE_NOT_FOUND']);

/** Starts the synthetic full of a long chain. If the project has another job, sends the task again. */
export const startSyntheticFull = async (
  tenant: Tenant,
  {
    backupId,
    now,
    send = sendTask,
  }: { readonly backupId: string; readonly now: Date; readonly send?: typeof sendTask | undefined },
): Promise<void> => {
  try {
    const startedId = await startOnce(tenant, backupId, now);
    log.info('synthetic full evaluated', { backupId, startedId });
  } catch (error) {
    if (!(error instanceof ApiError) || (error.code !== 'JOB_IN_PROGRESS' && !gone.has(error.code))) throw error;
    if (error.code === 'JOB_IN_PROGRESS') await postpone(tenant, { backupId, now, send });
  }
};

const postpone = async (
  tenant: Tenant,
  { backupId, now, send }: { readonly backupId: string; readonly now: Date; readonly send: typeof sendTask },
): Promise<void> => {
  const origin = await get(backupKey.backup(tenant, backupId));
  if (!origin?.completedAt || after(new Date(origin.completedAt), waitSeconds) <= now) return;
  await send(tenant, { kind: 'synthesize-full', backupId }, { delaySeconds: retrySeconds, now });
};

/**
 * The id of the started backup; undefined if there is nothing to do, because the origin is gone, is no chain, or already has a
 * replacement. Idempotent: one synthetic full is made, however often the task arrives. JOB_IN_PROGRESS if the project has a job.
 */
const startOnce = (tenant: Tenant, backupId: string, now: Date): Promise<string | undefined> =>
  retryOnConflict({ attempts: 5, isRetryable: (error) => error instanceof StaleReadError }, async () => {
    const origin = await get(backupKey.backup(tenant, backupId));
    if (!origin || !isChain(origin) || (await hasReplacement(tenant, origin))) return undefined;
    const [project, destination, settings] = await Promise.all([
      readProject(tenant, origin.projectId),
      readDestination(tenant, origin.storageDestination.id),
      readEncryption(tenant),
    ]);
    const { backup, writes } = startBackup(
      { tenant, project, destination, encryption: currentEncryption(settings) },
      {
        type: 'full',
        synthesizedFrom: origin,
        collections: origin.collections,
        excludeCollections: origin.excludedCollections,
        includeAuthUsers: origin.includeAuthUsers,
        trigger: origin.trigger,
        createdBy: origin.createdBy,
        retention: origin.retentionDays,
        ...omitUndefined({
          retentionPolicy: origin.retentionPolicy,
          retentionTimezone: origin.retentionTimezone,
          scheduleId: origin.scheduleId ?? undefined,
        }),
      },
      now,
    );
    await commit(writes);
    return backup.id;
  });

const isChain = (backup: BackupRecord): boolean =>
  backup.status === 'completed' &&
  backup.type === 'incremental' &&
  backup.isPartial === undefined &&
  backup.damagedDepth === undefined &&
  !isInMove(backup);

/** Whether a later backup replaces it: a full one, or a later one of the chain, from which a synthetic full is made in turn. */
const hasReplacement = async (tenant: Tenant, origin: BackupRecord): Promise<boolean> => {
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: backupPrefix, where: { projectId: origin.projectId } };
  for await (const later of walk<BackupRecord>({ ...range, from: origin.sk }))
    if (later.id !== origin.id && replaces(later, origin)) return true;
  return false;
};

const replaces = (later: BackupRecord, origin: BackupRecord): boolean => {
  const { status, synthesizedFrom, isPartial, damagedDepth, storageDestination, trigger } = later;
  // A point materialized for a restore expires in days, and triggers no synthetic full.
  if (isPartial || damagedDepth !== undefined || trigger === 'import' || isRestorePointBackup(later)) return false;
  if (storageDestination.id !== origin.storageDestination.id || !isSameScope(later, origin)) return false;
  if (synthesizedFrom === origin.id) return status === 'completed' || status === 'running' || status === 'pending';
  if (status !== 'completed' || !isPlanned(later) || !isPlanned(origin)) return false;
  return Date.parse(later.readTime) > Date.parse(origin.readTime);
};
