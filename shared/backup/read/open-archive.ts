/** Opens a backup in its bucket. Its key and the digest of its manifest come from the record, never from the bucket. */
import {
  Archive,
  ArchiveError,
  type Identity,
  type Manifest,
  manifestDigest,
  manifestName,
  maxManifestBytes,
  openManifest,
} from '../../archive/index.ts';
import { type DestinationRecord, type ObjectStore, readDestination, StorageError } from '../../destination/index.ts';
import { log, type Tenant } from '../../platform/index.ts';
import { type BackupDeps, backupDeps } from '../backup-deps.ts';
import type { BackupRecord } from '../model/record.ts';
import { findOwner } from '../model/shared-archives.ts';

/** A backup opened for reading. The caller closes it. */
export interface OpenArchive {
  readonly archive: Archive;
  readonly store: ObjectStore;
  /** The folder and data key of this archive, or of another one that it depends on. */
  readonly sourceOf: (archiveId: string) => Promise<ArchiveSource>;
  close(): void;
}

interface ArchiveSource {
  readonly store: ObjectStore;
  readonly dataKey: Buffer;
}

export interface ArchiveDeps extends Pick<BackupDeps, 'openStore' | 'dataKeyOf'> {
  /** Whether the header of every object that is read is verified, too. */
  readonly verifyHeaders?: boolean;
}

/**
 * Fetches the manifest, verifies it against the record's digest, and unwraps the data key. Objects are then read by ranges, each
 * verified against the manifest; one that fails is fetched once more before it counts as damaged.
 */
export const openArchive = async (
  tenant: Tenant,
  backup: BackupRecord,
  destination?: DestinationRecord,
  deps: ArchiveDeps = backupDeps,
): Promise<OpenArchive> => {
  const store = await deps.openStore(
    tenant,
    destination ?? (await readDestination(tenant, backup.storageDestination.id)),
    backup.path,
  );
  try {
    const [stored, dataKey] = await Promise.all([fetchManifest(store, backup.manifestDigest), deps.dataKeyOf(tenant, backup)]);
    const manifest = await openOwnManifest(stored, backup, dataKey);
    return openWithManifest(tenant, backup, { store, dataKey, manifest, deps });
  } catch (error) {
    store.close();
    throw error;
  }
};

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
const storedManifestMax = maxManifestBytes + (1 << 20);

/** The stored manifest, fetched once more if its digest is wrong. Rejects with `missing` if there is none. */
export const fetchManifest = async (store: ObjectStore, digest: string | undefined): Promise<Uint8Array> => {
  const found = await store.head(manifestName);
  if (found && found.size > storedManifestMax) throw new ArchiveError('too-large', `a manifest of ${found.size} bytes`);
  const stored = await store.get(manifestName);
  return digest === undefined || manifestDigest(stored) === digest ? stored : store.get(manifestName);
};

interface Opened {
  readonly store: ObjectStore;
  readonly dataKey: Buffer;
  readonly manifest: Manifest;
  readonly deps: ArchiveDeps;
}

/** Other archives that an incremental backup depends on have folders and data keys of their own, opened on demand. */
export const openWithManifest = (
  tenant: Tenant,
  backup: BackupRecord,
  { store, dataKey, manifest, deps }: Opened,
): OpenArchive => {
  const others = new Map<string, Promise<ArchiveSource>>();
  const sourceOf = (id: string): Promise<ArchiveSource> => {
    if (id === backup.archive.backup) return Promise.resolve({ store, dataKey });
    const known = others.get(id) ?? openOther(tenant, id, deps);
    others.set(id, known);
    // A failed attempt is not cached.
    known.catch(() => others.delete(id));
    return known;
  };
  const archive = new Archive(manifest, {
    fetch: async ({ backup: id, name }, offset, length) => (await sourceOf(id)).store.get(name, { offset, length }),
    dataKey: async (id) => (await sourceOf(id)).dataKey,
    verifiesHeaders: deps.verifyHeaders,
    onRetry: ({ name }, { code }) =>
      log.warn('an object of a backup failed its check and is read again', { backupId: backup.id, name, code }),
  });
  const close = (): void => {
    store.close();
    for (const other of others.values()) other.then((one) => one.store.close()).catch(() => undefined);
  };
  return { archive, store, sourceOf, close };
};

/** Opens an archive that this one depends on, through the backup that owns it. */
const openOther = async (tenant: Tenant, archiveId: string, deps: ArchiveDeps): Promise<ArchiveSource> => {
  const backup = await findOwner(tenant, archiveId);
  if (!backup) throw new StorageError('missing', `The backup ${archiveId}, which this one depends on, does not exist.`);
  const store = await deps.openStore(tenant, await readDestination(tenant, backup.storageDestination.id), backup.path);
  try {
    return { store, dataKey: await deps.dataKeyOf(tenant, backup) };
  } catch (error) {
    store.close();
    throw error;
  }
};
