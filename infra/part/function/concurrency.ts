/** Limits of concurrent functions, so that no part of the service starves another. */
import type { WorkerName } from '../../../shared/contract/runtime/workers.ts';
import { workQueueSpecs } from '../trigger/work-queue-specs.ts';

/** The default concurrency of an established AWS account. */
export const usualConcurrency = 1_000;

/**
 * How a reservation of 474 is divided among the workflow steps of all jobs of all organizations. A reservation is also the maximum:
 * with one, a hundred nightly backups of twenty copies each cannot use 2,000 and starve the API; a step without capacity waits
 * (`infra/workflow/step.ts`). It is taken from the account even while nothing runs, so there is none by default, and jobs share the
 * account's concurrency with the API. Queue consumers are limited by their queues (`work-queue-specs.ts`) in either case.
 */
export const stepConcurrency = {
  backupPrepare: 14,
  backupPlan: 20,
  backupCopy: 200,
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

/** Small accounts scale the limit down; large ones do not scale it up, because it has other reasons as well. */
export const queueConcurrency = (most: number, accountConcurrency: number): number =>
  Math.max(mappingMin, Math.min(most, Math.floor((most * accountConcurrency) / usualConcurrency)));

/** What all queues together may use. */
export const queuesConcurrency = (accountConcurrency: number): number =>
  Object.values(workQueueSpecs).reduce((sum, spec) => sum + queueConcurrency(spec.concurrencyMax, accountConcurrency), 0);

/** What Lambda requires to stay unreserved is the share of the API: queues that fill it would take the API down. */
export const reservedMax = (accountConcurrency: number): number =>
  Math.max(0, accountConcurrency - queuesConcurrency(accountConcurrency) - unreservedMin);
