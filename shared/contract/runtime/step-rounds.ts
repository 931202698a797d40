/** How long one run of a step works before it hands over to the next: a workflow repeats it until it is done. */
import { workers } from './workers.ts';

/** At the end of a run, to store, count and record what was read or written. */
export const reserveSeconds = { backupCopy: 150, restoreCheck: 150, restoreWrite: 60 } as const;

const half = (step: 'backupVerify' | 'purge' | 'restoreTestRun'): number => workers[step].timeoutSeconds / 2;
const withoutReserve = (step: keyof typeof reserveSeconds): number => workers[step].timeoutSeconds - reserveSeconds[step];

/** A run that is not done lasts so long, except for the operation in progress, which may take longer. */
export const roundSeconds = {
  backupCopy: withoutReserve('backupCopy'),
  restoreCheck: withoutReserve('restoreCheck'),
  restoreWrite: withoutReserve('restoreWrite'),
  backupVerify: half('backupVerify'),
  purge: half('purge'),
  restoreTestRun: half('restoreTestRun'),
} as const;
