/** Turns stored parts into an archive: checks every object, writes the manifest, deletes everything else in the folder. */
import { createHmac } from 'node:crypto';
import { keyFileName, type Manifest, manifestName, type ObjectEntry, objectKind, sealManifest } from '../../archive/index.ts';
import type { Configuration } from '../../contract/models/configuration.ts';
import {
  abortUploadsOf,
  checksumMismatch,
  hasChecksum,
  type ObjectStore,
  readBack,
  StorageError,
} from '../../destination/index.ts';
import { log, mapConcurrent } from '../../platform/index.ts';
import type { ProjectRecord } from '../../project/index.ts';
import type { CompletedArchive } from '../model/backup-fields.ts';
import { type ChainLockResult, ChainLocks, extendGenuine } from '../model/chain-locks.ts';
import {
  assertPlanned,
  type BackupRecord,
  objectLockOf,
  type PartContents,
  type ShardRecord,
  type StoredDelta,
} from '../model/record.ts';
import { unstoredObjects } from '../model/unstored-objects.ts';
import { keyWith, manifestWith, type OpenArchive } from '../read/open-archive.ts';
import { type ArchiveParts, dependencyArchives, manifestOf, ownObjects, summarizeContents } from './archive-contents.ts';

export interface Completion extends CompletedArchive {
  /** Other archives whose chunks its manifest lists. */
  readonly needs: readonly string[];
  readonly locks?: ChainLockResult;
}

export const sealConcurrency = 16;

/**
 * Throws if an object is missing, or if the store reports another size or checksum than was sent. A store that reports no such
 * checksum (an S3-compatible one with KMS encryption) is asked for the size alone; a full verification reads the contents.
 */
export const assertObjectsStored = async (
  store: ObjectStore,
  { parts, delta }: Pick<ArchiveParts, 'parts' | 'delta'>,
  locks = new ChainLocks(null),
): Promise<void> => {
  await mapConcurrent([...sentDelta(delta), ...parts.flatMap(sentObjects)], sealConcurrency, async ({ name, size, checksum }) => {
    const stored = await store.head(name);
    if (stored?.size !== size)
      throw new StorageError('invalid', `The destination has ${stored?.size ?? 'none'} of the ${size} bytes of ${name}.`);
    if (hasChecksum(stored, checksum) === false)
      throw checksumMismatch({ object: name, expected: checksum ?? '', actual: stored.checksums?.join(', ') }, true);
    await locks.extend(store, name, stored);
  });
};

const sentDelta = (delta: StoredDelta | undefined) =>
  delta ? [...sent(delta.chunk, delta.checksum), ...sent(delta.filter, delta.filterChecksum)] : [];

const sentObjects = ({ chunk, copied, filter, copiedFilter, index, checksums }: PartContents) => [
  ...sent(chunk, checksums?.chunk),
  ...sent(copied, checksums?.copied),
  ...sent(index, checksums?.index),
  ...sent(filter, checksums?.filter),
  ...sent(copiedFilter, checksums?.copiedFilter),
];

const sent = (entry: ObjectEntry | undefined, checksum: string | undefined) =>
  entry ? [{ name: entry.name, size: entry.size, checksum }] : [];

/** Extends the locks of the key and the manifest, and of the keys of the archives it depends on. */
export const extendKeyLocks = async (
  store: ObjectStore,
  {
    backup: { keyFile },
    completion: { needs, manifestDigest },
    parent,
    locks,
  }: {
    readonly backup: Pick<BackupRecord, 'keyFile'>;
    readonly completion: Pick<Completion, 'needs' | 'manifestDigest'>;
    readonly parent: Pick<OpenArchive, 'sourceOf'> | undefined;
    readonly locks: ChainLocks;
  },
): Promise<void> => {
  await extendGenuine(store, keyWith(keyFile), locks);
  await extendGenuine(store, manifestWith(manifestDigest), locks);
  if (!parent) return;
  for (const archiveId of needs) {
    const other = await parent.sourceOf(archiveId);
    await extendGenuine(other.store, keyWith(other.keyFile), locks);
  }
};

export const writeManifest = async (
  store: ObjectStore,
  {
    backup,
    project,
    parts,
    dataKey,
    parent,
    configuration,
  }: {
    readonly backup: BackupRecord;
    readonly project: Pick<ProjectRecord, 'sourceProjectId' | 'databaseId'>;
    readonly parts: ArchiveParts;
    readonly dataKey: Buffer;
    readonly parent?: Manifest | undefined;
    readonly configuration?: Configuration | undefined;
  },
): Promise<Completion> => {
  const contents = summarizeContents(parts);
  const manifest = manifestOf(assertPlanned(backup), { project, archiveParts: parts, contents, parent, configuration });
  const random = (bytes: number): Buffer => deterministicBytes(manifest, dataKey, bytes);
  const { bytes, digest } = sealManifest(manifest, { identity: backup.archive, dataKey, random });
  await store.put(manifestName, bytes, objectLockOf(backup));
  await readBack(store, manifestName, bytes);
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
  {
    shards,
    parts,
    delta,
  }: Pick<ArchiveParts, 'parts' | 'delta'> & { readonly shards: readonly Pick<ShardRecord, 'number' | 'parts'>[] },
): Promise<void> => {
  const kept = new Set([keyFileName, manifestName, ...ownObjects({ parts, delta }).map(({ name }) => name)]);
  const orphans: string[] = [];
  for await (const { name } of store.list('')) if (!kept.has(name) && objectKind(name) !== 'erasures') orphans.push(name);
  const uploads = await abortUploadsOf(store, unstoredObjects(shards, parts));
  if (orphans.length + uploads > 0) log.info('deleting the objects of abandoned runs', { id, objects: orphans.length, uploads });
  await store.remove(orphans);
};
