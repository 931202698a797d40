/** What wraps the data keys of an organization's backups: the service's KMS key, or a passphrase that the organization chose. */
import type * as z from 'zod';
import { ArchiveError, passphraseBytes } from '../../archive/index.ts';
import { ApiError, invalid } from '../../contract/errors.ts';
import type { Encryption } from '../../contract/models/encryption.ts';
import { enqueue } from '../../event/index.ts';
import { whileActive } from '../../organization/index.ts';
import {
  type Change,
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
  /** Names the passphrase, not its text: each one that is set is another generation. Absent with kms. */
  readonly keyId?: string;
  /** The passphrase, sealed for this organization: scheduled backups need it, and nobody is ever shown it. */
  readonly sealed?: Uint8Array;
  /** Passphrases that still wrap the keys of some backups, by their keyId. Gone when all of those are wrapped anew. */
  readonly previous: Readonly<Record<string, Uint8Array>>;
  /** New with every choice and every rotation: it names the walk over all backups that follows. */
  readonly version: string;
  /** Whether that walk is under way. */
  readonly isWalking: boolean;
  readonly updatedAt: string;
}

export const encryptionKey = (tenant: Tenant): Key<EncryptionRecord> => ({
  pk: `ORG#${tenant.organizationId}`,
  sk: 'ENCRYPTION',
});

/** Undefined as long as nobody has chosen: then KMS wraps. */
export const readEncryption = async (tenant: Tenant): Promise<EncryptionRecord | undefined> => await get(encryptionKey(tenant));

/** How a backup's record names what wraps its key. */
export const currentEncryption = (chosen: EncryptionRecord | undefined): BackupRecord['encryption'] =>
  chosen?.mode === 'customer' ? { mode: 'customer', keyId: chosen.keyId ?? '' } : { mode: 'kms', keyId: env('DATA_KEY_ID') };

/** True in a transaction only if the choice is still the one that was read, so that no key is wrapped by what was just given up. */
export const checkEncryptionUnchanged = (tenant: Tenant, chosen: EncryptionRecord | undefined): Write => ({
  check: encryptionKey(tenant),
  ...unchanged(chosen),
  onConditionFailed: () => new StaleReadError(),
});

const unchanged = (chosen: EncryptionRecord | undefined) => ({
  condition: chosen ? 'version = :version' : 'attribute_not_exists(pk)',
  ...(chosen && { values: { ':version': chosen.version } }),
});

export const encryptionData = (chosen: EncryptionRecord | undefined): z.input<typeof Encryption> => ({
  ...currentEncryption(chosen),
  rewrap: chosen?.isWalking ? 'running' : 'idle',
  updatedAt: chosen?.updatedAt ?? null,
});

const contextOf = ({ organizationId }: Tenant) => ({ organization: organizationId, purpose: 'passphrase' });

/** The passphrases that may open a backup, the likeliest first, each opened only when it is asked for. */
export async function* passphrases(
  tenant: Tenant,
  chosen: EncryptionRecord | undefined,
  likely: string | undefined,
): AsyncGenerator<{ keyId: string; passphrase: string }> {
  const all = { ...(chosen?.keyId && chosen.sealed && { [chosen.keyId]: chosen.sealed }), ...chosen?.previous };
  const ids = Object.keys(all).sort((a, b) => Number(b === likely) - Number(a === likely));
  for (const keyId of ids) yield { keyId, passphrase: await openSecret(all[keyId] as Uint8Array, contextOf(tenant)) };
}

export interface EncryptionWish {
  readonly mode: 'kms' | 'customer';
  readonly passphrase?: string | undefined;
}

/** While backups wait to be wrapped anew, so many earlier passphrases are kept; more would not fit an item for ever. */
const previousMax = 10;

/** Chooses what wraps data keys from now on, and has those of earlier backups wrapped anew. */
export const changeEncryption = async (
  tenant: Tenant,
  chosen: EncryptionRecord | undefined,
  wish: EncryptionWish,
  now: Date,
): Promise<{ chosen: EncryptionRecord; change: Change }> => {
  refuseUnlessAllowed(wish);
  const previous = { ...chosen?.previous, ...(chosen?.keyId && chosen.sealed && { [chosen.keyId]: chosen.sealed }) };
  if (Object.keys(previous).length > previousMax)
    throw new ApiError('CONFLICT', 'The keys of earlier backups are still being wrapped anew; try again when rewrap is idle');
  const { mode, passphrase = '' } = wish;
  const version = newUlid(now);
  const own = mode === 'customer' && {
    keyId: `passphrase-${version}`,
    sealed: await sealSecret(passphrase, contextOf(tenant)),
  };
  // What KMS wraps stays as it is when KMS is chosen again.
  const isWalking = mode === 'customer' || Object.keys(previous).length > 0;
  const next = { ...encryptionKey(tenant), mode, ...own, previous, version, isWalking, updatedAt: iso(now) };
  return { chosen: next, change: changeOf(tenant, chosen, next, now) };
};

/** Wraps every data key anew under what wraps them now: a new version of the KMS key, or a new salt. */
export const rotateKeys = (
  tenant: Tenant,
  chosen: EncryptionRecord | undefined,
  now: Date,
): { chosen: EncryptionRecord; change: Change } => {
  const present = chosen ?? { ...encryptionKey(tenant), mode: 'kms' as const, previous: {} };
  const next = { ...present, version: newUlid(now), isWalking: true, updatedAt: iso(now) };
  return { chosen: next, change: changeOf(tenant, chosen, next, now) };
};

const changeOf = (tenant: Tenant, was: EncryptionRecord | undefined, next: EncryptionRecord, now: Date): Change => ({
  writes: [
    whileActive(tenant),
    { put: next, ...unchanged(was), onConditionFailed: () => new StaleReadError() },
    ...(next.isWalking ? [enqueue(tenant, { kind: 'rewrap-keys', walk: next.version }, now)] : []),
  ],
  audit: [
    {
      scope: tenant.organizationId,
      resource: { type: 'organization', id: tenant.organizationId },
      details: currentEncryption(next),
    },
  ],
});

const refuseUnlessAllowed = ({ mode, passphrase }: EncryptionWish): void => {
  const plan = env('PLAN');
  if (mode === 'customer' && plan !== 'enterprise')
    throw new ApiError('FORBIDDEN', 'A key of your own is part of the enterprise plan', {
      requiredPlan: 'enterprise',
      currentPlan: plan,
    });
  if (mode === 'kms' && passphrase !== undefined) throw invalid('passphrase', 'is for the mode customer only');
  if (mode === 'customer' && passphrase === undefined) throw invalid('passphrase', 'is required for the mode customer');
  if (passphrase !== undefined) refuseBadPassphrase(passphrase);
};

/** In the words of the archive, which has the last one. */
const refuseBadPassphrase = (passphrase: string): void => {
  try {
    passphraseBytes(passphrase);
  } catch (error) {
    if (error instanceof ArchiveError) throw invalid('passphrase', error.message.replace(/^the passphrase /, ''));
    throw error;
  }
};
