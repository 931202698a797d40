/** What wraps the data keys of an organization's backups: the service's KMS key, or a passphrase of the organization. */
import type * as z from 'zod/mini';
import { ArchiveError, passphraseBytes } from '../../archive/index.ts';
import { auditNote } from '../../audit/index.ts';
import { ApiError, invalid } from '../../contract/errors.ts';
import type { Encryption } from '../../contract/models/encryption.ts';
import { enqueue } from '../../event/index.ts';
import { whileActive } from '../../organization/index.ts';
import {
  type Change,
  conditionOf,
  env,
  get,
  type Item,
  iso,
  type Key,
  newUlid,
  openSecret,
  StaleReadError,
  sealSecret,
  type Tenant,
  type Write,
} from '../../platform/index.ts';
import type { BackupRecord } from '../model/record.ts';

export interface EncryptionRecord extends Item {
  readonly mode: 'kms' | 'customer';
  /** Id of the passphrase, new each time one is set. Absent with kms. */
  readonly keyId?: string;
  /** The passphrase, encrypted for this organization. Scheduled backups need it; the API never shows it. */
  readonly sealed?: Uint8Array;
  /** Passphrases that still wrap keys of some backups, by keyId. Forgotten when all of those are rewrapped. */
  readonly previous: Readonly<Record<string, Uint8Array>>;
  /** New with every change and rotation; identifies the rewrap of all backups that follows. */
  readonly version: string;
  readonly isWalking: boolean;
  /** How many backups with a key of a passphrase were imported. A rewrap that ends knows from it that it has seen all of them. */
  readonly imports?: number;
  readonly updatedAt: string;
}

export const encryptionKey = (tenant: Tenant): Key<EncryptionRecord> => ({
  pk: `ORG#${tenant.organizationId}`,
  sk: 'ENCRYPTION',
});

/** Undefined until encryption was configured: then KMS wraps. */
export const readEncryption = async (tenant: Tenant): Promise<EncryptionRecord | undefined> => await get(encryptionKey(tenant));

/** How a backup's record shows what wraps its key. */
export const currentEncryption = (chosen: EncryptionRecord | undefined): BackupRecord['encryption'] =>
  chosen?.mode === 'customer' ? { mode: 'customer', keyId: chosen.keyId ?? '' } : { mode: 'kms', keyId: env('DATA_KEY_ID') };

/** Fails a transaction if the settings changed after they were read, so that no key is wrapped with a replaced passphrase. */
export const checkEncryptionUnchanged = (tenant: Tenant, chosen: EncryptionRecord | undefined): Write => ({
  check: encryptionKey(tenant),
  ...unchanged(chosen),
  onConditionFailed: () => new StaleReadError(),
});

/** Fails a transaction that imports a key if the passphrase that opens the key was forgotten meanwhile, and keeps it from being so. */
export const keepPassphrase = (tenant: Tenant, { mode, keyId }: BackupRecord['encryption']): readonly Write[] =>
  mode === 'customer'
    ? [
        {
          update: encryptionKey(tenant),
          expression: 'ADD #imports :one',
          condition: '#keyId = :keyId OR attribute_exists(#previous.#id)',
          names: { '#imports': 'imports', '#keyId': 'keyId', '#previous': 'previous', '#id': keyId },
          values: { ':one': 1, ':keyId': keyId },
          onConditionFailed: () => new StaleReadError(),
        },
      ]
    : [];

const unchanged = (chosen: EncryptionRecord | undefined) => conditionOf(chosen && { version: chosen.version });

export const encryptionData = (chosen: EncryptionRecord | undefined): z.input<typeof Encryption> => ({
  ...currentEncryption(chosen),
  rewrap: chosen?.isWalking ? 'running' : 'idle',
  updatedAt: chosen?.updatedAt ?? null,
});

const contextOf = ({ organizationId }: Tenant) => ({ organization: organizationId, purpose: 'passphrase' });

/** The passphrases that may open a backup, the likeliest first. Each is decrypted only when the caller asks for it. */
export async function* passphrases(
  tenant: Tenant,
  chosen: EncryptionRecord | undefined,
  likely: string | undefined,
): AsyncGenerator<{ keyId: string; passphrase: string }> {
  const all = { ...(chosen?.keyId && chosen.sealed && { [chosen.keyId]: chosen.sealed }), ...chosen?.previous };
  const ids = Object.keys(all).sort((a, b) => Number(b === likely) - Number(a === likely));
  for (const keyId of ids) yield { keyId, passphrase: await openSecret(all[keyId] as Uint8Array, contextOf(tenant)) };
}

interface EncryptionInput {
  readonly mode: 'kms' | 'customer';
  readonly passphrase?: string | undefined;
}

/** Previous passphrases kept while backups wait to be rewrapped. Trying all of them takes up to 6 s. */
const previousMax = 20;

/** Sets what wraps data keys from now on, and starts rewrapping those of existing backups. */
export const changeEncryption = async (
  tenant: Tenant,
  chosen: EncryptionRecord | undefined,
  { input, now }: { readonly input: EncryptionInput; readonly now: Date },
): Promise<{ chosen: EncryptionRecord; change: Change }> => {
  assertAllowed(input);
  const previous = { ...chosen?.previous, ...(chosen?.keyId && chosen.sealed && { [chosen.keyId]: chosen.sealed }) };
  if (Object.keys(previous).length > previousMax)
    throw new ApiError(
      'CONFLICT',
      `Backups still need ${previousMax} earlier passphrases. Wait until rewrap is idle; if it is, rotate the keys when all buckets are available and the locks of their keys have ended`,
    );
  const { mode, passphrase = '' } = input;
  const version = newUlid(now);
  const own = mode === 'customer' && {
    keyId: `passphrase-${version}`,
    sealed: await sealSecret(passphrase, contextOf(tenant)),
  };
  // Keys that KMS wraps stay as they are when KMS is chosen again.
  const isWalking = mode === 'customer' || Object.keys(previous).length > 0;
  const next = { ...encryptionKey(tenant), mode, ...own, previous, version, isWalking, updatedAt: iso(now) };
  return { chosen: next, change: changeOf(tenant, { previous: chosen, next, now }) };
};

/** Rewraps every data key with the current settings: a new version of the KMS key, or a new salt. */
export const rotateKeys = (
  tenant: Tenant,
  chosen: EncryptionRecord | undefined,
  now: Date,
): { chosen: EncryptionRecord; change: Change } => {
  const current = chosen ?? { ...encryptionKey(tenant), mode: 'kms' as const, previous: {} };
  const next = { ...current, version: newUlid(now), isWalking: true, updatedAt: iso(now) };
  return { chosen: next, change: changeOf(tenant, { previous: chosen, next, now }) };
};

const changeOf = (
  tenant: Tenant,
  {
    previous,
    next,
    now,
  }: { readonly previous: EncryptionRecord | undefined; readonly next: EncryptionRecord; readonly now: Date },
): Change => ({
  writes: [whileActive(tenant), ...replacing(tenant, { previous, next, now })],
  audit: [auditNote(tenant, { type: 'organization', id: tenant.organizationId, details: currentEncryption(next) })],
});

const replacing = (
  tenant: Tenant,
  {
    previous,
    next,
    now,
  }: { readonly previous: EncryptionRecord | undefined; readonly next: EncryptionRecord; readonly now: Date },
): readonly Write[] => [
  { put: next, ...unchanged(previous), onConditionFailed: () => new StaleReadError() },
  ...(next.isWalking ? [enqueue(tenant, { kind: 'rewrap-keys', walk: next.version }, now)] : []),
];

/** For backups whose move to this organization, or back to it, has ended. KMS wraps their keys: a passphrase of this one replaces it. */
export const rewrapArrived = async (tenant: Tenant, now: Date): Promise<readonly Write[]> => {
  const chosen = await readEncryption(tenant);
  if (chosen?.mode !== 'customer') return [];
  return replacing(tenant, { previous: chosen, next: { ...chosen, version: newUlid(now), isWalking: true }, now });
};

const assertAllowed = ({ mode, passphrase }: EncryptionInput): void => {
  const plan = env('PLAN');
  if (mode === 'customer' && plan !== 'enterprise')
    throw new ApiError('FORBIDDEN', 'Customer-managed encryption requires the enterprise plan', {
      requiredPlan: 'enterprise',
      currentPlan: plan,
    });
  if (mode === 'kms' && passphrase !== undefined) throw invalid('passphrase', 'is only allowed with mode customer');
  if (mode === 'customer' && passphrase === undefined) throw invalid('passphrase', 'is required with mode customer');
  if (passphrase !== undefined) assertValidPassphrase(passphrase);
};

/** The archive format defines what a passphrase may be. */
const assertValidPassphrase = (passphrase: string): void => {
  try {
    passphraseBytes(passphrase);
  } catch (error) {
    if (error instanceof ArchiveError) throw invalid('passphrase', error.message.replace(/^the passphrase /, ''));
    throw error;
  }
};
