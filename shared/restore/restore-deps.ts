import { openStoreInRequest } from '../destination/index.ts';
import { randomFraction } from '../platform/index.ts';
import { openToolkit } from '../project/index.ts';
import { type BackupDeps, backupDeps } from '../stored-backup/index.ts';

/** External dependencies of the restore steps, other than the table. Tests inject faults here. */
export interface RestoreDeps extends BackupDeps {
  readonly random: () => number;
  /** Opens the Firebase Authentication users of a project. */
  readonly openToolkit: typeof openToolkit;
  /** How a writer waits for the rate limit; real time by default. */
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

export const restoreDeps: RestoreDeps = { ...backupDeps, random: randomFraction, openToolkit };

/** For clean-up: short storage timeouts, because the reaper retries a bucket that does not answer. */
export const cleanUpDeps: RestoreDeps = {
  ...restoreDeps,
  openStore: openStoreInRequest,
};
