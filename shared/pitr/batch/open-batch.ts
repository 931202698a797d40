/** Opens a batch for writing, encrypted with the key of a base backup. */
import { parseMoment } from '../../archive/index.ts';
import { objectPath, readDestination } from '../../destination/index.ts';
import { check, commit, create, get, iso, newId, StaleReadError, secureRandomBytes, type Tenant } from '../../platform/index.ts';
import { type BackupDeps, type BackupRecord, backupKey } from '../../stored-backup/index.ts';
import { captureLockEnd } from '../model/capture-lock.ts';
import type { CycleContext } from '../model/cycle-context.ts';
import { type PitrRecord, pitrKey } from '../model/record.ts';
import { ChangeBatchWriter } from './change-batch-writer.ts';

export interface OpenBatch {
  readonly id: string;
  readonly path: string;
  readonly keyBackup: BackupRecord;
  readonly writer: ChangeBatchWriter;
}

interface BatchInput {
  readonly keyBackup: BackupRecord;
  readonly deps: BackupDeps;
  readonly signal: AbortSignal;
}

export const openBatch = async (cycle: CycleContext, input: BatchInput): Promise<OpenBatch> =>
  (await batchOpener(cycle, input))();

/** Opens any number of batches. Each attempt has an id of its own: no two runs write the same object. */
export const batchOpener = async (
  { tenant, pitr, project }: CycleContext,
  { keyBackup, deps, signal }: BatchInput,
): Promise<() => OpenBatch> => {
  const [dataKey, destination] = await Promise.all([
    deps.dataKeyOf(tenant, keyBackup),
    readDestination(tenant, pitr.storageDestination.id),
  ]);
  const lockedUntil = destination.objectLock ? batchLockEnd(pitr, keyBackup, deps.clock.now()) : undefined;
  const { organization, project: archiveProject, backup } = keyBackup.archive;
  const identity = { organization, project: archiveProject, backup };
  const since = pitr.capturedTo === null ? undefined : parseMoment(pitr.capturedTo);
  return () => {
    const id = newId('capture', deps.clock.now());
    const path = objectPath(destination, project.id, 'pitr', id);
    const openStore = async () => {
      const upload = { id, path, storageDestinationId: destination.id, since: iso(deps.clock.now()) };
      await commit([
        create({ ...pitrKey.upload(tenant, project.id, id), ...upload }),
        // Orphaned objects are found only while the record exists.
        check(pitrKey.pitr(tenant, project.id), {}, () => new StaleReadError()),
      ]);
      return deps.openStore(tenant, destination, path);
    };
    const writer = new ChangeBatchWriter({ identity, dataKey, random: secureRandomBytes, openStore, lockedUntil, signal, since });
    return { id, path, keyBackup, writer };
  };
};

/** A batch is locked as long as the window it serves, and as the base it builds on. */
const batchLockEnd = (pitr: PitrRecord, { lockedUntil }: BackupRecord, now: Date): Date => {
  const end = captureLockEnd(now, Math.max(pitr.retentionDays, pitr.keptDays?.days ?? 0));
  return new Date(Math.max(end.getTime(), Date.parse(lockedUntil ?? '') || 0));
};

/** The base backup whose key encrypts the batch; undefined if it does not exist any more. */
export const keyBackupOf = async (tenant: Tenant, backupId: string | undefined): Promise<BackupRecord | undefined> => {
  const backup = backupId === undefined ? undefined : await get(backupKey.backup(tenant, backupId));
  return backup?.status === 'completed' ? backup : undefined;
};

/** Marks the newest base as damaged if its backup was found damaged; stored with the cycle. */
export const withDamage = (pitr: PitrRecord, keyBackup: BackupRecord): PitrRecord => {
  const base = pitr.bases.at(-1);
  if (!base || keyBackup.damagedDepth === undefined) return pitr;
  return { ...pitr, bases: [...pitr.bases.slice(0, -1), { ...base, isDamaged: true }] };
};
