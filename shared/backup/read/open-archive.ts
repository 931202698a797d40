/** Opening a backup where it lies. How it is encrypted and which manifest is its own is known from our record, never from the bucket. */
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

/** A backup that is open for reading; whoever opened it closes it. */
export interface OpenArchive {
  readonly archive: Archive;
  /** The folder of the backup's own objects. */
  readonly store: ObjectStore;
  /** Where the objects lie, and what opens them, of this backup or of an earlier one in whose chunks it finds records. */
  readonly partOf: (archiveId: string) => Promise<Part>;
  close(): void;
}

interface Part {
  readonly store: ObjectStore;
  readonly dataKey: Buffer;
}

export interface Doors extends Pick<BackupDeps, 'openStore' | 'dataKeyOf'> {
  /** Whether of every object that is read its beginning is proven, too. */
  readonly provesHeaders?: boolean;
}

/**
 * Fetches the manifest, proves that it is the one the record knows, and opens the data key. Parts of it are then read by
 * ranges, each proven by the manifest; one that fails its check is fetched once more before it counts as damaged.
 */
export const openArchive = async (
  tenant: Tenant,
  backup: BackupRecord,
  destination?: DestinationRecord,
  doors: Doors = backupDeps,
): Promise<OpenArchive> => {
  const place = destination ?? (await readDestination(tenant, backup.storageDestination.id));
  const store = await doors.openStore(tenant, place, backup.path);
  try {
    const [stored, dataKey] = await Promise.all([fetchManifest(store, backup.manifestDigest), doors.dataKeyOf(tenant, backup)]);
    const manifest = await openOwnManifest(stored, backup, dataKey);
    return openParts(tenant, backup, { store, dataKey, manifest, doors });
  } catch (error) {
    store.close();
    throw error;
  }
};

/** The manifest that the record knows, and no other. */
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

/** Larger than a manifest of 64 MiB by what sealing it in pieces of 8 MiB adds. */
const storedManifestMax = maxManifestBytes + (1 << 20);

/** The stored manifest, fetched once more if it is not what it should be. Rejects with `missing` where there is none. */
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
  readonly doors: Doors;
}

/** Objects of earlier backups, in whose chunks an incremental one finds its records, lie in folders and under keys of their own. */
export const openParts = (tenant: Tenant, backup: BackupRecord, { store, dataKey, manifest, doors }: Opened): OpenArchive => {
  const others = new Map<string, Promise<Part>>();
  const partOf = (id: string): Promise<Part> => {
    if (id === backup.archive.backup) return Promise.resolve({ store, dataKey });
    const known = others.get(id) ?? openOther(tenant, id, doors);
    others.set(id, known);
    // What failed may succeed for the next who asks.
    known.catch(() => others.delete(id));
    return known;
  };
  const archive = new Archive(manifest, {
    fetch: async ({ backup: id, name }, offset, length) => (await partOf(id)).store.get(name, { offset, length }),
    dataKey: async (id) => (await partOf(id)).dataKey,
    verifiesHeaders: doors.provesHeaders,
    onRetry: ({ name }, { code }) =>
      log.warn('a part of a backup failed its check and is read again', { backupId: backup.id, name, code }),
  });
  const close = (): void => {
    store.close();
    for (const other of others.values()) other.then((one) => one.store.close()).catch(() => undefined);
  };
  return { archive, store, partOf, close };
};

/** Where an archive lies that another finds records in: with the backup it is of, or one that was imported. */
const openOther = async (tenant: Tenant, archiveId: string, doors: Doors): Promise<Part> => {
  const backup = await findOwner(tenant, archiveId);
  if (!backup) throw new StorageError('missing', `The earlier backup ${archiveId}, which this one needs, is not there.`);
  const store = await doors.openStore(tenant, await readDestination(tenant, backup.storageDestination.id), backup.path);
  try {
    return { store, dataKey: await doors.dataKeyOf(tenant, backup) };
  } catch (error) {
    store.close();
    throw error;
  }
};
