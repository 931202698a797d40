/** Opens a backup from its folder and its key alone. */
import {
  Archive,
  ArchiveError,
  claimedIdentity,
  type Identity,
  keyFileName,
  type Manifest,
  manifestDigest,
  manifestName,
  openManifest,
} from '../../shared/archive/index.ts';
import { StorageError } from '../../shared/destination/index.ts';
import { DataKeys, type KeyOptions, type OpenedKey } from './data-keys.ts';
import { damaged, type Failure, failureOf, unusable } from './failure.ts';
import type { BackupLocation } from './open-location.ts';
import type { ReadOnlyStore } from './read-only-directory-store.ts';
import { readSmallObject } from './read-small-object.ts';

/** An object of this backup or of an earlier one that it references. */
export interface ObjectId {
  readonly backup: string;
  readonly name: string;
}

export interface OpenBackup {
  readonly identity: Identity;
  readonly manifest: Manifest;
  readonly digest: string;
  readonly archive: Archive;
  /** What opened the data key. The owner of that key can forge the whole backup. */
  readonly openedBy: string;
  dataKey(backup: string): Promise<Buffer>;
  /** Reads a range of an object. A missing or short object is damage. */
  read(object: ObjectId, offset: number, length: number): Promise<Uint8Array>;
  sizeOf(object: ObjectId): Promise<number | undefined>;
  /** The failure if the folder or the key of a referenced earlier backup is missing. */
  findMissing(backup: string): Promise<Failure | undefined>;
}

/** `digest`, if known, must match the manifest. */
export const openBackup = async (
  location: BackupLocation,
  options: KeyOptions & { readonly digest?: string | undefined },
): Promise<OpenBackup> => {
  const sealed = await readSmallObject(location.store, '', manifestName);
  const identity = orFailure(() => claimedIdentity(sealed), manifestName);
  const digest = manifestDigest(sealed);
  if (options.digest !== undefined && options.digest !== digest)
    throw damaged(manifestName, 'does not match the digest: it belongs to another backup, is older or was modified');
  const keys = new DataKeys(options);
  const opened = new Map<string, Promise<OpenedKey>>();
  const locate = (backup: string): { readonly store: ReadOnlyStore; readonly folder: string } => {
    if (backup === identity.backup) return { store: location.store, folder: '' };
    if (location.parentStore) return { store: location.parentStore, folder: `${backup}/` };
    throw unusable(`the backup references ${backup}, whose folder must be next to it under that name`);
  };
  const lackOf = async (backup: string): Promise<Failure | undefined> => {
    const { store, folder } = locate(backup);
    const hasObjects = !(await store.list(folder)[Symbol.asyncIterator]().next()).done;
    if (!hasObjects)
      return damaged(
        backup,
        `is missing: ${identity.backup} references it, so it must exist as ${location.parentPath}/${backup}`,
      );
    const hasKey = keys.isProvided(backup, backup === identity.backup) || (await store.head(`${folder}${keyFileName}`));
    return hasKey ? undefined : damaged(`${backup}/${keyFileName}`, 'is missing, and no key was provided for that backup');
  };
  const readKey = async (backup: string): Promise<Uint8Array> => {
    const { store, folder } = locate(backup);
    const missing = backup === identity.backup ? undefined : await lackOf(backup);
    if (missing) throw missing;
    return readSmallObject(store, folder, keyFileName, `${backup}/${keyFileName}`);
  };
  const open = (backup: string): Promise<OpenedKey> => {
    const isOwn = backup === identity.backup;
    const key = opened.get(backup) ?? keys.open({ ...identity, backup }, isOwn, () => readKey(backup));
    opened.set(backup, key);
    return key;
  };
  const dataKey = async (backup: string): Promise<Buffer> => (await open(backup)).dataKey;
  const take = async ({ backup, name }: ObjectId, offset: number, length: number): Promise<Uint8Array> => {
    const { store, folder } = locate(backup);
    try {
      return await store.get(`${folder}${name}`, { offset, length });
    } catch (error) {
      const isShort = error instanceof StorageError && error.code === 'invalid';
      throw isShort ? damaged(`${backup}/${name}`, 'is shorter than expected', error) : failureOf(error, `${backup}/${name}`);
    }
  };
  const manifest = await openManifest(sealed, { identity, dataKey: await dataKey(identity.backup) }).catch((error: unknown) => {
    const isOpen = !(error instanceof ArchiveError) || error.code !== 'tag-mismatch' || !keys.isProvided(identity.backup, true);
    throw isOpen
      ? failureOf(error, manifestName)
      : damaged(manifestName, 'was modified, or the provided key belongs to another backup', error);
  });
  return {
    identity,
    manifest,
    digest,
    archive: new Archive(manifest, { fetch: take, dataKey }),
    openedBy: (await open(identity.backup)).by,
    dataKey,
    read: take,
    findMissing: lackOf,
    sizeOf: async ({ backup, name }) => {
      const { store, folder } = locate(backup);
      return (await store.head(`${folder}${name}`))?.size;
    },
  };
};

const orFailure = <T>(work: () => T, object: string): T => {
  try {
    return work();
  } catch (error) {
    throw failureOf(error, object);
  }
};
