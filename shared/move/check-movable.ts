import { ApiError } from '../contract/errors.ts';
import { getAll, type Tenant } from '../platform/index.ts';
import { restoreKey, restoresInto } from '../restore/index.ts';
import { schedulesOf } from '../schedule/index.ts';
import { type BackupRecord, backupKey, type EncryptionRecord, isRetired, readEncryption } from '../stored-backup/index.ts';
import { backupsIn } from './move-context.ts';
import { SplitChainCheck } from './split-chain-check.ts';

export interface Tally {
  /** Completed backups, which organizations count, and their bytes. */
  readonly backups: number;
  readonly bytes: number;
  /** Completed backups by destination; 0 for a destination that is used only otherwise. */
  readonly byDestination: ReadonlyMap<string, number>;
}

/** Throws if the project cannot be moved now. Counts what would move with it. */
export const checkMovable = async (tenant: Tenant, projectId: string): Promise<Tally> => {
  const byDestination = new Map<string, number>();
  const unfinished: BackupRecord[] = [];
  const chains = new SplitChainCheck();
  const chosen = await readEncryption(tenant);
  let [backups, bytes] = [0, 0];
  for await (const backup of backupsIn(tenant)) {
    chains.add(backup, isMovable(backup, projectId));
    if (!isMovable(backup, projectId)) continue;
    refuseIfHeld(backup, chosen);
    const isCounted = backup.status === 'completed';
    if (isCounted) [backups, bytes] = [backups + 1, bytes + backup.size];
    else unfinished.push(backup);
    const { id } = backup.storageDestination;
    byDestination.set(id, (byDestination.get(id) ?? 0) + (isCounted ? 1 : 0));
  }
  // The destinations of its schedules move along, too.
  for await (const { storageDestinationId: id } of schedulesOf(tenant, { projectId }))
    if (id !== null) byDestination.set(id, byDestination.get(id) ?? 0);
  chains.assertUnsplit();
  await refuseIfCleaning(tenant, unfinished);
  await refuseIfRestored(tenant, projectId);
  return { backups, bytes, byDestination };
};

/** Deleted and expired backups stay: their objects are being deleted there, and their records expire by themselves. */
export const isMovable = (backup: BackupRecord, projectId: string): boolean =>
  backup.projectId === projectId && !isRetired(backup) && backup.arriving === undefined;

/** `chosen`: what wraps the keys of the organization's backups now. */
export const refuseIfHeld = (backup: BackupRecord, chosen: EncryptionRecord | undefined): void => {
  const { id, status, verification, encryption, bucketKeyIds, restoring = 0 } = backup;
  if (status === 'pending' || status === 'running') throw inProgress(id, `A backup of this project is ${status}`);
  if (verification?.status === 'running') throw inProgress(id, 'A backup of this project is being verified');
  if (restoring > 0)
    throw new ApiError('JOB_IN_PROGRESS', 'A backup of this project is being restored', { backupId: id, kind: 'restore' });
  if (status === 'completed' && (encryption.mode === 'customer' || bucketKeyIds))
    throw new ApiError('CONFLICT', passphraseMessage(backup, chosen), { backupId: id });
};

/** The target organization does not have the passphrase. */
const passphraseMessage = ({ encryption }: BackupRecord, chosen: EncryptionRecord | undefined): string => {
  if (chosen?.mode === 'customer' && encryption.mode === 'customer')
    return 'Backups of this project are encrypted with the passphrase of this organization, which the target organization does not have. Set the encryption to kms first';
  if (chosen?.isWalking)
    return 'The keys of the backups of this project are still being rewrapped. Try again when rewrap of the encryption is idle';
  const where =
    encryption.mode === 'customer'
      ? 'is still encrypted with a passphrase'
      : 'may still be encrypted with a passphrase in its bucket';
  return `The key of a backup of this project ${where}. Rotate the keys of this organization first`;
};

/** A failed or cancelled backup has a `running` item until its objects are deleted. */
const refuseIfCleaning = async (tenant: Tenant, ended: readonly BackupRecord[]): Promise<void> => {
  const found = await getAll(ended.map(({ id }) => backupKey.running(tenant, id)));
  const busy = ended.find((_, n) => found[n] !== undefined);
  if (busy) throw inProgress(busy.id, 'The objects of a failed or cancelled backup of this project are being deleted');
};

const inProgress = (jobId: string, message: string): ApiError =>
  new ApiError('JOB_IN_PROGRESS', message, { jobId, kind: 'backup' });

/** The clean-up of a restore needs the credentials of this organization. */
const refuseIfRestored = async (tenant: Tenant, projectId: string): Promise<void> => {
  const ids: string[] = [];
  for await (const { id } of restoresInto(tenant, projectId)) ids.push(id);
  const notes = await getAll(ids.map((id) => restoreKey.running(tenant, id)));
  const busy = notes.find((note) => note && note.dueAt === undefined);
  if (!busy) return;
  const message = 'A restore into this project is running or being cleaned up';
  throw new ApiError('JOB_IN_PROGRESS', message, { jobId: busy.restoreJobId, kind: 'restore' });
};
