/**
 * Every loop of the workflows, by the state that it repeats: how long it goes on at most, and how long a round lasts at least.
 * test/law/workflow.test.ts computes that no execution reaches the limit of its history.
 */
import { backupTimeoutMinutesMax } from '../../shared/contract/limits.ts';
import { roundSeconds } from '../../shared/contract/runtime/step-rounds.ts';
import { waitPauses } from '../../shared/contract/runtime/wait-pauses.ts';
import { workflowTimeoutSeconds as exportSeconds } from './export.ts';
import { workflowTimeoutSeconds as purgeSeconds } from './purge.ts';
import { workflowTimeoutSeconds as restoreSeconds } from './restore.ts';
import { workflowTimeoutSeconds as restoreTestSeconds } from './restore-test.ts';
import { workflowTimeoutSeconds as verifySeconds } from './verify.ts';

interface Loop {
  /** Rounds in which the step works until it hands over. */
  readonly workRounds: number;
  /** Rounds in which the step only looks whether to wait longer, each followed by a pause. */
  readonly waitRounds: number;
}

const working = (longestSeconds: number, seconds: number): Loop => ({
  workRounds: Math.ceil(longestSeconds / seconds),
  waitRounds: 0,
});

/** Phases of a restore test in which it waits: for a lock, a verification, the restore, the customer's check, and the removal. */
const waitingPhases = 6;

/** Pauses start again with every phase, and all phases together last as long as the execution. */
const pausesOf = (longestSeconds: number, phases = waitingPhases): number => {
  const growing = waitPauses.slice(0, -1).map(({ untilSeconds, pauseSeconds }, n) => {
    const fromSeconds = waitPauses[n - 1]?.untilSeconds ?? 0;
    return Math.ceil((untilSeconds - fromSeconds) / pauseSeconds);
  });
  const longest = waitPauses[waitPauses.length - 1]?.pauseSeconds ?? 1;
  return phases * growing.reduce((all, one) => all + one, 0) + Math.ceil(longestSeconds / longest);
};

/** A restore test either works or waits. Comparing and reading the largest backup takes a day. */
const compareSeconds = 24 * 3_600;
const backupSeconds = backupTimeoutMinutesMax * 60;

export const loops: Readonly<Record<string, Loop>> = {
  /** A backup is planned at most twice. */
  Seal: { workRounds: 2, waitRounds: 0 },
  'Copy shard': working(backupSeconds, roundSeconds.backupCopy),
  'Check shard': working(restoreSeconds, roundSeconds.restoreCheck),
  'Write shard': working(restoreSeconds, roundSeconds.restoreWrite),
  Verify: working(verifySeconds, roundSeconds.backupVerify),
  Purge: working(purgeSeconds, roundSeconds.purge),
  /**
   * Waits for the backup of a moment; then it plans, joins the columns and finishes, with a map of its own in between. Erasures meanwhile
   * repeat these.
   */
  Advance: { workRounds: 80, waitRounds: pausesOf(exportSeconds, 1) },
  'Export shard': { workRounds: 1, waitRounds: 0 },
  Run: {
    workRounds: working(compareSeconds, roundSeconds.restoreTestRun).workRounds,
    waitRounds: pausesOf(restoreTestSeconds - compareSeconds),
  },
};
