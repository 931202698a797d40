/** The first step: marks the backup as running, creates its data key, and probes the source. */
import { keyFileName } from '../../archive/index.ts';
import { backupEvents } from '../../contract/event-data/backup-events.ts';
import { readDestination } from '../../destination/index.ts';
import { emit } from '../../event/index.ts';
import { probeSource } from '../../firestore/index.ts';
import { JobEndedError, phaseEntry } from '../../job/index.ts';
import { organizationKey } from '../../organization/index.ts';
import { after, check, commit, get, isConflict, iso, set, type Tenant } from '../../platform/index.ts';
import { type ProjectRecord, projectKey, projectReadPrice, readProject } from '../../project/index.ts';
import {
  type BackupDeps,
  type BackupRecord,
  backupEvent,
  backupKey,
  isSameKey,
  objectLockOf,
} from '../../stored-backup/index.ts';
import { captureConfiguration } from '../model/captured-configuration.ts';
import { readRunningBackup, updateRunningBackup } from '../model/running-backup.ts';
import { type StepRun, withBackupStep } from './with-backup-step.ts';

/** Billed reads of the probe. */
export const probeReads = 1;

/** Idempotent: keeps the results of an earlier run. */
export const prepareBackup = async (tenant: Tenant, backupId: string, deps: BackupDeps): Promise<void> => {
  const backup = await get(backupKey.backup(tenant, backupId));
  if (backup?.status === 'pending') await begin(tenant, backup, deps);
  await withBackupStep(tenant, { backupId, deps, work: (run) => prepare(tenant, run) });
};

const prepare = async (tenant: Tenant, { backup, deps, signal }: StepRun): Promise<void> => {
  // A later phase means that an earlier run has finished this step.
  if (backup.phase !== 'preparing') return;
  const found = await readProject(tenant, backup.projectId);
  const project = (await deps.refreshDatabaseInfo?.(tenant, found)) ?? found;
  const keyed = backup.keyFile ? backup : await createKey(tenant, backup, deps);
  await storeKey(tenant, keyed, deps);
  await captureConfiguration(tenant, { backup: keyed, project, deps, signal });
  // A synthetic full needs no source.
  const sourceSeenAt = keyed.synthesizedFrom === undefined ? await probe(tenant, { project, deps, signal }) : undefined;
  await commit([
    updateRunningBackup(tenant, backup.id, {
      set: {
        phase: 'planning',
        waitingFor: undefined,
        usdPerMillionReads: projectReadPrice(project).usdPerMillion,
        ...(sourceSeenAt !== undefined && { sourceSeenAt }),
      },
      append: { timeline: [phaseEntry('planning', deps.clock.now())] },
      add: { reads: sourceSeenAt === undefined ? 0 : probeReads },
      expected: { phase: 'preparing' },
    }),
  ]);
};

const begin = async (tenant: Tenant, backup: BackupRecord, { clock }: BackupDeps): Promise<void> => {
  const { id, projectId, storageDestination } = backup;
  const [project, destination, organization] = await Promise.all([
    readProject(tenant, projectId),
    readDestination(tenant, storageDestination.id),
    get(organizationKey.organization(tenant)),
  ]);
  if (!organization) throw new JobEndedError('of a deleted organization');
  const now = clock.now();
  const begun = {
    status: 'running',
    phase: 'preparing',
    startedAt: iso(now),
    deadline: iso(after(now, project.settings.backupTimeoutMinutes * 60)),
    // The same for all its objects, whenever each is stored.
    lockedUntil: destination.objectLock ? iso(after(now, destination.objectLock.days * 24 * 3_600)) : null,
  } as const;
  try {
    await commit([
      set(backupKey.backup(tenant, id), begun, { expected: { status: 'pending' } }),
      // The backup must hold the project's lock.
      check(projectKey.job(tenant, projectId), { jobId: id }),
      emit(tenant, {
        schemas: backupEvents,
        name: 'backup.started',
        data: backupEvent({ ...backup, ...begun }, project, organization),
        now,
      }),
    ]);
  } catch (error) {
    // Another run started it, or it was cancelled; the caller reads it again.
    if (!isConflict(error)) throw error;
  }
};

/** Of two concurrent runs the first one's key is stored; the other adopts it. */
const createKey = async (tenant: Tenant, backup: BackupRecord, deps: BackupDeps): Promise<BackupRecord> => {
  const { keyFile, encryption, check: unchanged } = await deps.newDataKey(tenant, backup.archive);
  try {
    await commit([
      updateRunningBackup(tenant, backup.id, { set: { keyFile, encryption }, expected: { keyFile: undefined } }),
      unchanged,
    ]);
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
  const { backup: keyed } = await readRunningBackup(tenant, backup.id, deps.clock.now());
  if (!keyed.keyFile) throw new Error('the encryption settings changed concurrently');
  return keyed;
};

/** Makes the key in the bucket that of the record, even if it is rewrapped concurrently. */
export const storeKey = async (tenant: Tenant, backup: BackupRecord, deps: BackupDeps): Promise<void> => {
  const destination = await readDestination(tenant, backup.storageDestination.id);
  const store = await deps.openStore(tenant, destination, backup.path);
  try {
    let stored: Uint8Array | undefined;
    let { keyFile } = backup;
    while (keyFile && !isSameKey(keyFile, stored)) {
      await store.put(keyFileName, keyFile, objectLockOf(backup));
      stored = keyFile;
      // It may have been rewrapped since it was read.
      ({ keyFile } = (await readRunningBackup(tenant, backup.id, deps.clock.now())).backup);
    }
  } finally {
    store.close();
  }
};

/** The time of the source: whatever was written before the backup started was written before this. */
const probe = async (
  tenant: Tenant,
  { project, deps, signal }: { readonly project: ProjectRecord; readonly deps: BackupDeps; readonly signal: AbortSignal },
): Promise<string> => {
  const source = deps.openSource(tenant, project);
  try {
    return (await probeSource(source, signal)).readTime;
  } finally {
    source.close();
  }
};
