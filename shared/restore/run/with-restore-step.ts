import { RunControl, watchCalls } from '../../job/index.ts';
import { after } from '../../platform/index.ts';
import type { RestoreRecord } from '../model/record.ts';
import { loadRestoreContext, type RestoreContext } from '../model/restore-context.ts';
import { loadRunning, type RestoreAttempt } from '../model/running-restore.ts';
import type { RestoreDeps } from '../restore-deps.ts';
import { withShardHeartbeat } from './shard-run.ts';
import { WaitReporter } from './wait-reporter.ts';

/** A Lambda ends before this. */
const stepSeconds = 900;

/** What a step works with. Its calls are watched. */
export interface RestoreStepRun {
  readonly context: RestoreContext;
  readonly restore: RestoreRecord;
  readonly deps: RestoreDeps;
}

/** Runs a step that handles no shard beside a heartbeat, which reports its waits. */
export const withRestoreStep = async <T>(
  step: RestoreAttempt,
  given: RestoreDeps,
  work: (run: RestoreStepRun) => Promise<T>,
): Promise<T> => {
  const { deps, calls, database } = watchCalls(given);
  const { clock } = deps;
  const { restore, organization } = await loadRunning(step);
  const context = await loadRestoreContext(step.tenant, restore, organization);
  const waits = new WaitReporter({ context, database, calls, clock });
  const control = new RunControl(after(clock.now(), stepSeconds), clock);
  try {
    const run = { context, restore, control, deps, waits };
    return await withShardHeartbeat(run, () => work({ context, restore, deps }));
  } catch (error) {
    throw control.explain(error);
  } finally {
    control.close();
  }
};
