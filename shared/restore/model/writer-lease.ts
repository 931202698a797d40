/** Leases of the writers of a restore: the target is released only when no lease is active. */
import { setTimeout as sleepMs } from 'node:timers/promises';
import { workPartition } from '../../job/index.ts';
import { after, bestEffort, commit, epochSeconds, iso, type Tenant, type Write, walk } from '../../platform/index.ts';
import { restoreKey, type WriterRecord, writerPrefix } from './record.ts';

interface WriterRun {
  readonly number: number;
  readonly run: number;
}

/** A function exits within 60 s of its hand-over (functions/restore/workflow.ts); its last request is applied within 30 s more. */
const leaseSeconds = 90;
/** Expiry of leases that were never released. */
const ttlSeconds = 30 * 24 * 3_600;

/** Part of the transaction that gives a shard to a run, which checks that the restore runs: no writer starts after its end. */
export const acquireWriterLease = (
  tenant: Tenant,
  { id, writerRun: { number, run }, handOver }: { readonly id: string; readonly writerRun: WriterRun; readonly handOver: Date },
): Write => {
  const until = after(handOver, leaseSeconds);
  const ttl = epochSeconds(after(until, ttlSeconds));
  return { put: { ...restoreKey.writer(tenant, id, { number, run }), until: iso(until), ttl } satisfies WriterRecord };
};

/** Call only when no write is in flight. A writer that never releases its lease is considered alive until the lease expires. */
export const releaseWriterLease = (tenant: Tenant, id: string, { number, run }: WriterRun): Promise<unknown> =>
  bestEffort('release the writer lease', commit([{ remove: restoreKey.writer(tenant, id, { number, run }) }]));

export interface WriterWait {
  readonly now: () => Date;
  readonly sleep?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
  readonly seconds?: number | undefined;
}

/** Writers check every 2 s whether the restore still runs; requests in flight are answered or abandoned within 5 s. */
const waitSeconds = 20;
const pollMs = 500;

/** Waits until no lease is active; false after the time limit. Call only once the restore has stopped, so no new run starts. */
export const waitForWriters = async (
  tenant: Tenant,
  id: string,
  { now, sleep = (ms) => sleepMs(ms), seconds = waitSeconds }: WriterWait,
): Promise<boolean> => {
  for (let polls = Math.ceil((seconds * 1_000) / pollMs); ; polls--) {
    if (!(await hasActiveWriter(tenant, id, now()))) return true;
    if (polls <= 0) return false;
    await sleep(pollMs, undefined);
  }
};

/** Whether a writer still has its lease, even after the end: a failed restore waits no longer than `waitForWriters`. */
export const hasActiveWriter = async (tenant: Tenant, id: string, now: Date): Promise<boolean> => {
  const range = { pk: workPartition(tenant, id), prefix: writerPrefix };
  for await (const { until } of walk<WriterRecord>(range)) if (until > iso(now)) return true;
  return false;
};
