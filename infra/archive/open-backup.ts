/** A backup opened by its folder and its key alone. */
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

/** An object of this backup or of an earlier one that it points into. */
export interface ObjectId {
  readonly backup: string;
  readonly name: string;
}

export interface OpenBackup {
  readonly identity: Identity;
  readonly manifest: Manifest;
  readonly digest: string;
  readonly archive: Archive;
  /** What its own data key was opened by: whoever controls that could have made all of it. */
  readonly openedBy: string;
  dataKey(backup: string): Promise<Buffer>;
  /** A part of an object; what is missing or too short is damage. */
  read(object: ObjectId, offset: number, length: number): Promise<Uint8Array>;
  /** Undefined where there is none. */
  sizeOf(object: ObjectId): Promise<number | undefined>;
  /** What of an earlier backup that this one points into is not there as a whole: its folder, or the key in it. */
  findMissing(backup: string): Promise<Failure | undefined>;
}

/** `digest`, if it was kept, tells this manifest from every other. */
export const openBackup = async (
  place: BackupLocation,
  options: KeyOptions & { readonly digest?: string | undefined },
): Promise<OpenBackup> => {
  const stored = await readSmallObject(place.store, '', manifestName);
  const identity = attempt(() => claimedIdentity(stored), manifestName);
  const digest = manifestDigest(stored);
  if (options.digest !== undefined && options.digest !== digest)
    throw damaged(manifestName, 'is not the one that the digest names: another backup, an older manifest or a changed one');
  const keys = new DataKeys(options);
  const opened = new Map<string, Promise<OpenedKey>>();
  const at = (backup: string): { readonly store: ReadOnlyStore; readonly folder: string } => {
    if (backup === identity.backup) return { store: place.store, folder: '' };
    if (place.parentStore) return { store: place.parentStore, folder: `${backup}/` };
    throw unusable(`the backup points into ${backup}, which must lie in a folder of that name beside it`);
  };
  const lackOf = async (backup: string): Promise<Failure | undefined> => {
    const { store, folder } = at(backup);
    const isSomething = !(await store.list(folder)[Symbol.asyncIterator]().next()).done;
    if (!isSomething)
      return damaged(
        backup,
        `is missing: ${identity.backup} points into it, so it must lie beside, as ${place.parentPath}/${backup}`,
      );
    const hasKey = keys.isProvided(backup, backup === identity.backup) || (await store.head(`${folder}${keyFileName}`));
    return hasKey ? undefined : damaged(`${backup}/${keyFileName}`, 'is missing, and no other key opens that backup');
  };
  const readKey = async (backup: string): Promise<Uint8Array> => {
    const { store, folder } = at(backup);
    const lack = backup === identity.backup ? undefined : await lackOf(backup);
    if (lack) throw lack;
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
    const { store, folder } = at(backup);
    try {
      return await store.get(`${folder}${name}`, { offset, length });
    } catch (error) {
      const isShort = error instanceof StorageError && error.code === 'invalid';
      throw isShort ? damaged(`${backup}/${name}`, 'is shorter than it should be', error) : failureOf(error, `${backup}/${name}`);
    }
  };
  const manifest = await openManifest(stored, { identity, dataKey: await dataKey(identity.backup) }).catch((error: unknown) => {
    const isOpen = !(error instanceof ArchiveError) || error.code !== 'tag-mismatch' || !keys.isProvided(identity.backup, true);
    throw isOpen
      ? failureOf(error, manifestName)
      : damaged(manifestName, 'the given key is another one, or it was changed', error);
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
      const { store, folder } = at(backup);
      return (await store.head(`${folder}${name}`))?.size;
    },
  };
};

const attempt = <T>(work: () => T, object: string): T => {
  try {
    return work();
  } catch (error) {
    throw failureOf(error, object);
  }
};
