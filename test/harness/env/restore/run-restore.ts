/** Runs the steps of a restore in this process, like the workflow of infra/workflow/restore.ts, without its waits. */
import { after, type Tenant } from '../../../../shared/platform/index.ts';
import {
  answerRestoreStep,
  checkShard,
  cleanUpRestore,
  failRestore,
  failureReason,
  finishRestore,
  prepareRestore,
  type RestoreDeps,
  type RestoreRecord,
  sealJournal,
  writeShard,
} from '../../../../shared/restore/index.ts';

/** Position of a workflow, from which it continues after a crash, like Step Functions. */
export interface RestorePosition {
  step: 'prepare' | 'check' | 'seal' | 'write' | 'finish' | 'end';
  shards: readonly number[];
  /** Remaining shards of the current step. */
  remaining: number[];
  readonly attempt: number;
}
export const firstRestoreStep = (attempt = 1): RestorePosition => ({ step: 'prepare', shards: [], remaining: [], attempt });

/** The step failed permanently; the reason is on the record. */
export class RestoreFailedError extends Error {}

export interface ResumeRestoreOptions {
  readonly workSeconds?: number;
  /** Called before each run of a step. */
  readonly onStep?: (step: RestorePosition['step'], shard: number | undefined) => unknown;
  /** The last step to run; `finish` by default. */
  readonly upTo?: 'prepare' | 'check' | 'seal' | 'write';
}

export interface RunRestoreOptions extends ResumeRestoreOptions {
  readonly triesMax?: number;
}

/** The part of `RestoreEnv` that the steps need. */
interface Env {
  readonly tenant: Tenant;
  readonly deps: RestoreDeps;
  readonly restoreOf: (id: string) => RestoreRecord;
}

/** Runs every step once, shard by shard. Rethrows errors; the position then shows where to continue. */
export const resumeRestore = async (
  { tenant, deps, restoreOf }: Env,
  {
    restoreJobId,
    position,
    options: { workSeconds = 600, onStep, upTo } = {},
  }: { readonly restoreJobId: string; readonly position: RestorePosition; readonly options?: ResumeRestoreOptions | undefined },
): Promise<void> => {
  const run = { tenant, restoreJobId, attempt: position.attempt };
  const step = async <T>(work: () => Promise<T>, shard?: number): Promise<T> => {
    await onStep?.(position.step, shard);
    const answer = await answerRestoreStep(
      { ...run, ...(shard !== undefined && { shard }) },
      async () => ({ value: await work() }),
      deps.clock,
    );
    if (!answer) throw new RestoreFailedError(JSON.stringify(restoreOf(restoreJobId)?.failure));
    return answer.value;
  };
  const everyShard = async (work: (shard: number, handOver: Date) => Promise<boolean>): Promise<void> => {
    for (let shard = position.remaining[0]; shard !== undefined; shard = position.remaining[0]) {
      const number = shard;
      while (!(await step(() => work(number, after(deps.clock.now(), workSeconds)), number)));
      position.remaining.shift();
    }
  };
  const advance = (next: RestorePosition['step']): void => {
    position.step = next;
    position.remaining = [...position.shards];
  };
  if (position.step === 'prepare') {
    position.shards = (await step(() => prepareRestore(run, deps))).shards;
    advance('check');
    if (upTo === 'prepare') return;
  }
  if (position.step === 'check') {
    await everyShard((shard, handOver) => checkShard({ ...run, shard, handOver }, deps));
    advance('seal');
    if (upTo === 'check') return;
  }
  if (position.step === 'seal') {
    const { writes } = await step(() => sealJournal(run, deps));
    advance(writes ? 'write' : 'finish');
    if (upTo === 'seal') return;
  }
  if (position.step === 'write') {
    await everyShard((shard, handOver) => writeShard({ ...run, shard, handOver }, deps));
    advance('finish');
    if (upTo === 'write') return;
  }
  if (position.step === 'finish') await step(() => finishRestore(run, deps));
  position.step = 'end';
};

/** Runs a restore to its end, with retries; a failed one is cleaned up. */
export const runRestore = async (env: Env, restoreJobId: string, options: RunRestoreOptions = {}): Promise<RestoreRecord> => {
  const { tenant, deps, restoreOf } = env;
  const position = firstRestoreStep(restoreOf(restoreJobId).attempt);
  for (let tries = 1; position.step !== 'end'; tries++) {
    try {
      await resumeRestore(env, { restoreJobId, position, options });
      if (options.upTo) break;
    } catch (error) {
      if (!(error instanceof RestoreFailedError) && tries < (options.triesMax ?? 7)) continue;
      const name = error instanceof RestoreFailedError ? 'JobFailed' : (error as Error).name;
      const { attempt } = position;
      await failRestore({
        tenant,
        restoreJobId,
        attempt,
        reasonOf: (restore) => failureReason(restore, { Error: name }),
        now: deps.clock.now(),
        sleep: deps.sleep,
      });
      await cleanUpRestore(tenant, { restoreJobId, deps, options: { attempt } });
      break;
    }
  }
  return restoreOf(restoreJobId);
};
