/** Finds the key and the manifest below other versions, in a bucket that keeps versions. */
import {
  claimedIdentity,
  type Identity,
  keyFileName,
  manifestDigest,
  manifestName,
  maxKeyFileBytes,
  maxManifestBytes,
  openManifest,
  parseKeyFile,
} from '../../shared/archive/index.ts';
import { objectThat } from '../../shared/destination/index.ts';
import type { DataKeys } from './data-keys.ts';
import type { ReadOnlyStore } from './store/read-only-directory-store.ts';
import { readSmallObject } from './store/read-small-object.ts';

/**
 * Selects the versions of the key and the manifest of the backup in the folder that fit each other, and that the provided secret
 * opens. Only these prove themselves: an intruder with access to the bucket can write others. False if there are none.
 */
export const selectVersions = async (store: ReadOnlyStore, keys: DataKeys, digest: string | undefined): Promise<boolean> => {
  const { versions } = store;
  if (!versions) return false;
  const stored = await openKeyVersions(store, keys);
  let fitting: StoredKey | undefined;
  const opens = async (bytes: Uint8Array): Promise<boolean> => {
    if (digest !== undefined && manifestDigest(bytes) !== digest) return false;
    const identity = claimedIdentity(bytes);
    for (const key of stored)
      if (await succeeds(openManifest(bytes, { identity, dataKey: key.dataKey }))) {
        fitting = key;
        return true;
      }
    const { dataKey } = await keys.open(identity, true, () => readSmallObject(store, { folder: '', object: keyFileName }));
    return succeeds(openManifest(bytes, { identity, dataKey }));
  };
  const isManifestSelected = await versions.select(
    objectThat(manifestName, maxManifestBytes + (1 << 20), (bytes) => opens(bytes).catch(() => false)),
  );
  // A manifest with a single version is not searched for.
  if (!isManifestSelected) await succeeds(readSmallObject(store, { folder: '', object: manifestName }).then(opens));
  if (!fitting) return isManifestSelected;
  const { file } = fitting;
  const isKeySelected = await versions.select(objectThat(keyFileName, maxKeyFileBytes, (bytes) => file.equals(bytes)));
  return isKeySelected || isManifestSelected;
};

interface StoredKey {
  readonly file: Buffer;
  readonly dataKey: Buffer;
}

/** Every version of the key that the provided secret opens, if there are several. */
const openKeyVersions = async (store: ReadOnlyStore, keys: DataKeys): Promise<readonly StoredKey[]> => {
  const found: StoredKey[] = [];
  const collect = async (bytes: Uint8Array): Promise<boolean> => {
    const file = Buffer.from(bytes);
    const opened = await keys.open(parseKeyFile(file).identity, true, async () => file).catch(() => undefined);
    if (opened) found.push({ file, dataKey: opened.dataKey });
    return false;
  };
  await store.versions?.select(objectThat(keyFileName, maxKeyFileBytes, (bytes) => collect(bytes).catch(() => false)));
  store.versions?.forget(keyFileName);
  return found;
};

/** Selects the version of the key of a referenced backup in `folder` (with a trailing slash) that the provided secret opens. */
export const selectKey = async (
  store: ReadOnlyStore,
  { folder, keys, identity }: { readonly folder: string; readonly keys: DataKeys; readonly identity: Identity },
): Promise<boolean> => {
  const opens = (bytes: Uint8Array): Promise<boolean> => succeeds(keys.open(identity, false, async () => bytes));
  const object = objectThat(`${folder}${keyFileName}`, maxKeyFileBytes, opens);
  return (await store.versions?.select(object)) ?? false;
};

/** Whatever the reason, a version that cannot be opened is not the one. */
const succeeds = (opening: Promise<unknown>): Promise<boolean> =>
  opening.then(
    () => true,
    () => false,
  );
