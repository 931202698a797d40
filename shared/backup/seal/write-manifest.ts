/** Turns stored parts into an archive: checks every object, writes the manifest, deletes everything else in the folder. */
import { createHmac } from 'node:crypto';
import { keyFileName, type Manifest, manifestDigest, manifestName, sealManifest } from '../../archive/index.ts';
import { type ObjectStore, StorageError } from '../../destination/index.ts';
import { log, mapConcurrent } from '../../platform/index.ts';
import type { ProjectRecord } from '../../project/index.ts';
import type { ParentArchive } from '../incremental/parent-archive.ts';
import type { BackupRecord } from '../model/record.ts';
import { objectLockOf } from '../steps/prepare-backup.ts';
import {
  type ArchiveParts,
  dependencyArchives,
  inheritedObjects,
  manifestOf,
  objectsOf,
  summarizeContents,
} from './archive-contents.ts';
import type { Completion } from './complete-backup.ts';

export const sealConcurrency = 16;

/**
 * Throws if an object is missing or has another size. Contents cannot be compared here, because stores compute their own
 * checksums of multipart uploads; a verification reads them.
 */
export const assertObjectsStored = async (store: ObjectStore, { parts }: Pick<ArchiveParts, 'parts'>): Promise<void> => {
  await mapConcurrent(parts.flatMap(objectsOf), sealConcurrency, async ({ name, size }) => {
    const stored = await store.head(name);
    if (stored?.size !== size)
      throw new StorageError('invalid', `The destination has ${stored?.size ?? 'none'} of the ${size} bytes of ${name}.`);
  });
};

/** The same for the chunks of earlier backups that it inherits records from. */
export const assertInheritedStored = async (parent: ParentArchive, { parts }: Pick<ArchiveParts, 'parts'>): Promise<void> => {
  await mapConcurrent(inheritedObjects({ parts }, parent.manifest), sealConcurrency, (entry) =>
    parent.read(() => parent.assertStored(entry)),
  );
};

export const writeManifest = async (
  store: ObjectStore,
  backup: BackupRecord,
  project: Pick<ProjectRecord, 'sourceProjectId' | 'databaseId'>,
  parts: ArchiveParts,
  dataKey: Buffer,
  parent?: Manifest,
): Promise<Completion> => {
  const contents = summarizeContents(parts);
  const manifest = manifestOf(backup, project, parts, contents, parent);
  const random = (bytes: number): Buffer => deterministicBytes(manifest, dataKey, bytes);
  const { bytes, digest } = sealManifest(manifest, { identity: backup.archive, dataKey, random });
  await store.put(manifestName, bytes, objectLockOf(backup));
  if (manifestDigest(await store.get(manifestName)) !== digest)
    throw new StorageError('invalid', 'The destination returns another manifest than was stored.');
  const size = contents.storedSize + bytes.length + (backup.keyFile?.length ?? 0);
  return { contents, size, manifestDigest: digest, needs: dependencyArchives(manifest) };
};

/**
 * Derives salt and nonce prefix from the contents and the data key. Every run encrypts the same manifest to the same bytes, so a
 * delayed run overwrites it with itself, and no two manifests share a key and nonce.
 */
const deterministicBytes = (manifest: Manifest, dataKey: Buffer, bytes: number): Buffer =>
  createHmac('sha512', dataKey)
    .update('FBK2 manifest noise')
    .update(JSON.stringify(manifest, sortKeys))
    .digest()
    .subarray(0, bytes);

/** The table returns the attributes of a map in any order. */
const sortKeys = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

/** Deletes objects of abandoned runs, which no work item names. */
export const deleteOrphans = async (
  store: ObjectStore,
  { id }: Pick<BackupRecord, 'id'>,
  { parts }: Pick<ArchiveParts, 'parts'>,
): Promise<void> => {
  const kept = new Set([keyFileName, manifestName, ...parts.flatMap(objectsOf).map(({ name }) => name)]);
  const orphans: string[] = [];
  for await (const { name } of store.list('')) if (!kept.has(name)) orphans.push(name);
  const uploads = await store.abortUnfinishedUploads('');
  if (orphans.length + uploads > 0) log.info('deleting the objects of abandoned runs', { id, objects: orphans.length, uploads });
  await store.remove(orphans);
};
