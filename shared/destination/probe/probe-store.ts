/**
 * Tries a destination as a backup would use it: a trimmed form of the suite that every store of ours passes. What it finds is
 * for the customer: each step by name, and of a failure the reason, without any secret.
 */
import { after, assumeRole, clock, newUlid, secureRandomBytes, type Tenant } from '../../platform/index.ts';
import type { Credentials } from '../model/credentials.ts';
import { externalIdOf, openConfiguredStore, type StoreConfig } from '../open/open-store.ts';
import { type ObjectStore, StorageError } from '../store/object-store.ts';
import { requestRetryPolicy } from '../store/retry-transient.ts';

export interface ProbeCheck {
  readonly name: string;
  readonly ok: boolean;
  readonly error?: string;
}

export interface ProbeResult {
  readonly checks: readonly ProbeCheck[];
  readonly warnings: readonly string[];
  readonly durationMs: number;
  /** The step that failed; all before it went well, none after it was tried. */
  readonly failure?: { readonly step: string; readonly reason: string };
}

export type ProbeTarget = StoreConfig & { readonly prefix: string; readonly immutable: boolean };

/** The function ends after 20 s and has work of its own. */
const probeMs = 12_000;
/** What is tidied up after a failure has this much more. */
const tidyMs = 3_000;
/** A lock on the object that is tried must end by itself soon, and is long enough for any clock to see it as to come. */
const lockedSeconds = 120;

/** The signal ends every step that is under way: nothing of a probe goes on after its answer. */
export const probeStore = async (
  tenant: Tenant,
  tried: ProbeTarget,
  credentials: Credentials,
  signal = AbortSignal.timeout(probeMs),
): Promise<ProbeResult> => {
  const startedMs = clock.now().getTime();
  const checks: ProbeCheck[] = [];
  let store: ObjectStore | undefined;
  let warnings: readonly string[] = [];
  try {
    if ('roleArn' in credentials) await step(checks, 'role', signal, () => checkRole(tenant, tried, credentials.roleArn));
    const opened = await step(checks, 'open', signal, () =>
      openConfiguredStore(tenant, tried, credentials, tried.prefix, requestRetryPolicy),
    );
    store = opened;
    await tryStore(opened, tried, checks, signal);
    if (!signal.aborted) warnings = (await opened.warnings?.(signal)) ?? [];
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
  } finally {
    store?.close();
  }
  const failed = checks.find(({ ok }) => !ok);
  return {
    checks: checks.filter(({ name, ok }) => name !== 'open' || !ok),
    warnings,
    durationMs: clock.now().getTime() - startedMs,
    ...(failed && { failure: { step: failed.name, reason: failed.error ?? 'failed' } }),
  };
};

class Failed extends Error {}

/** Notes how a step went; a failure of the store, or the end of the time, ends the probe. The work must heed the signal. */
const step = async <T>(checks: ProbeCheck[], name: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const end = () => reject(signal.reason);
  signal.addEventListener('abort', end, { once: true });
  try {
    signal.throwIfAborted();
    // Roles and tokens are given by others in a time of their own, which is bounded too.
    const result = await Promise.race([work(), late]);
    checks.push({ name, ok: true });
    return result;
  } catch (error) {
    const failure = signal.aborted ? new StorageError('unavailable', 'The store did not answer in time.') : error;
    if (!(failure instanceof StorageError)) throw error;
    checks.push({ name, ok: false, error: failure.message });
    throw new Failed(name, { cause: failure });
  } finally {
    signal.removeEventListener('abort', end);
  }
};

const tryStore = async (store: ObjectStore, tried: ProbeTarget, checks: ProbeCheck[], signal: AbortSignal): Promise<void> => {
  const folder = `probe/${newUlid()}`;
  const name = `${folder}/object`;
  const bytes = secureRandomBytes(1_024);
  const lock = tried.objectLock ? { lockedUntil: after(clock.now(), lockedSeconds) } : {};
  const equal = (got: Uint8Array, wanted: Uint8Array): void => {
    if (!Buffer.from(got).equals(wanted)) throw new StorageError('invalid', 'The store gave other bytes than it was given.');
  };
  const attempt = (check: string, work: () => Promise<void>) => step(checks, check, signal, work);

  await attempt('write', () => store.put(name, bytes, { ...lock, signal }));
  try {
    await attempt('read', async () => equal(await store.get(name, { maxBytes: bytes.length }, signal), bytes));
    await attempt('readPart', async () =>
      equal(await store.get(name, { offset: 100, length: 200 }, signal), bytes.subarray(100, 300)),
    );
    await attempt('list', async () => {
      let listed = 0;
      // The first that should not be there ends it, however many may follow.
      for await (const found of store.list(`${folder}/`, signal))
        if (++listed > 1 || found.name !== name || found.size !== bytes.length) throw notListed();
      if (listed === 0) throw notListed();
    });
  } catch (error) {
    // What was tried is not left behind, if it can be helped.
    if (!tried.immutable) await store.remove([name], AbortSignal.timeout(tidyMs)).catch(() => {});
    throw error;
  }
  if (tried.immutable) return;
  await attempt('delete', async () => {
    await store.remove([name], signal);
    if (await store.head(name, signal)) throw new StorageError('invalid', 'The store kept an object that it said was removed.');
  });
};

const notListed = (): StorageError => new StorageError('invalid', 'The store does not list what it holds.');

/** A role is ours to use only if it asks for the ExternalId: else whoever else we work for could have us use it for them. */
const checkRole = async (tenant: Tenant, { externalId = externalIdOf(tenant) }: ProbeTarget, roleArn: string): Promise<void> => {
  const wish = { roleArn, sessionName: tenant.organizationId };
  const unanswered = (cause: unknown): never => {
    throw new StorageError('unavailable', 'The role could not be tried: the service that gives roles did not answer.', { cause });
  };
  if (!(await assumeRole({ ...wish, externalId }).catch(unanswered)))
    throw new StorageError('denied', 'The role does not let us in with the ExternalId of this organization.');
  if (await assumeRole(wish).catch(unanswered))
    throw new StorageError('denied', 'The role lets us in without the ExternalId: let its trust policy ask for it.');
};
