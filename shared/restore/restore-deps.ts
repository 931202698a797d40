import { type BackupDeps, backupDeps } from '../backup/index.ts';
import { openStore, requestRetryPolicy } from '../destination/index.ts';
import { randomFraction } from '../platform/index.ts';
import { openToolkit } from '../project/index.ts';

/** What the steps of a restore reach out to beside the table; given to them, so that faults can be put in between. */
export interface RestoreEngine extends BackupDeps {
  readonly random: () => number;
  /** The users of a project. */
  readonly openToolkit: typeof openToolkit;
  /** How a writer waits for its pace; in real time unless said. */
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

export const restoreEngine: RestoreEngine = { ...backupDeps, random: randomFraction, openToolkit };

/** For what cleans up: a bucket that does not answer is asked again by the next run of the reaper. */
export const cleaningEngine: RestoreEngine = {
  ...restoreEngine,
  openStore: (tenant, destination, folder) => openStore(tenant, destination, folder, requestRetryPolicy),
};
