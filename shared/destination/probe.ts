/**
 * Tries a destination as a backup would use it: a trimmed form of the suite that every store of ours passes. What it finds is
 * for the customer: each step by name, and of a failure the reason, without any secret.
 */
import { after, clock, newUlid, randomness, type Tenant, takeRole } from '../platform/index.ts';
import { callerPatience } from './attempts.ts';
import type { Credentials } from './credentials.ts';
import { externalIdOf, openPlace, type Place } from './open.ts';
import { warningsOf } from './probe-warning.ts';
import { StorageError, type Store } from './store.ts';

export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly error?: string;
}

export interface Probe {
  readonly checks: readonly Check[];
  readonly warnings: readonly string[];
  readonly durationMs: number;
  /** The step that failed; all before it went well, none after it was tried. */
  readonly failure?: { readonly step: string; readonly reason: string };
}

export type Tried = Place & { readonly prefix: string; readonly immutable: boolean };

/** The function ends after 20 s and has work of its own. */
const probeMs = 12_000;
/** A lock on the object that is tried must end by itself soon, and is long enough for any clock to see it as to come. */
const lockedSeconds = 120;

export const probe = async (tenant: Tenant, tried: Tried, credentials: Credentials): Promise<Probe> => {
  const startedMs = clock.now().getTime();
  const signal = AbortSignal.timeout(probeMs);
  const checks: Check[] = [];
  let store: Store | undefined;
  let warnings: readonly string[] = [];
  try {
    if ('roleArn' in credentials) await step(checks, 'role', signal, () => checkRole(tenant, credentials.roleArn));
    const opened = await step(checks, 'open', signal, () => openPlace(tenant, tried, credentials, tried.prefix, callerPatience));
    store = opened;
    await tryStore(opened, tried, checks, signal);
    warnings = await warningsOf(opened, signal);
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

/** Notes how a step went; a failure of the store ends the probe. */
const step = async <T>(checks: Check[], name: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
  const late = new Promise<never>((_, reject) => {
    const tooLate = () => reject(new StorageError('unavailable', 'The store did not answer in time.'));
    if (signal.aborted) tooLate();
    else signal.addEventListener('abort', tooLate, { once: true });
  });
  try {
    const result = await Promise.race([work(), late]);
    checks.push({ name, ok: true });
    return result;
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    checks.push({ name, ok: false, error: error.message });
    throw new Failed(name, { cause: error });
  }
};

const tryStore = async (store: Store, tried: Tried, checks: Check[], signal: AbortSignal): Promise<void> => {
  const folder = `probe/${newUlid()}`;
  const name = `${folder}/object`;
  const bytes = randomness(1_024);
  const lock = tried.objectLock ? { lockedUntil: after(clock.now(), lockedSeconds) } : {};
  const equal = (got: Uint8Array, wanted: Uint8Array): void => {
    if (!Buffer.from(got).equals(wanted)) throw new StorageError('invalid', 'The store gave other bytes than it was given.');
  };
  const attempt = (check: string, work: () => Promise<void>) => step(checks, check, signal, work);

  await attempt('write', () => store.put(name, bytes, lock));
  try {
    await attempt('read', async () => equal(await store.get(name), bytes));
    await attempt('readPart', async () => equal(await store.get(name, { offset: 100, length: 200 }), bytes.subarray(100, 300)));
    await attempt('list', async () => {
      const found = await Array.fromAsync(store.list(`${folder}/`));
      if (found.length !== 1 || found[0]?.name !== name || found[0].size !== bytes.length)
        throw new StorageError('invalid', 'The store does not list what it holds.');
    });
  } catch (error) {
    // What was tried is not left behind, if it can be helped.
    if (!tried.immutable) await store.remove([name]).catch(() => {});
    throw error;
  }
  if (tried.immutable) return;
  await attempt('delete', async () => {
    await store.remove([name]);
    if (await store.head(name)) throw new StorageError('invalid', 'The store kept an object that it said was removed.');
  });
};

/** A role is ours to use only if it asks for the ExternalId: else whoever else we work for could have us use it for them. */
const checkRole = async (tenant: Tenant, roleArn: string): Promise<void> => {
  const wish = { roleArn, sessionName: tenant.organizationId };
  const unanswered = (cause: unknown): never => {
    throw new StorageError('unavailable', 'The role could not be tried: the service that gives roles did not answer.', { cause });
  };
  if (!(await takeRole({ ...wish, externalId: externalIdOf(tenant) }).catch(unanswered)))
    throw new StorageError('denied', 'The role does not let us in with the ExternalId of this organization.');
  if (await takeRole(wish).catch(unanswered))
    throw new StorageError('denied', 'The role lets us in without the ExternalId: let its trust policy ask for it.');
};
