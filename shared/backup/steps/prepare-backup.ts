/** The first step: the backup begins to run, gets its data key, and the source is asked whether it lets us in. */

import { keyFileName } from '../../archive/index.ts';
import { readDestination } from '../../destination/index.ts';
import { emit } from '../../event/index.ts';
import { probeSource } from '../../firestore/index.ts';
import { JobEndedError } from '../../job/index.ts';
import { type OrganizationRecord, organizationKey } from '../../organization/index.ts';
import { after, commit, get, isConflict, iso, set, type Tenant } from '../../platform/index.ts';
import { type ProjectRecord, projectKey, readProject } from '../../project/index.ts';
import type { BackupDeps } from '../backup-deps.ts';
import { isSameKey } from '../encryption/data-key.ts';
import { backupEvent } from '../model/backup-view.ts';
import { type BackupRecord, backupKey } from '../model/record.ts';
import { readRunningBackup, updateRunningBackup } from '../model/running-backup.ts';

/** What the probe is billed as. */
export const probeReads = 1;

/** May run again at any point: what an earlier run did is found and kept. */
export const prepareBackup = async (tenant: Tenant, backupId: string, deps: BackupDeps): Promise<void> => {
  const backup = await get(backupKey.backup(tenant, backupId));
  if (backup?.status === 'pending') await begin(tenant, backup, deps);
  const { backup: begun } = await readRunningBackup(tenant, backupId, deps.clock.now());
  // Beyond this step, all that is done here was done.
  if (begun.phase !== 'preparing') return;
  const project = await readProject(tenant, begun.projectId);
  const keyed = begun.keyFile ? begun : await makeKey(tenant, begun, deps);
  await storeKey(tenant, keyed, deps);
  // What is made of another backup needs no source.
  const reads = keyed.synthesizedFrom === undefined ? await probe(tenant, project, keyed, deps) : 0;
  await commit([
    updateRunningBackup(tenant, backupId, { set: { phase: 'planning' }, add: { reads }, expected: { phase: 'preparing' } }),
  ]);
};

const begin = async (tenant: Tenant, backup: BackupRecord, { clock }: BackupDeps): Promise<void> => {
  const { id, projectId, storageDestination } = backup;
  const [project, destination, organization] = await Promise.all([
    readProject(tenant, projectId),
    readDestination(tenant, storageDestination.id),
    get(organizationKey.organization(tenant)) as Promise<OrganizationRecord | undefined>,
  ]);
  if (!organization) throw new JobEndedError('of an organization that is gone');
  const now = clock.now();
  const begun = {
    status: 'running',
    phase: 'preparing',
    startedAt: iso(now),
    deadline: iso(after(now, project.settings.backupTimeoutMinutes * 60)),
    // One moment for all its objects, whenever each is stored.
    lockedUntil: destination.objectLock ? iso(after(now, destination.objectLock.days * 24 * 3_600)) : null,
  } as const;
  try {
    await commit([
      set(backupKey.backup(tenant, id), begun, { expected: { status: 'pending' } }),
      // Without the project's lock there is nothing to begin.
      { check: projectKey.job(tenant, projectId), condition: 'jobId = :jobId', values: { ':jobId': id } },
      emit(tenant, 'backup.started', backupEvent({ ...backup, ...begun }, project, organization), now),
    ]);
  } catch (error) {
    // Another run has begun it, or it was cancelled: the next look tells.
    if (!isConflict(error)) throw error;
  }
};

/** Of two runs at once the first one's key is the backup's; the other takes it over. */
const makeKey = async (tenant: Tenant, backup: BackupRecord, deps: BackupDeps): Promise<BackupRecord> => {
  const { keyFile, encryption, check } = await deps.newDataKey(tenant, backup.archive);
  try {
    await commit([
      updateRunningBackup(tenant, backup.id, { set: { keyFile, encryption }, expected: { keyFile: undefined } }),
      check,
    ]);
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
  const { backup: keyed } = await readRunningBackup(tenant, backup.id, deps.clock.now());
  if (!keyed.keyFile) throw new Error('what wraps keys was changed at the same moment');
  return keyed;
};

/** The bucket's key is the record's, also if that is wrapped anew at the same moment. */
export const storeKey = async (tenant: Tenant, backup: BackupRecord, deps: BackupDeps): Promise<void> => {
  const destination = await readDestination(tenant, backup.storageDestination.id);
  const store = await deps.openStore(tenant, destination, backup.path);
  try {
    let stored: Uint8Array | undefined;
    let { keyFile } = backup;
    while (keyFile && !isSameKey(keyFile, stored)) {
      await store.put(keyFileName, keyFile, objectLockOf(backup));
      stored = keyFile;
      // It may have been wrapped anew since it was read.
      ({ keyFile } = (await readRunningBackup(tenant, backup.id, deps.clock.now())).backup);
    }
  } finally {
    store.close();
  }
};

/** Until when a store with object lock is to keep an object of this backup. */
export const objectLockOf = ({ lockedUntil }: BackupRecord): { readonly lockedUntil?: Date } =>
  lockedUntil === null ? {} : { lockedUntil: new Date(lockedUntil) };

/** What it was billed as. */
const probe = async (tenant: Tenant, project: ProjectRecord, { deadline }: BackupRecord, deps: BackupDeps): Promise<number> => {
  const source = deps.openSource(tenant, project);
  try {
    await probeSource(source, signalUntil(deadline, deps));
    return probeReads;
  } finally {
    source.close();
  }
};

/** A signal for calls that must not outlive the backup's time. */
export const signalUntil = (deadline: string | null, { clock }: Pick<BackupDeps, 'clock'>): AbortSignal =>
  AbortSignal.timeout(Math.max(0, Date.parse(deadline ?? '') - clock.now().getTime()) || 1);
