/** The last step: proves that every object is stored, writes the manifest, reads it back, and only then completes the backup. */
import { createHmac } from 'node:crypto';
import { keyFileName, type Manifest, manifestDigest, manifestName, sealManifest } from '../archive/index.ts';
import { readDestination, StorageError, type Store } from '../destination/index.ts';
import { bestEffort, commit, get, log, type Tenant } from '../platform/index.ts';
import { type ProjectRecord, readProject } from '../project/index.ts';
import { type Completion, completeBackup } from './completion.ts';
import { contentsOf, manifestOf, type Notes, readNotes } from './contents.ts';
import type { Engine } from './engine.ts';
import { isSameKey } from './key.ts';
import { removeNotes } from './notes.ts';
import { lockOf, storeKey } from './prepare.ts';
import { type BackupRecord, backupKey } from './record.ts';
import { advance, readRunning } from './running.ts';

/** May run again at any point: everything it writes is made of the workers' notes alone, so a second run writes the same. */
export const sealBackup = async (tenant: Tenant, backupId: string, engine: Engine): Promise<void> => {
  const found = (await get(backupKey.backup(tenant, backupId))) as BackupRecord | undefined;
  // The answer of an earlier run was lost.
  if (found?.status !== 'completed') await seal(tenant, backupId, engine);
  await bestEffort('remove the notes of a backup', removeNotes(tenant, backupId));
};

const seal = async (tenant: Tenant, backupId: string, engine: Engine): Promise<void> => {
  const { backup, organization } = await readRunning(tenant, backupId, engine.clock.now());
  await commit([advance(tenant, backupId, { set: { phase: 'sealing' } })]);
  const [project, destination, notes] = await Promise.all([
    readProject(tenant, backup.projectId),
    readDestination(tenant, backup.storageDestination.id),
    readNotes(tenant, backup),
  ]);
  const store = await engine.openStore(tenant, destination, backup.path);
  try {
    await proveKey(tenant, store, backup, engine);
    await proveObjects(store, notes);
    const dataKey = await engine.dataKeyOf(tenant, backup);
    const completion = await storeManifest(store, backup, project, notes, dataKey);
    await bestEffort('remove what given-up workers left', removeOrphans(store, backup, notes));
    await completeBackup({ tenant, project, organization }, backup, completion, engine.clock);
  } finally {
    store.close();
  }
};

/** Questions asked of the store at once. */
const lanes = 16;

/** Without its key in the bucket nobody but us could read the backup: one that was lost or changed since is stored anew. */
const proveKey = async (tenant: Tenant, store: Store, { id }: BackupRecord, engine: Engine): Promise<void> => {
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

/**
 * A store that lost an object, or has one of another size in its place, is asked before anyone relies on it. What it says of the
 * contents cannot be compared: objects come in parts, of which stores know checksums of their own making only. Another of the
 * same size is found by a verification, which reads it.
 */
const proveObjects = async (store: Store, { parts }: Notes): Promise<void> => {
  const entries = parts.flatMap(({ chunk, index }) => [chunk, index]).values();
  const lane = async (): Promise<void> => {
    for (const { name, size } of entries) {
      const stored = await store.head(name);
      if (stored?.size !== size)
        throw new StorageError('invalid', `The destination has ${stored?.size ?? 'none'} of the ${size} bytes of ${name}.`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
};

const storeManifest = async (
  store: Store,
  backup: BackupRecord,
  project: ProjectRecord,
  notes: Notes,
  dataKey: Buffer,
): Promise<Completion> => {
  const contents = contentsOf(notes);
  const manifest = manifestOf(backup, project, notes, contents);
  const random = (bytes: number): Buffer => noiseOf(manifest, dataKey, bytes);
  const { bytes, digest } = sealManifest(manifest, { identity: backup.archive, dataKey, random });
  await store.put(manifestName, bytes, lockOf(backup));
  if (manifestDigest(await store.get(manifestName)) !== digest)
    throw new StorageError('invalid', 'The destination gives another manifest than was stored.');
  const size = contents.storedSize + bytes.length + (backup.keyFile?.length ?? 0);
  return { contents, size, manifestDigest: digest };
};

/**
 * Salt and nonce prefix follow from the contents under the data key: the same manifest is sealed to the same bytes by whoever
 * seals it, so a worker that wakes late replaces it by itself, and another manifest never meets the same key and nonce.
 */
const noiseOf = (manifest: Manifest, dataKey: Buffer, bytes: number): Buffer =>
  createHmac('sha512', dataKey)
    .update('FBK2 manifest noise')
    .update(JSON.stringify(manifest, inOrder))
    .digest()
    .subarray(0, bytes);

/** The table gives the attributes of a map in any order. */
const inOrder = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

const removeOrphans = async (store: Store, { id }: BackupRecord, { parts }: Notes): Promise<void> => {
  const kept = new Set([keyFileName, manifestName, ...parts.flatMap(({ chunk, index }) => [chunk.name, index.name])]);
  const orphans: string[] = [];
  for await (const { name } of store.list('')) if (!kept.has(name)) orphans.push(name);
  const abandoned = await store.abandon('');
  if (orphans.length + abandoned > 0) log.info('removing what given-up workers left', { id, objects: orphans.length, abandoned });
  await store.remove(orphans);
};
