/** The last step: proves that every object is stored, writes the manifest, reads it back, and only then completes the backup. */
import { keyFileName } from '../../archive/index.ts';
import { type ObjectStore, readDestination, StorageError } from '../../destination/index.ts';
import { JobFailure } from '../../job/index.ts';
import { bestEffort, commit, get, type Tenant } from '../../platform/index.ts';
import { readProject } from '../../project/index.ts';
import type { BackupDeps } from '../backup-deps.ts';
import { isSameKey } from '../encryption/data-key.ts';
import { removeNotes } from '../end/delete-work-items.ts';
import { openParent, type ParentArchive } from '../incremental/parent-archive.ts';
import { type BackupRecord, backupKey } from '../model/record.ts';
import { advance, readRunning } from '../model/running-backup.ts';
import { storeKey } from '../steps/prepare-backup.ts';
import { contentsOf, type Notes, readNotes } from './archive-contents.ts';
import { completeBackup } from './complete-backup.ts';
import { proveKept, proveObjects, removeOrphans, storeManifest } from './write-manifest.ts';

/** May run again at any point: everything it writes is made of the workers' notes alone, so a second run writes the same. */
export const sealBackup = async (tenant: Tenant, backupId: string, engine: BackupDeps): Promise<void> => {
  const found = await get(backupKey.backup(tenant, backupId));
  // The answer of an earlier run was lost.
  if (found?.status !== 'completed') await seal(tenant, backupId, engine);
  await bestEffort('remove the notes of a backup', removeNotes(tenant, backupId));
};

const seal = async (tenant: Tenant, backupId: string, engine: BackupDeps): Promise<void> => {
  const { backup, organization } = await readRunning(tenant, backupId, engine.clock.now());
  await commit([advance(tenant, backupId, { set: { phase: 'sealing' } })]);
  const [project, destination, notes] = await Promise.all([
    readProject(tenant, backup.projectId),
    readDestination(tenant, backup.storageDestination.id),
    readNotes(tenant, backup),
  ]);
  const store = await engine.openStore(tenant, destination, backup.path);
  let parent: ParentArchive | undefined;
  try {
    await proveKey(tenant, store, backup, engine);
    await proveObjects(store, notes);
    if (backup.synthesizedFrom !== undefined) proveSame(backup, notes);
    parent = await openParent(tenant, backup, engine);
    if (parent) await proveKept(parent, notes);
    const dataKey = await engine.dataKeyOf(tenant, backup);
    const completion = await storeManifest(store, backup, project, notes, dataKey, parent?.manifest);
    await bestEffort('remove what given-up workers left', removeOrphans(store, backup, notes));
    await completeBackup({ tenant, project, organization }, backup, completion, engine.clock);
  } finally {
    store.close();
    parent?.close();
  }
};

/** What is made of another backup holds as many documents as that one: the plan was told how many. */
const proveSame = ({ totalDocuments, synthesizedFrom }: BackupRecord, notes: Notes): void => {
  const { documents } = contentsOf(notes);
  if (documents !== totalDocuments)
    throw new JobFailure('COUNT_MISMATCH', `${documents} of the ${totalDocuments} documents of ${synthesizedFrom} were copied`);
};

/** Without its key in the bucket nobody but us could read the backup: one that was lost or changed since is stored anew. */
const proveKey = async (tenant: Tenant, store: ObjectStore, { id }: BackupRecord, engine: BackupDeps): Promise<void> => {
  for (let isMended = false; ; isMended = true) {
    const stored = await store.get(keyFileName).catch(asMissing);
    const { backup } = await readRunning(tenant, id, engine.clock.now());
    if (backup.keyFile && isSameKey(backup.keyFile, stored)) return;
    if (isMended) throw new StorageError('invalid', 'The destination gives another key than was stored.');
    await storeKey(tenant, backup, engine);
  }
};

const asMissing = (error: unknown): undefined => {
  if (!(error instanceof StorageError) || error.code !== 'missing' || error.bucket) throw error;
};
