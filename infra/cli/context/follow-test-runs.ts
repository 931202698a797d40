/** Waits for runs of a restore test. An interrupted wait lets them run. */
import { setTimeout as pause } from 'node:timers/promises';
import { ApiFailure, type Client, NetworkFailure } from '../../../shared/client/index.ts';
import { CliFailure } from '../base/cli-failure.ts';
import { exitCodes } from '../base/exit-codes.ts';
import { restoreTestRunDetails } from '../output/restore-test-view.ts';
import type { Context } from './context.ts';
import type { TestRun } from './find-resource.ts';

const intervalMs = 1_000;
const intervalMaxMs = 5_000;

/** Prints how all runs ended; fails unless all passed. */
export const followTestRuns = async (context: Context, started: readonly TestRun[]): Promise<void> => {
  const { output } = context;
  const client = await context.client();
  const ended: TestRun[] = [];
  for (const { id } of started) {
    const run = await waitForRun(client, id, context.signal);
    ended.push(run);
    if (output.isQuiet && !output.isJson) output.line(run.id);
    else if (!output.isJson) {
      output.details(restoreTestRunDetails(run));
      output.line('');
    }
  }
  if (output.isJson) output.json(ended);
  failUnlessPassed(ended);
};

/** Prints one run; fails if it failed or was cancelled. */
export const reportRun = ({ output }: Context, run: TestRun): void => {
  output.show(run, run.id, restoreTestRunDetails(run));
  if (!isRunning(run)) failUnlessPassed([run]);
};

const failUnlessPassed = (runs: readonly TestRun[]): void => {
  const bad = runs.filter(({ status }) => status !== 'passed');
  const [first] = bad;
  if (!first) return;
  const reason = first.error ? `: ${first.error.message} (${first.error.code})` : '';
  const more = bad.length > 1 ? `; ${bad.length} of ${runs.length} runs did not pass` : '';
  throw new CliFailure(exitCodes.failed, `run ${first.id} ${first.status}${reason}${more}`);
};

const isRunning = ({ status }: TestRun): boolean => status === 'pending' || status === 'running';

const waitForRun = async (client: Client, runId: string, signal: AbortSignal): Promise<TestRun> => {
  for (let delayMs = intervalMs; ; delayMs = Math.min(delayMs * 1.5, intervalMaxMs)) {
    const run = await client.request('GET /restore-tests/runs/{runId}', { params: { runId }, signal }).catch(ignoreOutage);
    if (run && !isRunning(run)) return run;
    await pause(delayMs, undefined, { signal });
  }
};

/** A lost connection says nothing about the run. */
const ignoreOutage = (error: unknown): undefined => {
  const isOutage =
    error instanceof NetworkFailure || (error instanceof ApiFailure && (error.status === 429 || error.status >= 500));
  if (!isOutage) throw error;
};
