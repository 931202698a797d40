/**
 * Tests a destination the way a backup uses it: a short form of the suite that every store passes. The result is for the customer:
 * each step by name, with the reason of a failure and without secrets.
 */
import type { StorageFailureKind } from '../../contract/models/storage-destination.ts';
import {
  after,
  assumeRole,
  clock,
  federatedAccessToken,
  newUlid,
  secureRandomBytes,
  type Tenant,
  TokenError,
} from '../../platform/index.ts';
import { findProviderFlaw } from '../../project/index.ts';
import type { Credentials } from '../model/credentials.ts';
import type { StorageIdentity } from '../model/record.ts';
import { storageRules } from '../model/storage-rules.ts';
import { externalIdOf, openConfiguredStore, type StoreConfig } from '../open/open-store.ts';
import { storageScopes } from '../store/gcs/storage-scopes.ts';
import { type ObjectStore, StorageError } from '../store/object-store.ts';
import { requestRetryPolicy } from '../store/retry-transient.ts';

interface ProbeCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly error?: string;
  readonly kind?: StorageFailureKind;
}

export interface ProbeResult {
  readonly checks: readonly ProbeCheck[];
  readonly warnings: readonly string[];
  readonly durationMs: number;
  /** The step that failed. All earlier steps succeeded, no later step ran. */
  readonly failure?: { readonly step: string; readonly kind: StorageFailureKind; readonly reason: string };
}

export type ProbeTarget = StoreConfig & { readonly prefix: string; readonly immutable: boolean };

/** The function times out after 20 s and needs time for its own work. */
const probeMs = 12_000;
/** Additional time to clean up after a failure. */
const cleanUpMs = 3_000;
/** The lock of the test object expires soon, but lies in the future for any clock. */
const lockedSeconds = 120;

/** The signal ends every step: no part of a probe continues after its result. */
export const probeStore = async (
  tenant: Tenant,
  target: ProbeTarget,
  { credentials, signal = AbortSignal.timeout(probeMs) }: { readonly credentials: Credentials; readonly signal?: AbortSignal },
): Promise<ProbeResult> => {
  const startedMs = clock.now().getTime();
  const checks: ProbeCheck[] = [];
  let store: ObjectStore | undefined;
  let warnings: readonly string[] = [];
  try {
    if ('roleArn' in credentials)
      await step(checks, { name: 'role', signal, work: () => checkRole(tenant, target, credentials.roleArn) });
    if ('audience' in credentials)
      await step(checks, { name: 'workloadIdentity', signal, work: () => checkIdentity(tenant, credentials) });
    const opened = await step(checks, {
      name: 'open',
      signal,
      work: () =>
        openConfiguredStore(tenant, { config: target, credentials, folder: target.prefix, retryPolicy: requestRetryPolicy }),
    });
    store = opened;
    const found = await testStore(opened, { target, checks, signal });
    warnings = [...found, ...(signal.aborted ? [] : ((await opened.warnings?.(signal)) ?? []))];
  } catch (error) {
    if (!(error instanceof StepFailed)) throw error;
  } finally {
    store?.close();
  }
  const failed = checks.find(({ ok }) => !ok);
  return {
    checks: checks.filter(({ name, ok }) => name !== 'open' || !ok),
    warnings,
    durationMs: clock.now().getTime() - startedMs,
    ...(failed && { failure: { step: failed.name, kind: failed.kind ?? 'invalid', reason: failed.error ?? 'failed' } }),
  };
};

class StepFailed extends Error {}

/** Runs and records a step. A StorageError or the timeout ends the probe. `work` must observe the signal. */
const step = async <T>(
  checks: ProbeCheck[],
  { name, signal, work }: { readonly name: string; readonly signal: AbortSignal; readonly work: () => Promise<T> },
): Promise<T> => {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    signal.throwIfAborted();
    // Calls for roles and tokens do not observe the signal; they have timeouts of their own.
    const result = await Promise.race([work(), aborted]);
    checks.push({ name, ok: true });
    return result;
  } catch (error) {
    const failure = signal.aborted ? new StorageError('unavailable', 'The store did not respond in time.') : error;
    if (!(failure instanceof StorageError)) throw error;
    checks.push({ name, ok: false, error: failure.message, kind: failure.code });
    throw new StepFailed(name, { cause: failure });
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
};

/** Returns warnings. */
const testStore = async (
  store: ObjectStore,
  { target, checks, signal }: { readonly target: ProbeTarget; readonly checks: ProbeCheck[]; readonly signal: AbortSignal },
): Promise<readonly string[]> => {
  const warnings: string[] = [];
  const folder = `probe/${newUlid()}`;
  const name = `${folder}/object`;
  const bytes = secureRandomBytes(1_024);
  const lock = target.objectLock ? { lockedUntil: after(clock.now(), lockedSeconds) } : {};
  // Cloud Storage keeps a locked object, S3 hides it: there the lock is tested with an object of its own, which stays.
  const isApart = storageRules[target.type].protocol === 'gcs' && target.objectLock !== null;
  const lockedName = isApart ? `${folder}/locked` : name;
  const assertEqual = (found: Uint8Array, written: Uint8Array): void => {
    if (!Buffer.from(found).equals(written))
      throw new StorageError('invalid', 'The store returned different bytes than were written.');
  };
  const attempt = (check: string, work: () => Promise<void>) => step(checks, { name: check, signal, work });

  await attempt('write', () => {
    const written = store.put(name, bytes, { ...(isApart ? {} : lock), signal });
    return target.objectLock && !isApart ? written.catch(explainLock) : written;
  });
  try {
    await attempt('read', async () => assertEqual(await store.get(name, { maxBytes: bytes.length }, signal), bytes));
    await attempt('readPart', async () =>
      assertEqual(await store.get(name, { offset: 100, length: 200 }, signal), bytes.subarray(100, 300)),
    );
    await attempt('list', async () => {
      let listed = 0;
      // The first unexpected object ends the listing.
      for await (const found of store.list(`${folder}/`, signal))
        if (++listed > 1 || found.name !== name || found.size !== bytes.length) throw wrongListing();
      if (listed === 0) throw wrongListing();
    });
    if (target.objectLock)
      await attempt('lock', async () => {
        if (isApart) await store.put(lockedName, bytes, { ...lock, signal });
        const state = await store.head(lockedName, signal);
        const extended = after(clock.now(), 2 * lockedSeconds);
        const reported = state && (await store.extendLock(lockedName, state, { until: extended, signal }));
        if (!reported || reported < extended) warnings.push(unreportedLock);
      });
  } catch (error) {
    // Best effort: do not leave the test object behind.
    if (!target.immutable) await store.remove([name], AbortSignal.timeout(cleanUpMs)).catch(() => {});
    throw error;
  }
  if (target.immutable) return warnings;
  await attempt('delete', async () => {
    await store.remove([name], signal);
    const remaining = await store.head(name, signal);
    if (remaining && !remaining.isHidden)
      throw new StorageError('invalid', 'The object still exists after the store confirmed its deletion.');
  });
  return warnings;
};

/** S3 refuses a locked object in a bucket without Object Lock as an invalid request, without saying why. */
const explainLock = (error: unknown): never => {
  if (!(error instanceof StorageError) || error.code !== 'invalid') throw error;
  throw new StorageError('invalid', `${error.message} Enable Object Lock on the bucket, or leave out objectLock.`, {
    cause: error,
  });
};

const unreportedLock =
  'The store does not report the locks of objects (permission s3:GetObjectRetention is missing): backups cannot say until when they are immutable.';

const wrongListing = (): StorageError => new StorageError('invalid', 'The store’s listing does not match its objects.');

/** The role must require the ExternalId: otherwise another customer could have us use it for them (confused deputy). */
const checkRole = async (tenant: Tenant, { externalId = externalIdOf(tenant) }: ProbeTarget, roleArn: string): Promise<void> => {
  const input = { roleArn, sessionName: tenant.organizationId };
  const noResponse = (cause: unknown): never => {
    throw new StorageError('unavailable', 'The role could not be tested: AWS STS did not respond.', { cause });
  };
  if (!(await assumeRole({ ...input, externalId }).catch(noResponse)))
    throw new StorageError('denied', 'The role cannot be assumed with the ExternalId of this organization.');
  if (await assumeRole(input).catch(noResponse))
    throw new StorageError('denied', 'The role can be assumed without the ExternalId: require it in the trust policy.');
};

/** The provider must trust this organization, and no other one of this service. */
const checkIdentity = async (tenant: Tenant, { audience, serviceAccountEmail }: StorageIdentity): Promise<void> => {
  try {
    const identity = { audience, sessionName: tenant.organizationId, serviceAccountEmail };
    await federatedAccessToken(identity, storageScopes);
    const flaw = await findProviderFlaw(tenant, audience);
    if (flaw) throw new StorageError('denied', `${flaw.reason}.`);
  } catch (error) {
    throw error instanceof TokenError
      ? new StorageError(error.isTransient ? 'unavailable' : 'denied', `${error.message}.`, { cause: error })
      : error;
  }
};
