/** Who may be writing to the target of a restore: it is free only when nobody does. */
import { setTimeout as pause } from 'node:timers/promises';
import { after, bestEffort, commit, epochSeconds, iso, type Tenant, type Write, walk } from '../../platform/index.ts';
import { restoreKey, workPartition, type WriterRecord, writerPrefix } from './record.ts';

/** One run of a writer, by its shard and its number. */
export interface WriterRun {
  readonly number: number;
  readonly run: number;
}

/** A function has 60 s after it was to hand over (functions/restore/write.ts); what it sent last is applied in 30 more. */
const lastSeconds = 90;
/** For those that nothing could remove. */
const keptSeconds = 30 * 24 * 3_600;

/** For the transaction that gives a shard to a run, conditioned on the restore running: once it does not, nobody begins. */
export const acquireWriterLease = (tenant: Tenant, id: string, { number, run }: WriterRun, handOver: Date): Write => {
  const until = after(handOver, lastSeconds);
  const ttl = epochSeconds(after(until, keptSeconds));
  return { put: { ...restoreKey.writer(tenant, id, number, run), until: iso(until), ttl } satisfies WriterRecord };
};

/** Only for a run of which nothing is under way any more. One that could not say so is waited for until it must be dead. */
export const releaseWriterLease = (tenant: Tenant, id: string, { number, run }: WriterRun): Promise<unknown> =>
  bestEffort('say that a writer has ended', commit([{ remove: restoreKey.writer(tenant, id, number, run) }]));

export interface WriterWait {
  readonly now: () => Date;
  readonly sleep?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
  readonly seconds?: number | undefined;
}

/** Writers look every 2 s whether the restore goes on; what they had sent by then is answered or given up within 5 s. */
const patienceSeconds = 20;
const lookEveryMs = 500;

/** Whether nobody writes any more; waits for it a while. Only for a restore that does not go on: no run begins meanwhile. */
export const waitForWriters = async (
  tenant: Tenant,
  id: string,
  { now, sleep = (ms) => pause(ms), seconds = patienceSeconds }: WriterWait,
): Promise<boolean> => {
  for (let waits = Math.ceil((seconds * 1_000) / lookEveryMs); ; waits--) {
    if (!(await hasWriter(tenant, id, iso(now())))) return true;
    if (waits <= 0) return false;
    await sleep(lookEveryMs, undefined);
  }
};

const hasWriter = async (tenant: Tenant, id: string, now: string): Promise<boolean> => {
  const range = { pk: workPartition(tenant, id), prefix: writerPrefix };
  for await (const { until } of walk<WriterRecord>(range)) if (until > now) return true;
  return false;
};
