/** Divides the account's Lambda concurrency, so that no part of the service starves another. */
import type { WorkerName } from '../../../shared/contract/runtime/workers.ts';

/** The default concurrency of an established AWS account. */
export const usualConcurrency = 1_000;

/**
 * Workflow steps of all jobs of all organizations together. A reservation is also the maximum: twenty copies of each of a hundred
 * nightly backups would need 2,000 and starve the API. A step without capacity waits (`infra/workflow/step.ts`). Queue consumers
 * are limited by their queues (`work-queues.ts`); the API and the periodic functions share the rest.
 */
export const stepConcurrency = {
  backupPrepare: 15,
  backupPlan: 25,
  backupCopy: 200,
  backupSeal: 25,
  backupFail: 10,
  backupVerify: 30,
  restorePrepare: 20,
  restoreCheck: 60,
  restoreSeal: 10,
  restoreWrite: 60,
  restoreFinish: 5,
  restoreFail: 10,
  purge: 5,
} as const satisfies Partial<Record<WorkerName, number>>;

/** Lambda rejects reservations that leave less than this to the account's other functions. */
export const unreservedMin = 100;
/** Smaller accounts get no reservations: their parts compete, and many backups can delay the API. */
const reservableFrom = 250;
/** The minimum for a queue trigger. */
const mappingMin = 2;

/** Undefined: uses the unreserved rest. */
export const reservedFor = (name: WorkerName, accountConcurrency: number): number | undefined => {
  const most: number | undefined = (stepConcurrency as Partial<Record<WorkerName, number>>)[name];
  if (most === undefined || accountConcurrency < reservableFrom) return undefined;
  return Math.max(1, Math.floor((most * accountConcurrency) / usualConcurrency));
};

/** Small accounts scale the limit down; large ones do not scale it up, because it has other reasons as well. */
export const queueConcurrency = (most: number, accountConcurrency: number): number =>
  Math.max(mappingMin, Math.min(most, Math.floor((most * accountConcurrency) / usualConcurrency)));
