/** Looking at a folder that is said to be a backup: nothing in it is believed before the data key has vouched for it. */

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

/** A backup that is what it says it is. */
export interface FoundBackup {
  readonly identity: Identity;
  readonly manifest: Manifest;
  readonly manifestDigest: string;
  readonly keyFile: Uint8Array;
  readonly encryption: BackupRecord['encryption'];
  /** Of all its own objects. */
  readonly size: number;
  /** What must still be so when its record is made. */
  readonly checks: readonly Write[];
}

/** Throws VALIDATION_ERROR, with the reason, for a folder that is no backup of this organization; STORAGE_ERROR if it cannot be read. */
export const inspectFolder = async (tenant: Tenant, store: ObjectStore, path: string): Promise<FoundBackup> => {
  try {
    return await look(tenant, store, path);
  } catch (error) {
    if (error instanceof ArchiveError) throw notOne(`${error.message} (${error.code})`);
    if (error instanceof JobFailure || error instanceof ArchiveMovedError) throw notOne(error.message);
    throw toReadError(error);
  }
};

const look = async (tenant: Tenant, store: ObjectStore, path: string): Promise<FoundBackup> => {
  const keyFile = await fetchKeyFile(store);
  const { identity } = parseKeyFile(keyFile);
  // Keys are bound to the organization: another's could not be opened anyway, and is not even tried.
  if (identity.organization !== tenant.organizationId) throw notOne('it belongs to another organization');
  const checks = await assertArchiveShareable(tenant, identity.backup, path);
  const { dataKey, encryption } = await unlockKeyFile(tenant, keyFile, identity, undefined, throwForeignKmsFailure);
  const stored = await fetchManifest(store, undefined).catch(asAbsent('it has no manifest, so it was never completed'));
  const manifest = await openManifest(stored, { identity, dataKey });
  const objects = manifest.objects.filter(({ backup }) => backup === identity.backup);
  await proveStored(store, objects);
  const size = objects.reduce((sum, one) => sum + one.size, stored.length + keyFile.length);
  return { identity, manifest, manifestDigest: manifestDigest(stored), keyFile, encryption, size, checks };
};

const fetchKeyFile = async (store: ObjectStore): Promise<Uint8Array> => {
  const found = await store.head(keyFileName);
  if (!found) throw notOne(`there is no object ${keyFileName} in it`);
  if (found.size > maxKeyFileBytes) throw notOne(`its object ${keyFileName} has ${found.size} bytes`);
  return store.get(keyFileName, { offset: 0, length: found.size });
};

/** Folders with more objects than this beyond the backup's own are somebody else's. */
const strangersMax = 10_000;

const proveStored = async (store: ObjectStore, objects: Manifest['objects']): Promise<void> => {
  const missing = new Map(objects.map(({ name, size }) => [name, size]));
  let strangers = 0;
  for await (const { name, size } of store.list('')) {
    const expected = missing.get(name);
    if (expected !== undefined && expected !== size) throw notOne(`its object ${name} has ${size} bytes instead of ${expected}`);
    if (!missing.delete(name) && ++strangers > strangersMax) throw notOne('the folder holds too many other objects');
  }
  const [first] = missing.keys();
  if (first !== undefined) throw notOne(`its object ${first} is missing`);
};

const asAbsent =
  (why: string) =>
  (error: unknown): never => {
    throw error instanceof StorageError && error.code === 'missing' ? notOne(why) : error;
  };

const notOne = (why: string): ApiError => invalid('path', `is not a backup that can be imported: ${why}`);
