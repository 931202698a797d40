/** The data key of a backup: created once, stored wrapped, unwrapped only to read or write its backup. */
import {
  ArchiveError,
  encodeKeyFile,
  type KeyWrap,
  type PassphraseWrap,
  parseKeyFile,
  unwrapKey,
  unwrapKeyByKms,
  wrapKey,
  wrapKeyByKms,
} from '../../archive/index.ts';
import { JobFailure } from '../../job/index.ts';
import {
  fingerprint,
  get,
  makeDataKey,
  openDataKey,
  secureRandomBytes,
  type Tenant,
  type Write,
  warm,
} from '../../platform/index.ts';
import { type BackupRecord, backupKey } from '../model/record.ts';
import {
  checkEncryptionUnchanged,
  currentEncryption,
  type EncryptionRecord,
  passphrases,
  readEncryption,
} from './encryption-settings.ts';
import { keyUnavailable, throwKmsFailure } from './key-errors.ts';

type Identity = BackupRecord['archive'];

interface WrappedKey {
  /** The object `key` of the backup. */
  readonly keyFile: Buffer;
  readonly encryption: BackupRecord['encryption'];
}

export interface NewDataKey extends WrappedKey {
  readonly dataKey: Buffer;
  /** Belongs in the transaction that stores the key file: fails if the passphrase was replaced meanwhile. */
  readonly check: Write;
}

/** 32 random bytes, wrapped by KMS or, if the organization has a passphrase, by that passphrase alone. */
export const newDataKey = async (tenant: Tenant, archive: Identity): Promise<NewDataKey> => {
  const chosen = await readEncryption(tenant);
  const dataKey = Buffer.from(secureRandomBytes(32));
  const wrapped = await wrapWithCurrentKey(tenant, { chosen, archive, dataKey });
  return { ...wrapped, dataKey, check: checkEncryptionUnchanged(tenant, chosen) };
};

/** Wraps a data key with KMS or the passphrase, as the organization has chosen. */
export const wrapWithCurrentKey = async (
  tenant: Tenant,
  {
    chosen,
    archive,
    dataKey,
  }: { readonly chosen: EncryptionRecord | undefined; readonly archive: Identity; readonly dataKey: Buffer },
): Promise<WrappedKey> => {
  const identity = contextOf(archive);
  const options = { identity, random: secureRandomBytes };
  if (chosen?.mode !== 'customer') {
    const wrap = await wrapKeyByKms(dataKey, await makeDataKey(identity).catch(throwKmsFailure), options);
    return { keyFile: encodeKeyFile({ identity, wraps: [wrap] }), encryption: { mode: 'kms', keyId: wrap.keyId } };
  }
  for await (const { keyId, passphrase } of passphrases(tenant, chosen, chosen.keyId)) {
    if (keyId !== chosen.keyId) break;
    const wrap = await wrapKey(dataKey, passphrase, options);
    return { keyFile: encodeKeyFile({ identity, wraps: [wrap] }), encryption: currentEncryption(chosen) };
  }
  throw keyUnavailable('The passphrase of the organization is missing');
};

/** The data key of an existing backup. Throws KEY_UNAVAILABLE with the reason; a busy KMS throws its own error, to be retried. */
export const dataKeyOf = async (tenant: Tenant, backup: BackupRecord): Promise<Buffer> => {
  try {
    return await unlocked(tenant, backup);
  } catch (error) {
    // The key may have been rewrapped since the record was read, and the previous passphrase forgotten.
    const fresh = await get(backupKey.backup(tenant, backup.id));
    if (!(error instanceof JobFailure) || !fresh?.keyFile || isSameKey(fresh.keyFile, backup.keyFile)) throw error;
    return unlocked(tenant, fresh);
  }
};

const unlocked = async (tenant: Tenant, { keyFile, archive, encryption }: BackupRecord): Promise<Buffer> => {
  if (!keyFile) throw keyUnavailable('The backup has no key');
  return (await unlockKeyFile(tenant, keyFile, { archive, likelyKeyId: encryption.keyId })).dataKey;
};

export const isSameKey = (a: Uint8Array, b: Uint8Array | undefined): boolean => b !== undefined && Buffer.compare(a, b) === 0;

/** Opens a key file with KMS, the organization's passphrase, or a previous one that still wraps keys. `likelyKeyId` is tried first. */
export const unlockKeyFile = async (
  tenant: Tenant,
  keyFile: Uint8Array,
  {
    archive,
    likelyKeyId,
    onKmsError = throwKmsFailure,
  }: { readonly archive: Identity; readonly likelyKeyId?: string; readonly onKmsError?: typeof throwKmsFailure },
): Promise<{ dataKey: Buffer; encryption: BackupRecord['encryption'] }> => {
  const { identity, wraps } = parsed(keyFile);
  if (
    identity.organization !== archive.organization ||
    identity.project !== archive.project ||
    identity.backup !== archive.backup
  )
    throw keyUnavailable('The key belongs to another backup');
  refuseIfCostly(wraps);
  let failure: JobFailure | undefined;
  for (const wrap of wraps) {
    try {
      if (wrap.kind === 'kms') {
        // The key that KMS used. A key file in a bucket may claim any other.
        const { plain, keyId = 'unverified' } = await openDataKey(wrap.blob, contextOf(archive)).catch(onKmsError);
        const dataKey = await unwrapKeyByKms(wrap, plain, contextOf(archive)).catch(throwUnavailable);
        return { dataKey, encryption: { mode: 'kms', keyId } };
      }
      const chosen = await readEncryption(tenant);
      for await (const { keyId, passphrase } of passphrases(tenant, chosen, likelyKeyId)) {
        const dataKey = await openWithPassphrase(tenant, { keyId, passphrase, wrap }, archive);
        if (dataKey) return { dataKey, encryption: { mode: 'customer', keyId } };
      }
      throw keyUnavailable(
        chosen?.keyId
          ? 'The passphrase of the organization does not open this backup: it was encrypted with another one'
          : 'The backup is encrypted with a passphrase, and the organization has none',
      );
    } catch (error) {
      if (!(error instanceof JobFailure)) throw error;
      failure ??= error;
    }
  }
  throw failure ?? keyUnavailable('The key file contains no wrapped key');
};

/** Key files of this service contain one. */
const derivedWrapsMax = 3;
/** PBKDF2 iterations per secret; about 10 s on one core. */
const iterationsMax = 20_000_000;

/** A file in a bucket could demand any amount of work, so the amount is checked before any is done. */
const refuseIfCostly = (wraps: readonly KeyWrap[]): void => {
  const derivations = wraps.flatMap((wrap) => (wrap.kind === 'passphrase' ? wrap.kdf : (wrap.sealedKey?.kdf ?? [])));
  if (derivations.length > derivedWrapsMax) throw keyUnavailable(`The key file has ${derivations.length} wrapped keys`);
  const iterations = derivations.map((kdf) => Math.abs(kdf.iterations));
  const sum = iterations.reduce((total, one) => total + one, 0);
  if (sum > iterationsMax) throw keyUnavailable(`The key file requires ${sum} iterations; at most ${iterationsMax} are allowed`);
};

const parsed = (keyFile: Uint8Array) => {
  try {
    return parseKeyFile(keyFile);
  } catch (error) {
    if (error instanceof ArchiveError) throw keyUnavailable(`The key file cannot be read: ${error.message}`, error);
    throw error;
  }
};

/**
 * Keys that this container opened with a passphrase, the least recently used first. Stretching a passphrase takes 0.1 to 0.3 s, and pages
 * of one backup or batches of one capture need the same key. An entry is found only while the organization still has its passphrase.
 */
const keptKeys = warm(() => new Map<string, Buffer>());
const openedKeysMax = 32;

/** Undefined if the passphrase is wrong; another may be right. */
const openWithPassphrase = async (
  tenant: Tenant,
  { keyId, passphrase, wrap }: { readonly keyId: string; readonly passphrase: string; readonly wrap: PassphraseWrap },
  archive: Identity,
): Promise<Buffer | undefined> => {
  const identity = contextOf(archive);
  const name = fingerprint(JSON.stringify([tenant, keyId, identity, wrap]));
  const openedKeys = keptKeys();
  const known = openedKeys.get(name);
  try {
    const dataKey = known ?? (await unwrapKey(wrap, passphrase, identity));
    openedKeys.delete(name);
    openedKeys.set(name, dataKey);
    for (const oldest of openedKeys.keys()) {
      if (openedKeys.size <= openedKeysMax) break;
      openedKeys.delete(oldest);
    }
    // The caller may erase its copy.
    return Buffer.from(dataKey);
  } catch (error) {
    if (error instanceof ArchiveError && error.code === 'wrong-passphrase') return undefined;
    return throwUnavailable(error);
  }
};

const throwUnavailable = (error: unknown): never => {
  if (!(error instanceof ArchiveError)) throw error;
  throw keyUnavailable(`The wrapped key cannot be opened: ${error.message}`, error);
};

/** Exactly these three fields, because KMS compares the whole context. */
const contextOf = ({ organization, project, backup }: Identity) => ({ organization, project, backup });
