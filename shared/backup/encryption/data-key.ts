/** The data key of a backup: made once, kept wrapped, opened only to read or write the backup it belongs to. */

import {
  ArchiveError,
  encodeKeyFile,
  type KeyWrap,
  type KmsWrap,
  parseKeyFile,
  unwrapKey,
  wrapKey,
} from '../../archive/index.ts';
import { JobFailure } from '../../job/index.ts';
import { get, makeDataKey, openDataKey, secureRandomBytes, type Tenant, type Write, wrapDataKey } from '../../platform/index.ts';
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

export interface WrappedKey {
  /** The object `key` of the backup. */
  readonly keyFile: Buffer;
  readonly encryption: BackupRecord['encryption'];
}

export interface NewDataKey extends WrappedKey {
  readonly dataKey: Buffer;
  /** Belongs in the transaction that keeps the key file: a key wrapped by a passphrase that was just given up is not kept. */
  readonly check: Write;
}

/** 32 bytes from KMS; what opens them later is KMS, or with a passphrase of the organization's own that passphrase alone. */
export const newDataKey = async (tenant: Tenant, archive: Identity): Promise<NewDataKey> => {
  const chosen = await readEncryption(tenant);
  const made = await makeDataKey(contextOf(archive)).catch(throwKmsFailure);
  const wrapped =
    chosen?.mode === 'customer'
      ? await wrapWithCurrentKey(tenant, chosen, archive, made.plain)
      : wrappedBy(archive, { kind: 'kms', keyId: made.keyId, blob: made.blob });
  return { ...wrapped, dataKey: made.plain, check: checkEncryptionUnchanged(tenant, chosen) };
};

/** Wraps a data key under what the organization has chosen. */
export const wrapWithCurrentKey = async (
  tenant: Tenant,
  chosen: EncryptionRecord | undefined,
  archive: Identity,
  dataKey: Buffer,
): Promise<WrappedKey> => {
  if (chosen?.mode !== 'customer')
    return wrappedBy(archive, { kind: 'kms', ...(await wrapDataKey(dataKey, contextOf(archive)).catch(throwKmsFailure)) });
  for await (const { keyId, passphrase } of passphrases(tenant, chosen, chosen.keyId)) {
    if (keyId !== chosen.keyId) break;
    const wrap = await wrapKey(dataKey, passphrase, { identity: contextOf(archive), random: secureRandomBytes });
    return { keyFile: fileOf(archive, wrap), encryption: currentEncryption(chosen) };
  }
  throw keyUnavailable('The passphrase of the organization is not there');
};

const fileOf = (archive: Identity, wrap: KeyWrap): Buffer => encodeKeyFile({ identity: contextOf(archive), wraps: [wrap] });

const wrappedBy = (archive: Identity, wrap: KmsWrap): WrappedKey => ({
  keyFile: fileOf(archive, wrap),
  encryption: { mode: 'kms', keyId: wrap.keyId },
});

/** The data key of a backup that exists. KEY_UNAVAILABLE says why it cannot be opened; that KMS is busy passes as it came. */
export const dataKeyOf = async (tenant: Tenant, backup: BackupRecord): Promise<Buffer> => {
  try {
    return await unlocked(tenant, backup);
  } catch (error) {
    // It may have been wrapped anew since the record was read, by another passphrase, and the one before forgotten.
    const fresh = await get(backupKey.backup(tenant, backup.id));
    if (!(error instanceof JobFailure) || !fresh?.keyFile || isSameKey(fresh.keyFile, backup.keyFile)) throw error;
    return unlocked(tenant, fresh);
  }
};

const unlocked = async (tenant: Tenant, { keyFile, archive, encryption }: BackupRecord): Promise<Buffer> => {
  if (!keyFile) throw keyUnavailable('The backup has no key');
  return (await unlockKeyFile(tenant, keyFile, archive, encryption.keyId)).dataKey;
};

export const isSameKey = (a: Uint8Array, b: Uint8Array | undefined): boolean => b !== undefined && Buffer.compare(a, b) === 0;

/** Opens a key file with what the organization has: KMS, its passphrase, or one that it had before and that still wraps keys. */
export const unlockKeyFile = async (
  tenant: Tenant,
  keyFile: Uint8Array,
  archive: Identity,
  likely?: string,
  refused: typeof throwKmsFailure = throwKmsFailure,
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
      if (wrap.kind === 'kms')
        return {
          dataKey: await openDataKey(wrap.blob, contextOf(archive)).catch(refused),
          encryption: { mode: 'kms', keyId: wrap.keyId },
        };
      const chosen = await readEncryption(tenant);
      for await (const { keyId, passphrase } of passphrases(tenant, chosen, likely)) {
        const dataKey = await opened(unwrapKey(wrap, passphrase, contextOf(archive)));
        if (dataKey) return { dataKey, encryption: { mode: 'customer', keyId } };
      }
      throw keyUnavailable(
        chosen?.keyId
          ? 'The passphrase of the organization does not open this backup: it was made with another one'
          : 'The backup is wrapped by a passphrase, and the organization has none',
      );
    } catch (error) {
      if (!(error instanceof JobFailure)) throw error;
      failure ??= error;
    }
  }
  throw failure ?? keyUnavailable('The key file names no key');
};

/** Ours have one. */
const passphraseWrapsMax = 3;
/** Of PBKDF2, for each passphrase: some 10 s on one core. */
const iterationsMax = 20_000_000;

/** Whatever lies in a bucket can ask for any amount of work: none is done before it is known how much. */
const refuseIfCostly = (wraps: readonly KeyWrap[]): void => {
  const iterations = wraps.flatMap((wrap) => (wrap.kind === 'passphrase' ? [Math.abs(wrap.kdf.iterations)] : []));
  if (iterations.length > passphraseWrapsMax) throw keyUnavailable(`The key file has ${iterations.length} wrapped keys`);
  const sum = iterations.reduce((total, one) => total + one, 0);
  if (sum > iterationsMax) throw keyUnavailable(`The key file asks for ${sum} iterations; at most ${iterationsMax} are made`);
};

const parsed = (keyFile: Uint8Array) => {
  try {
    return parseKeyFile(keyFile);
  } catch (error) {
    if (error instanceof ArchiveError) throw keyUnavailable(`The key file cannot be read: ${error.message}`, error);
    throw error;
  }
};

/** Undefined if it was the wrong passphrase: another may be right. */
const opened = async (key: Promise<Buffer>): Promise<Buffer | undefined> => {
  try {
    return await key;
  } catch (error) {
    if (!(error instanceof ArchiveError)) throw error;
    if (error.code === 'wrong-passphrase') return undefined;
    throw keyUnavailable(`The wrapped key cannot be opened: ${error.message}`, error);
  }
};

/** Exactly these three, whatever else a record holds: KMS compares the whole context. */
const contextOf = ({ organization, project, backup }: Identity) => ({ organization, project, backup });
