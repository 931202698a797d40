/** The last step: proves that every object is stored, writes the manifest, reads it back, and only then completes the backup. */
import { keyFileName } from '../../archive/index.ts';
import { type ObjectStore, readDestination, StorageError } from '../../destination/index.ts';
import { JobFailure } from '../../job/index.ts';
import { bestEffort, commit, get, type Tenant } from '../../platform/index.ts';
import { readProject } from '../../project/index.ts';
import type { BackupDeps } from '../backup-deps.ts';
import { isSameKey } from '../encryption/data-key.ts';
import { deleteWorkItems } from '../end/delete-work-items.ts';
import { openParent, type ParentArchive } from '../incremental/parent-archive.ts';
import { type BackupRecord, backupKey } from '../model/record.ts';
import { readRunningBackup, updateRunningBackup } from '../model/running-backup.ts';
import { storeKey } from '../steps/prepare-backup.ts';
import { readWorkItems, summarizeContents, type WorkItems } from './archive-contents.ts';
import { completeBackup } from './complete-backup.ts';
import { assertInheritedStored, assertObjectsStored, deleteOrphans, writeManifest } from './write-manifest.ts';

/** May run again at any point: everything it writes is made of the workers' notes alone, so a second run writes the same. */
export const sealBackup = async (tenant: Tenant, backupId: string, deps: BackupDeps): Promise<void> => {
  const found = await get(backupKey.backup(tenant, backupId));
  // The answer of an earlier run was lost.
  if (found?.status !== 'completed') await seal(tenant, backupId, deps);
  await bestEffort('remove the notes of a backup', deleteWorkItems(tenant, backupId));
};

const seal = async (tenant: Tenant, backupId: string, deps: BackupDeps): Promise<void> => {
  const { backup, organization } = await readRunningBackup(tenant, backupId, deps.clock.now());
  await commit([updateRunningBackup(tenant, backupId, { set: { phase: 'sealing' } })]);
  const [project, destination, notes] = await Promise.all([
    readProject(tenant, backup.projectId),
    readDestination(tenant, backup.storageDestination.id),
    readWorkItems(tenant, backup),
  ]);
  const store = await deps.openStore(tenant, destination, backup.path);
  let parent: ParentArchive | undefined;
  try {
    await proveKey(tenant, store, backup, deps);
    await assertObjectsStored(store, notes);
    if (backup.synthesizedFrom !== undefined) proveSame(backup, notes);
    parent = await openParent(tenant, backup, deps);
    if (parent) await assertInheritedStored(parent, notes);
    const dataKey = await deps.dataKeyOf(tenant, backup);
    const completion = await writeManifest(store, backup, project, notes, dataKey, parent?.manifest);
    await bestEffort('remove what given-up workers left', deleteOrphans(store, backup, notes));
    await completeBackup({ tenant, project, organization }, backup, completion, deps.clock);
  } finally {
    store.close();
    parent?.close();
  }
};

/** What is made of another backup holds as many documents as that one: the plan was told how many. */
const proveSame = ({ totalDocuments, synthesizedFrom }: BackupRecord, notes: WorkItems): void => {
  const { documents } = summarizeContents(notes);
  if (documents !== totalDocuments)
    throw new JobFailure('COUNT_MISMATCH', `${documents} of the ${totalDocuments} documents of ${synthesizedFrom} were copied`);
};

/** Without its key in the bucket nobody but us could read the backup: one that was lost or changed since is stored anew. */
const proveKey = async (tenant: Tenant, store: ObjectStore, { id }: BackupRecord, deps: BackupDeps): Promise<void> => {
  for (let isMended = false; ; isMended = true) {
    const stored = await store.get(keyFileName).catch(asMissing);
    const { backup } = await readRunningBackup(tenant, id, deps.clock.now());
    if (backup.keyFile && isSameKey(backup.keyFile, stored)) return;
    if (isMended) throw new StorageError('invalid', 'The destination gives another key than was stored.');
    await storeKey(tenant, backup, deps);
  }
};

const asMissing = (error: unknown): undefined => {
  if (!(error instanceof StorageError) || error.code !== 'missing' || error.bucket) throw error;
};
