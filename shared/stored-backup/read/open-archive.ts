/** Opens a backup in its bucket. Its key and the digest of its manifest come from the record, never from the bucket. */
import {
  Archive,
  ArchiveError,
  type Identity,
  keyFileName,
  type Manifest,
  manifestDigest,
  manifestName,
  maxKeyFileBytes,
  maxManifestBytes,
  openManifest,
} from '../../archive/index.ts';
import {
  type DestinationRecord,
  type ExpectedObject,
  type ObjectStore,
  objectThat,
  objectWithHash,
  overNewConnection,
  readDestination,
  readExpected,
  StorageError,
} from '../../destination/index.ts';
import { loadFilter } from '../../erasure/index.ts';
import type { ErasureFilter } from '../../firestore/index.ts';
import { log, type Tenant } from '../../platform/index.ts';
import { type BackupDeps, backupDeps } from '../backup-deps.ts';
import { isSameKey } from '../encryption/data-key.ts';
import type { BackupRecord } from '../model/record.ts';
import { findNeighbour, findOwner } from '../model/shared-archives.ts';
import { isDoubtful, readAgain } from './read-again.ts';

/** A backup opened for reading. The caller closes it. */
export interface OpenArchive {
  readonly archive: Archive;
  readonly store: ObjectStore;
  /** What the archive hides; undefined if nothing is erased, or if it was opened raw. */
  readonly erasures: ErasureFilter | undefined;
  /** The folder and data key of this archive, or of another one that it depends on. */
  readonly sourceOf: (archiveId: string) => Promise<ArchiveSource>;
  close(): void;
}

export interface ArchiveSource {
  readonly store: ObjectStore;
  readonly dataKey: Buffer;
  /** The key of the record; the bucket may hold another one. */
  readonly keyFile: Uint8Array | undefined;
}

export interface ArchiveDeps extends Pick<BackupDeps, 'openStore' | 'dataKeyOf'> {
  /** Whether the header of every object that is read is verified, too. */
  readonly verifyHeaders?: boolean;
  readonly loadFilter?: typeof loadFilter;
}

interface OpenOptions {
  readonly backup: BackupRecord;
  /** Read from the table if absent. */
  readonly destination?: DestinationRecord | undefined;
  readonly deps?: ArchiveDeps | undefined;
}

/** Opens a backup for a reader: erased documents are hidden, whatever the reader does. */
export const openArchive = (tenant: Tenant, { backup, destination, deps = backupDeps }: OpenOptions): Promise<OpenArchive> =>
  open(tenant, backup, { destination, deps, isRaw: false });

/**
 * Opens a backup with its erased documents, for work that shows none of them: verification, and building another archive that
 * readers open filtered, too.
 */
export const openRawArchive = (tenant: Tenant, { backup, destination, deps = backupDeps }: OpenOptions): Promise<OpenArchive> =>
  open(tenant, backup, { destination, deps, isRaw: true });

/**
 * Fetches the manifest, verifies it against the record's digest, and unwraps the data key. Objects are then read by ranges, each
 * verified against the manifest; one that fails is fetched twice more before it counts as damaged.
 */
const open = async (
  tenant: Tenant,
  backup: BackupRecord,
  { destination, deps, isRaw }: { destination: DestinationRecord | undefined; deps: ArchiveDeps; isRaw: boolean },
): Promise<OpenArchive> => {
  const store = await deps.openStore(
    tenant,
    destination ?? (await readDestination(tenant, backup.storageDestination.id)),
    backup.path,
  );
  try {
    const [stored, dataKey] = await Promise.all([fetchManifest(store, backup.manifestDigest), deps.dataKeyOf(tenant, backup)]);
    const manifest = await openOwnManifest(stored, backup, dataKey);
    const erasures = isRaw ? undefined : await filterFor(tenant, { backup, manifest, deps });
    return openWithManifest(tenant, backup, { store, dataKey, manifest, erasures, deps });
  } catch (error) {
    store.close();
    throw error;
  }
};

/** What a reader of the backup does not see. */
export const filterFor = (
  tenant: Tenant,
  {
    backup,
    manifest: { source },
    deps,
  }: { readonly backup: BackupRecord; readonly manifest: Manifest; readonly deps: ArchiveDeps },
): Promise<ErasureFilter | undefined> => (deps.loadFilter ?? loadFilter)(tenant, backup, `${source}/documents/`);

/** Decrypts the manifest; throws if it is not the one of the record. */
export const openOwnManifest = async (stored: Uint8Array, backup: BackupRecord, dataKey: Buffer): Promise<Manifest> => {
  try {
    return await openManifest(stored, { identity: identityOf(backup), dataKey, digest: backup.manifestDigest });
  } catch (error) {
    if (error instanceof ArchiveError) error.object ??= { backup: backup.archive.backup, name: manifestName };
    throw error;
  }
};

export const identityOf = ({ archive: { organization, project, backup } }: BackupRecord): Identity => ({
  organization,
  project,
  backup,
});

/** A manifest of 64 MiB plus the overhead of its encryption. */
export const storedManifestMax = maxManifestBytes + (1 << 20);

/**
 * The stored manifest, fetched again if its digest is wrong, and then from the version with the right one. Rejects with `missing` if
 * there is none.
 */
export const fetchManifest = async (store: ObjectStore, digest: string | undefined): Promise<Uint8Array> => {
  if (digest === undefined) return readManifest(store);
  const expected = manifestWith(digest);
  let stored: Uint8Array | undefined;
  try {
    return await readAgain(store, expected, async (from) => {
      stored = await readExpected(from, expected, () => readManifest(from));
      if (manifestDigest(stored) !== digest) throw new ArchiveError('hash-mismatch', 'the manifest has another digest');
      return stored;
    });
  } catch (error) {
    if (!stored || !(error instanceof ArchiveError)) throw error;
    // The caller says how it differs.
    return stored;
  }
};

/** The key of a record. The bucket may also keep the key from before it was wrapped anew. */
export const keyWith = (keyFile: Uint8Array | undefined): ExpectedObject =>
  objectThat(keyFileName, maxKeyFileBytes, (bytes) => isSameKey(keyFile ?? new Uint8Array(), bytes));

export const manifestWith = (digest: string | undefined): ExpectedObject =>
  objectThat(manifestName, storedManifestMax, (bytes) => manifestDigest(bytes) === digest);

const readManifest = async (store: ObjectStore): Promise<Uint8Array> => {
  const found = await store.head(manifestName);
  if (found && found.size > storedManifestMax) throw new ArchiveError('too-large', `a manifest of ${found.size} bytes`);
  return store.get(manifestName);
};

interface Opened {
  readonly store: ObjectStore;
  readonly dataKey: Buffer;
  readonly manifest: Manifest;
  readonly erasures: ErasureFilter | undefined;
  readonly deps: ArchiveDeps;
}

/** Other archives that an incremental backup depends on have folders and data keys of their own, opened on demand. */
export const openWithManifest = (
  tenant: Tenant,
  backup: BackupRecord,
  { store, dataKey, manifest, erasures, deps }: Opened,
): OpenArchive => {
  const others = new Map<string, Promise<ArchiveSource>>();
  const sourceOf = (id: string): Promise<ArchiveSource> => {
    if (id === backup.archive.backup) return Promise.resolve({ store, dataKey, keyFile: backup.keyFile });
    const known = others.get(id) ?? openOther(tenant, { archiveId: id, dependent: backup, deps });
    others.set(id, known);
    // A failed attempt is not cached.
    known.catch(() => others.delete(id));
    return known;
  };
  const archive = new Archive(manifest, {
    fetch: async (entry, { again, ...extent }) => {
      const own = (await sourceOf(entry.backup)).store;
      const object = objectWithHash(entry);
      const read = (from: ObjectStore) => readExpected(from, object, () => from.get(entry.name, extent));
      return again === 0 ? read(own) : overNewConnection(own, object, read);
    },
    isBadTransfer: isDoubtful,
    dataKey: async (id) => (await sourceOf(id)).dataKey,
    erasures,
    verifiesHeaders: deps.verifyHeaders,
    onRetry: async (entry, { message }) => {
      const { versions } = (await sourceOf(entry.backup)).store;
      const isOverwritten = (await versions?.select(objectWithHash(entry))) ?? false;
      const { name } = entry;
      log.warn('an object of a backup failed its check and is read again', {
        backupId: backup.id,
        name,
        reason: message,
        isOverwritten,
      });
    },
  });
  const close = (): void => {
    store.close();
    for (const other of others.values()) other.then((one) => one.store.close()).catch(() => undefined);
  };
  return { archive, store, erasures, sourceOf, close };
};

/** The backup whose objects are read for an archive that `dependent` needs: of several copies the one next to it, as without the service. */
export const ownerOf = async (tenant: Tenant, archiveId: string, dependent: BackupRecord): Promise<BackupRecord | undefined> =>
  (await findNeighbour(tenant, archiveId, dependent)) ?? (await findOwner(tenant, archiveId));

/** Opens an archive that this one depends on, through the backup that owns it. */
const openOther = async (
  tenant: Tenant,
  { archiveId, dependent, deps }: { readonly archiveId: string; readonly dependent: BackupRecord; readonly deps: ArchiveDeps },
): Promise<ArchiveSource> => {
  const backup = await ownerOf(tenant, archiveId, dependent);
  if (!backup) throw new StorageError('missing', `The backup ${archiveId}, which this one depends on, does not exist.`);
  const store = await deps.openStore(tenant, await readDestination(tenant, backup.storageDestination.id), backup.path);
  try {
    return { store, dataKey: await deps.dataKeyOf(tenant, backup), keyFile: backup.keyFile };
  } catch (error) {
    store.close();
    throw error;
  }
};
