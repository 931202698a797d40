/** What may run at once: no part of the service takes what another needs of the concurrency that the account has. */
import type { WorkerName } from '../../../shared/contract/runtime/workers.ts';

/** What AWS gives an account that is not new and has not asked for more. */
export const usualConcurrency = 1_000;

/**
 * Steps of workflows, of all jobs of all organizations together. A reservation is also the most a function gets: twenty copies of
 * each of a hundred nightly backups are 2,000, and would leave nothing to the API. A step that finds no room waits for it
 * (`infra/workflow/step.ts`). What queues feed is held by the queues (`work-queues.ts`); the API and the clocks have the rest.
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

/** Lambda refuses reservations that leave less than this to all other functions of the account. */
export const unreservedMin = 100;
/** Of an account with less, nothing is reserved: its parts compete, and a crowd of backups can keep the API waiting. */
const reservableFrom = 250;
/** The least that a queue's mapping may be given. */
const mappingMin = 2;

/** Undefined for what takes of the rest. */
export const reservedFor = (name: WorkerName, accountConcurrency: number): number | undefined => {
  const most: number | undefined = (stepConcurrency as Partial<Record<WorkerName, number>>)[name];
  if (most === undefined || accountConcurrency < reservableFrom) return undefined;
  return Math.max(1, Math.floor((most * accountConcurrency) / usualConcurrency));
};

/** A small account has its share; a large one no more, because these numbers have other reasons, too. */
export const queueConcurrency = (most: number, accountConcurrency: number): number =>
  Math.max(mappingMin, Math.min(most, Math.floor((most * accountConcurrency) / usualConcurrency)));
