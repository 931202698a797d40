/** How the parts of an archive become one: every object proven, one manifest of them all, and nothing else beside it. */
import { createHmac } from 'node:crypto';
import { keyFileName, type Manifest, manifestDigest, manifestName, sealManifest } from '../../archive/index.ts';
import { type ObjectStore, StorageError } from '../../destination/index.ts';
import { log } from '../../platform/index.ts';
import type { ProjectRecord } from '../../project/index.ts';
import type { ParentArchive } from '../incremental/parent-archive.ts';
import type { BackupRecord } from '../model/record.ts';
import { objectLockOf } from '../steps/prepare-backup.ts';
import {
  type ArchiveParts,
  dependencyArchives,
  keptObjects,
  manifestOf,
  objectsOf,
  summarizeContents,
} from './archive-contents.ts';
import type { Completion } from './complete-backup.ts';

/** Questions asked of the store at once. */
export const lanes = 16;

/**
 * A store that lost an object, or has one of another size in its place, is asked before anyone relies on it. What it says of the
 * contents cannot be compared: objects come in parts, of which stores know checksums of their own making only. Another of the
 * same size is found by a verification, which reads it.
 */
export const assertObjectsStored = (store: ObjectStore, { parts }: Pick<ArchiveParts, 'parts'>): Promise<void> =>
  inLanes(parts.flatMap(objectsOf), async ({ name, size }) => {
    const stored = await store.head(name);
    if (stored?.size !== size)
      throw new StorageError('invalid', `The destination has ${stored?.size ?? 'none'} of the ${size} bytes of ${name}.`);
  });

/** The same of the chunks of earlier backups that it keeps records in. */
export const assertInheritedStored = (parent: ParentArchive, { parts }: Pick<ArchiveParts, 'parts'>): Promise<void> =>
  inLanes(keptObjects({ parts }, parent.manifest), (entry) => parent.read(() => parent.assertStored(entry)));

const inLanes = async <T>(items: readonly T[], run: (item: T) => Promise<void>): Promise<void> => {
  const left = items.values();
  const lane = async (): Promise<void> => {
    for (const item of left) await run(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
};

/** Writes the manifest of an archive, and reads it back. */
export const writeManifest = async (
  store: ObjectStore,
  backup: BackupRecord,
  project: Pick<ProjectRecord, 'sourceProjectId' | 'databaseId'>,
  notes: ArchiveParts,
  dataKey: Buffer,
  parent?: Manifest,
): Promise<Completion> => {
  const contents = summarizeContents(notes);
  const manifest = manifestOf(backup, project, notes, contents, parent);
  const random = (bytes: number): Buffer => noiseOf(manifest, dataKey, bytes);
  const { bytes, digest } = sealManifest(manifest, { identity: backup.archive, dataKey, random });
  await store.put(manifestName, bytes, objectLockOf(backup));
  if (manifestDigest(await store.get(manifestName)) !== digest)
    throw new StorageError('invalid', 'The destination gives another manifest than was stored.');
  const size = contents.storedSize + bytes.length + (backup.keyFile?.length ?? 0);
  return { contents, size, manifestDigest: digest, needs: dependencyArchives(manifest) };
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

/** Removes what workers have stored that no note names. */
export const deleteOrphans = async (
  store: ObjectStore,
  { id }: Pick<BackupRecord, 'id'>,
  { parts }: Pick<ArchiveParts, 'parts'>,
): Promise<void> => {
  const kept = new Set([keyFileName, manifestName, ...parts.flatMap(objectsOf).map(({ name }) => name)]);
  const orphans: string[] = [];
  for await (const { name } of store.list('')) if (!kept.has(name)) orphans.push(name);
  const abandoned = await store.abortUnfinishedUploads('');
  if (orphans.length + abandoned > 0) log.info('removing what given-up workers left', { id, objects: orphans.length, abandoned });
  await store.remove(orphans);
};
