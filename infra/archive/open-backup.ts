/** Opens a backup from its folder and its key alone. */
import {
  Archive,
  ArchiveError,
  claimedIdentity,
  type FetchedRange,
  type Identity,
  keyFileName,
  type Manifest,
  manifestDigest,
  manifestName,
  type ObjectEntry,
  openManifest,
} from '../../shared/archive/index.ts';
import { objectWithHash, overNewConnection, readExpected, StorageError } from '../../shared/destination/index.ts';
import { DataKeys, type KeyOptions, type OpenedKey } from './data-keys.ts';
import { damaged, Failure, failureOf, unusable } from './failure.ts';
import type { BackupLocation } from './open-location.ts';
import { say } from './output.ts';
import { readErasures } from './read-erasures.ts';
import { selectKey, selectVersions } from './select-versions.ts';
import type { ReadOnlyStore } from './store/read-only-directory-store.ts';
import { readSmallObject } from './store/read-small-object.ts';

export interface OpenBackup {
  readonly identity: Identity;
  readonly manifest: Manifest;
  readonly digest: string;
  readonly archive: Archive;
  /** What opened the data key. The owner of that key can forge the whole backup. */
  readonly openedBy: string;
  dataKey(backup: string): Promise<Buffer>;
  /**
   * Reads a range of an object. One that is read again has a connection of its own. A missing or short object is damage.
   */
  read(object: ObjectEntry, range: FetchedRange): Promise<Uint8Array>;
  /** Reads the version that was stored from now on, if the object was overwritten. False if there is no such version. */
  select(object: ObjectEntry): Promise<boolean>;
  sizeOf(object: ObjectEntry): Promise<number | undefined>;
  /** The failure if the folder or the key of a referenced earlier backup is missing. */
  findMissing(backup: string): Promise<Failure | undefined>;
}

interface OpenOptions {
  readonly digest?: string | undefined;
  /** Verification reads every record, and shows none. */
  readonly isRaw?: boolean | undefined;
  readonly allowMissingLedger?: boolean | undefined;
  /** For documents that are read in any order, and again. */
  readonly leafCacheBytes?: number | undefined;
}

/** `digest`, if known, must match the manifest. A key or manifest that was overwritten or deleted is read from the version below. */
export const openBackup = async (location: BackupLocation, options: KeyOptions & OpenOptions): Promise<OpenBackup> => {
  const keys = new DataKeys(options);
  try {
    return await openNewest(location, options, keys);
  } catch (error) {
    if (!(await selectVersions(location.store, keys, options.digest).catch(() => false))) throw error;
    say('the key or the manifest was overwritten or deleted; the version that was stored is read instead');
    return openNewest(location, options, keys);
  }
};

const openNewest = async (location: BackupLocation, options: KeyOptions & OpenOptions, keys: DataKeys): Promise<OpenBackup> => {
  const sealed = await readSmallObject(location.store, { folder: '', object: manifestName });
  const identity = orFailure(() => claimedIdentity(sealed), manifestName);
  const digest = manifestDigest(sealed);
  if (options.digest !== undefined && options.digest !== digest)
    throw damaged(manifestName, 'does not match the digest: it belongs to another backup, is older or was modified');
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
    return readSmallObject(store, { folder, object: keyFileName, label: `${backup}/${keyFileName}` });
  };
  const openKey = async (of: Identity, isOwn: boolean): Promise<OpenedKey> => {
    const read = (): Promise<OpenedKey> => keys.open(of, isOwn, () => readKey(of.backup));
    const { store, folder } = locate(of.backup);
    return read().catch(async (error: unknown) => {
      if (isOwn || !(await selectKey(store, { folder, keys, identity: of }).catch(() => false))) throw error;
      return read();
    });
  };
  const open = (backup: string): Promise<OpenedKey> => {
    const isOwn = backup === identity.backup;
    const key = opened.get(backup) ?? openKey({ ...identity, backup }, isOwn);
    opened.set(backup, key);
    return key;
  };
  const dataKey = async (backup: string): Promise<Buffer> => (await open(backup)).dataKey;
  const select = async (entry: ObjectEntry): Promise<boolean> => {
    const { store, folder } = locate(entry.backup);
    return (await store.versions?.select(objectWithHash({ ...entry, name: `${folder}${entry.name}` }))) ?? false;
  };
  const take: OpenBackup['read'] = async (entry, { again, ...extent }) => {
    const { backup, name } = entry;
    const { store, folder } = locate(backup);
    const expected = objectWithHash({ ...entry, name: `${folder}${name}` });
    const read = (from: ReadOnlyStore) => readExpected(from, expected, () => from.get(expected.name, extent));
    try {
      return await (again === 0 ? read(store) : overNewConnection(store, expected, read));
    } catch (error) {
      throw isShort(error)
        ? damaged(`${backup}/${name}`, 'is shorter than expected', error)
        : failureOf(error, `${backup}/${name}`);
    }
  };
  const manifest = await openManifest(sealed, { identity, dataKey: await dataKey(identity.backup) }).catch((error: unknown) => {
    const isOpen = !(error instanceof ArchiveError) || error.code !== 'tag-mismatch' || !keys.isProvided(identity.backup, true);
    throw isOpen
      ? failureOf(error, manifestName)
      : damaged(manifestName, 'was modified, or the provided key belongs to another backup', error);
  });
  const erasures = options.isRaw
    ? undefined
    : await readErasures(location, manifest, {
        identity,
        dataKey: await dataKey(identity.backup),
        allowMissing: options.allowMissingLedger ?? false,
      });
  return {
    identity,
    manifest,
    digest,
    archive: new Archive(manifest, {
      fetch: take,
      isBadTransfer: isDoubtful,
      dataKey,
      erasures,
      leafCacheBytes: options.leafCacheBytes,
      onRetry: async (entry) => void (await select(entry)),
    }),
    openedBy: (await open(identity.backup)).by,
    dataKey,
    read: take,
    select,
    findMissing: lackOf,
    sizeOf: async (entry) => {
      const { store, folder } = locate(entry.backup);
      const size = async (): Promise<number | undefined> => (await store.head(`${folder}${entry.name}`))?.size;
      const newest = await size();
      return newest === entry.size || !(await select(entry)) ? newest : size();
    },
  };
};

const isShort = (error: unknown): boolean => error instanceof StorageError && error.code === 'invalid';

/** Whether other bytes were received, or fewer, than were stored: the object may be intact, and only its transfer damaged. */
export const isDoubtful = (error: unknown): boolean =>
  error instanceof ArchiveError || (error instanceof Failure && isShort(error.cause));

const orFailure = <T>(work: () => T, object: string): T => {
  try {
    return work();
  } catch (error) {
    throw failureOf(error, object);
  }
};
