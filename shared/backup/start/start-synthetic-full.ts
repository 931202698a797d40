/** A full backup of what a long chain holds: the source is not asked, and the chain can go once nothing else needs it. */
import { ApiError } from '../../contract/errors.ts';
import { readDestination } from '../../destination/index.ts';
import type { TaskMessage } from '../../event/index.ts';
import { after, commit, get, log, newId, StaleReadError, sendMessages, type Tenant, walk } from '../../platform/index.ts';
import { readProject } from '../../project/index.ts';
import { currentEncryption, readEncryption } from '../encryption/encryption-settings.ts';
import { isSameScope } from '../incremental/find-parent.ts';
import { type BackupRecord, backupKey, backupPrefix, isRestorePointBackup } from '../model/record.ts';
import { startBackup } from './start-backup.ts';

/** Most jobs take some minutes. */
const againSeconds = 60;
/** By then the chain has a later link, of which one is made. */
const waitSeconds = 24 * 3_600;
/** Whose backup it was is gone, or where it lay: there is nothing to be made of it. */
const gone = new Set<string>(['ORGANIZATION_NOT_FOUND', 'PROJECT_NOT_FOUND', 'STORAGE_NOT_FOUND']);

/** What the task does: begins one, or has the task brought again while the project has another job. */
export const startSyntheticFull = async (
  tenant: Tenant,
  backupId: string,
  now: Date,
  send: typeof sendMessages = sendMessages,
): Promise<void> => {
  try {
    const begun = await beginSynthesis(tenant, backupId, now);
    log.info('made a full backup of a chain, or had none to make', { backupId, begun });
  } catch (error) {
    if (!(error instanceof ApiError) || (error.code !== 'JOB_IN_PROGRESS' && !gone.has(error.code))) throw error;
    if (error.code === 'JOB_IN_PROGRESS') await putOff(tenant, backupId, now, send);
  }
};

const putOff = async (tenant: Tenant, backupId: string, now: Date, send: typeof sendMessages): Promise<void> => {
  const origin = await get(backupKey.backup(tenant, backupId));
  if (!origin?.completedAt || after(new Date(origin.completedAt), waitSeconds) <= now) return;
  const { organizationId } = tenant;
  const message: TaskMessage = { id: newId('task', now), organizationId, task: { kind: 'synthesize-full', backupId } };
  const again = { body: JSON.stringify(message), sender: organizationId, delaySeconds: againSeconds };
  if ((await send('SCHEDULE_QUEUE_URL', [again])).size > 0) throw new Error('the queue did not take the task');
};

/** Others that build upon the same backup, or take it away, may be at it. */
const triesMax = 5;

/**
 * The id of the backup that is begun, undefined if there is nothing to do: the backup is gone or no chain, or what would be made
 * of it is there already. However often it is asked for, one is made. JOB_IN_PROGRESS if the project has a job.
 */
const beginSynthesis = async (tenant: Tenant, backupId: string, now: Date): Promise<string | undefined> => {
  for (let tries = 1; ; tries++) {
    const origin = await get(backupKey.backup(tenant, backupId));
    if (!origin || !isChain(origin) || (await isNeedless(tenant, origin))) return undefined;
    const [project, destination, chosen] = await Promise.all([
      readProject(tenant, origin.projectId),
      readDestination(tenant, origin.storageDestination.id),
      readEncryption(tenant),
    ]);
    const { collections, excludedCollections, includeAuthUsers, trigger, scheduleId, createdBy } = origin;
    const { retentionDays: retention, retentionPolicy, retentionTimezone } = origin;
    const { backup, writes } = startBackup(
      { tenant, project, destination, encryption: currentEncryption(chosen) },
      {
        ...{ type: 'full', synthesizedFrom: origin, collections, excludeCollections: excludedCollections, includeAuthUsers },
        ...{ trigger, createdBy, retention, ...(retentionPolicy && { retentionPolicy }) },
        ...(retentionTimezone !== undefined && { retentionTimezone }),
        ...(scheduleId !== null && { scheduleId }),
      },
      now,
    );
    try {
      await commit(writes);
      return backup.id;
    } catch (error) {
      if (!(error instanceof StaleReadError) || tries === triesMax) throw error;
    }
  }
};

const isChain = ({ status, type, isPartial, damagedDepth, arriving, leaving }: BackupRecord): boolean =>
  status === 'completed' &&
  type === 'incremental' &&
  ![isPartial, damagedDepth, arriving, leaving].some((obstacle) => obstacle !== undefined);

/** Whether a later backup serves as well: a full one, or a later link of the chain, of which a full one is made in its turn. */
const isNeedless = async (tenant: Tenant, origin: BackupRecord): Promise<boolean> => {
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: backupPrefix, where: { projectId: origin.projectId } };
  for await (const later of walk<BackupRecord>({ ...range, from: origin.sk }))
    if (later.id !== origin.id && isAsGood(later, origin)) return true;
  return false;
};

const isAsGood = (later: BackupRecord, origin: BackupRecord): boolean => {
  const { status, synthesizedFrom, isPartial, damagedDepth, storageDestination, trigger } = later;
  // A point in time that was made for a restore is gone in days, and nothing follows its completion.
  if (isPartial || damagedDepth !== undefined || trigger === 'import' || isRestorePointBackup(later)) return false;
  if (storageDestination.id !== origin.storageDestination.id || !isSameScope(later, origin)) return false;
  if (synthesizedFrom === origin.id) return status === 'completed' || status === 'running' || status === 'pending';
  return status === 'completed' && Date.parse(later.readTime ?? '') > Date.parse(origin.readTime ?? '');
};
