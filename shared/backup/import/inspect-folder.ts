/** Inspects a folder that may be a backup. Its contents are trusted only after the data key has verified them. */
import {
  ArchiveError,
  type Identity,
  keyFileName,
  type Manifest,
  manifestDigest,
  maxKeyFileBytes,
  openManifest,
  parseKeyFile,
} from '../../archive/index.ts';
import { type ApiError, invalid } from '../../contract/errors.ts';
import { type ObjectStore, StorageError } from '../../destination/index.ts';
import { JobFailure } from '../../job/index.ts';
import type { Tenant, Write } from '../../platform/index.ts';
import { unlockKeyFile } from '../encryption/data-key.ts';
import { throwForeignKmsFailure } from '../encryption/key-errors.ts';
import type { BackupRecord } from '../model/record.ts';
import { ArchiveMovedError, assertArchiveShareable } from '../model/shared-archives.ts';
import { fetchManifest } from '../read/open-archive.ts';
import { toReadError } from '../read/with-archive-in-request.ts';

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
  const keyFile = await fetchKeyFile(store);
  const { identity } = parseKeyFile(keyFile);
  // Keys are bound to their organization; another one's cannot be opened.
  if (identity.organization !== tenant.organizationId) throw notImportable('it belongs to another organization');
  const checks = await assertArchiveShareable(tenant, identity.backup, path);
  const { dataKey, encryption } = await unlockKeyFile(tenant, keyFile, identity, undefined, throwForeignKmsFailure);
  const stored = await fetchManifest(store, undefined).catch(asAbsent('it has no manifest, so it was never completed'));
  const manifest = await openManifest(stored, { identity, dataKey });
  const objects = manifest.objects.filter(({ backup }) => backup === identity.backup);
  await assertStored(store, objects);
  const size = objects.reduce((sum, one) => sum + one.size, stored.length + keyFile.length);
  return { identity, manifest, manifestDigest: manifestDigest(stored), keyFile, encryption, size, checks };
};

const fetchKeyFile = async (store: ObjectStore): Promise<Uint8Array> => {
  const found = await store.head(keyFileName);
  if (!found) throw notImportable(`it has no object ${keyFileName}`);
  if (found.size > maxKeyFileBytes) throw notImportable(`its object ${keyFileName} has ${found.size} bytes`);
  return store.get(keyFileName, { offset: 0, length: found.size });
};

/** A folder with more foreign objects than this is refused. */
const foreignMax = 10_000;

const assertStored = async (store: ObjectStore, objects: Manifest['objects']): Promise<void> => {
  const missing = new Map(objects.map(({ name, size }) => [name, size]));
  let foreign = 0;
  for await (const { name, size } of store.list('')) {
    const expected = missing.get(name);
    if (expected !== undefined && expected !== size)
      throw notImportable(`its object ${name} has ${size} bytes instead of ${expected}`);
    if (!missing.delete(name) && ++foreign > foreignMax) throw notImportable('the folder holds too many other objects');
  }
  const [first] = missing.keys();
  if (first !== undefined) throw notImportable(`its object ${first} is missing`);
};

const asAbsent =
  (why: string) =>
  (error: unknown): never => {
    throw error instanceof StorageError && error.code === 'missing' ? notImportable(why) : error;
  };

const notImportable = (why: string): ApiError => invalid('path', `is not a backup that can be imported: ${why}`);
