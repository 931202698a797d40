/** Inspects a folder that may be a backup. Its contents are trusted only after the data key has verified them. */
import {
  ArchiveError,
  type Identity,
  keyFileName,
  type Manifest,
  manifestDigest,
  manifestName,
  maxKeyFileBytes,
  openManifest,
  parseKeyFile,
  storedObjects,
} from '../../archive/index.ts';
import { ApiError, invalid } from '../../contract/errors.ts';
import {
  type ExpectedObject,
  headExpected,
  type ObjectStore,
  objectThat,
  objectWithHash,
  readExpected,
  StorageError,
} from '../../destination/index.ts';
import { JobFailure } from '../../job/index.ts';
import type { Tenant, Write } from '../../platform/index.ts';
import {
  ArchiveMovedError,
  assertArchiveShareable,
  type BackupRecord,
  fetchManifest,
  storedManifestMax,
  throwForeignKmsFailure,
  toReadError,
  unlockKeyFile,
} from '../../stored-backup/index.ts';

export interface FoundBackup {
  readonly identity: Identity;
  readonly manifest: Manifest;
  readonly manifestDigest: string;
  readonly keyFile: Uint8Array;
  readonly encryption: BackupRecord['encryption'];
  readonly size: number;
  /** Conditions for the transaction that creates its record. */
  readonly checks: readonly Write[];
}

/** Throws VALIDATION_ERROR with the reason if the folder is no backup of this organization, STORAGE_ERROR if it cannot be read. */
export const inspectFolder = async (tenant: Tenant, store: ObjectStore, path: string): Promise<FoundBackup> => {
  try {
    return await inspect(tenant, store, path);
  } catch (error) {
    if (error instanceof ArchiveError) throw notImportable(`${error.message} (${error.code})`);
    if (error instanceof JobFailure || error instanceof ArchiveMovedError) throw notImportable(error.message);
    throw toReadError(error);
  }
};

const inspect = async (tenant: Tenant, store: ObjectStore, path: string): Promise<FoundBackup> => {
  // Both may lie below another version, if the bucket keeps versions.
  const key = await readExpected(store, keyOf(tenant), async () => openKey(tenant, await fetchKeyFile(store)));
  const { keyFile, identity, dataKey, encryption } = key;
  const checks = await assertArchiveShareable(tenant, identity.backup, path);
  const opens = (stored: Uint8Array): Promise<Manifest> => openManifest(stored, { identity, dataKey });
  const { stored, manifest } = await readExpected(store, manifestThat(opens), async () => {
    const stored = await fetchManifest(store, undefined).catch(asAbsent('it has no manifest, so it was never completed'));
    return { stored, manifest: await opens(stored) };
  });
  const objects = storedObjects(manifest).filter(({ backup }) => backup === identity.backup);
  await assertStored(store, objects);
  const size = objects.reduce((sum, one) => sum + one.size, stored.length + keyFile.length);
  return { identity, manifest, manifestDigest: manifestDigest(stored), keyFile, encryption, size, checks };
};

interface OpenKey extends Pick<FoundBackup, 'identity' | 'keyFile' | 'encryption'> {
  readonly dataKey: Buffer;
}

const openKey = async (tenant: Tenant, keyFile: Uint8Array): Promise<OpenKey> => {
  const { identity } = parseKeyFile(keyFile);
  // Keys are bound to their organization; another one's cannot be opened.
  if (identity.organization !== tenant.organizationId) throw notImportable('it belongs to another organization');
  const { dataKey, encryption } = await unlockKeyFile(tenant, keyFile, { archive: identity, onKmsError: throwForeignKmsFailure });
  return { keyFile, identity, dataKey, encryption };
};

const keyOf = (tenant: Tenant): ExpectedObject =>
  objectThat(keyFileName, maxKeyFileBytes, (bytes) => succeeds(openKey(tenant, bytes)));

const manifestThat = (opens: (stored: Uint8Array) => Promise<Manifest>): ExpectedObject =>
  objectThat(manifestName, storedManifestMax, (bytes) => succeeds(opens(bytes)));

/** False if the bytes are not what is searched for. */
const succeeds = (opening: Promise<unknown>): Promise<boolean> =>
  opening.then(
    () => true,
    (error: unknown) => {
      if (error instanceof ArchiveError || error instanceof JobFailure || error instanceof ApiError) return false;
      throw error;
    },
  );

const fetchKeyFile = async (store: ObjectStore): Promise<Uint8Array> => {
  const found = await store.head(keyFileName);
  if (!found) throw notImportable(`it has no object ${keyFileName}`);
  if (found.size > maxKeyFileBytes) throw notImportable(`its object ${keyFileName} has ${found.size} bytes`);
  return store.get(keyFileName, { offset: 0, length: found.size });
};

/** A folder with more foreign objects than this is refused. */
const foreignMax = 10_000;

const assertStored = async (store: ObjectStore, objects: Manifest['objects']): Promise<void> => {
  const missing = new Map(objects.map((entry) => [entry.name, entry]));
  let foreign = 0;
  for await (const { name, size } of store.list('')) {
    const expected = missing.get(name)?.size;
    // A locked object that a delete marker or a newer version hides is not listed as it is.
    if (expected !== undefined && expected !== size) continue;
    if (!missing.delete(name) && ++foreign > foreignMax) throw notImportable('the folder holds too many other objects');
  }
  for (const entry of missing.values()) {
    const { name, size: expected } = entry;
    const { size } = (await headExpected(store, objectWithHash(entry))) ?? {};
    if (size === undefined) throw notImportable(`its object ${name} is missing`);
    if (size !== expected) throw notImportable(`its object ${name} has ${size} bytes instead of ${expected}`);
  }
};

const asAbsent =
  (why: string) =>
  (error: unknown): never => {
    throw error instanceof StorageError && error.code === 'missing' ? notImportable(why) : error;
  };

const notImportable = (why: string): ApiError => invalid('path', `is not a backup that can be imported: ${why}`);
