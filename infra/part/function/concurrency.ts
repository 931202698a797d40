/** Limits of concurrent functions, so that no part of the service starves another. */
import { captureHandoverSeconds, captureOverdueSeconds } from '../../../shared/contract/limits.ts';
import type { WorkerName } from '../../../shared/contract/runtime/workers.ts';
import { type QueueName, workQueueSpecs } from '../trigger/work-queue-specs.ts';

/** The default concurrency of an established AWS account. */
export const usualConcurrency = 1_000;

/**
 * How a reservation of 473 is divided among the workflow steps of all jobs of all organizations. A reservation is also the maximum:
 * with one, a hundred nightly backups of twenty copies each cannot use 2,000 and starve the API; a step without capacity waits
 * (`infra/workflow/step.ts`). It is taken from the account even while nothing runs, so there is none by default, and jobs share the
 * account's concurrency with the API. Queue consumers are limited by their queues (`work-queue-specs.ts`) in either case.
 */
export const stepConcurrency = {
  backupPrepare: 14,
  backupPlan: 20,
  backupCopy: 180,
  backupSeal: 20,
  backupFail: 10,
  backupVerify: 30,
  restorePrepare: 20,
  restoreCheck: 60,
  restoreSeal: 10,
  restoreWrite: 60,
  restoreFinish: 5,
  restoreFail: 10,
  restoreTestRun: 10,
  exportRun: 5,
  exportShard: 14,
  purge: 5,
} as const satisfies Partial<Record<WorkerName, number>>;

const shares: Partial<Record<WorkerName, number>> = stepConcurrency;
const sharesTotal = Object.values(stepConcurrency).reduce((sum, share) => sum + share, 0);

/** Less would leave the smallest share without any. */
export const reservedMin = Math.ceil(sharesTotal / Math.min(...Object.values(stepConcurrency)));
/** Lambda rejects reservations that leave less than this to the account's other functions. */
export const unreservedMin = 100;
/** The minimum for a queue trigger. */
const mappingMin = 2;

/** Undefined: uses the unreserved rest. */
export const reservedFor = (name: WorkerName, reservedConcurrency: number): number | undefined => {
  const share = shares[name];
  return share === undefined || reservedConcurrency === 0 ? undefined : Math.floor((share * reservedConcurrency) / sharesTotal);
};

/**
 * An account below this cannot reserve anything for workflow steps, since Lambda keeps 100 and the smallest share is one. Its maps are
 * narrower instead: a share for one backup, half of it for one restore, and the rest for the API, queues and watchdogs.
 */
export const smallBelow = reservedMin + unreservedMin;
const copyShare = 0.3;

/**
 * How many ranges of one job run at once: 20, or in a small account three of ten for a backup and one for a restore. Four and two left
 * the API without its share while queues woke functions that found no slot.
 */
export const mapWidth = (most: number, kind: 'backup' | 'restore' | 'export', accountConcurrency: number): number => {
  if (accountConcurrency >= smallBelow) return most;
  const share = kind === 'backup' ? copyShare : copyShare / 2;
  return Math.min(most, Math.max(1, Math.floor(share * accountConcurrency)));
};

/** `WORK_SLOTS` of a queue (`shared/event/work-slots.ts`), without what its function and its dead-letter queue say. */
interface QueueSlots {
  readonly queue: QueueName;
  readonly slots: number;
  readonly ownMax: number;
  readonly urgent?: { readonly slots: number; readonly afterSeconds: number };
  readonly delaySeconds: number;
  readonly waitMaxSeconds: number;
}

/** A capture that has waited longer runs one cycle only, also if its message came early for a handover. */
const captureWaitSeconds = captureOverdueSeconds + captureHandoverSeconds;

/**
 * The slots that queue workers of a small account share, because each mapping has at least two: a fifth for slow queues (`isSlow` in
 * `work-queue-specs.ts`), and a tenth more for the others. A capture may listen for minutes, so it begins only while one is left to
 * other slow work, unless it is short, takes over from another or has waited for long. Retries, whose endpoints may hang, take half of the slow
 * ones. Undefined: mappings alone limit the queues.
 */
export const slotsOf = (queue: QueueName, accountConcurrency: number): QueueSlots | undefined => {
  if (accountConcurrency >= smallBelow) return undefined;
  const slow = Math.max(mappingMin, Math.floor(accountConcurrency / 5));
  const all = slow + Math.floor(accountConcurrency / 10);
  const { isSlow, waitMaxSeconds = 2 * captureWaitSeconds } = workQueueSpecs[queue];
  const slots = isSlow ? slow : all;
  const own = { queue, slots, ownMax: slots, delaySeconds: isSlow ? 5 : 1, waitMaxSeconds };
  if (queue === 'capture') return { ...own, slots: slow - 1, urgent: { slots: slow, afterSeconds: captureWaitSeconds } };
  return queue === 'deliveryRetry' ? { ...own, ownMax: Math.floor(slow / 2) } : own;
};

/** How many jobs of a kind one organization may run at once, unless a setting says otherwise: one for every ten of a small account. */
export const jobsAtOnce = (most: number, accountConcurrency: number): number =>
  accountConcurrency >= smallBelow ? most : Math.min(most, Math.floor(accountConcurrency / 10));

/** Small accounts scale the limit down; large ones do not scale it up, because it has other reasons as well. */
export const queueConcurrency = (most: number, accountConcurrency: number): number =>
  Math.max(mappingMin, Math.min(most, Math.floor((most * accountConcurrency) / usualConcurrency)));

/** What all queues together may use. */
export const queuesConcurrency = (accountConcurrency: number): number =>
  Object.values(workQueueSpecs).reduce((sum, spec) => sum + queueConcurrency(spec.concurrencyMax, accountConcurrency), 0);

/** What Lambda requires to stay unreserved is the share of the API: queues that fill it would take the API down. */
export const reservedMax = (accountConcurrency: number): number =>
  Math.max(0, accountConcurrency - queuesConcurrency(accountConcurrency) - unreservedMin);
