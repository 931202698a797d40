import { isReplacedBy, type JobFailure, judgeFailedRun, waitContinues, waitReason } from '../../job/index.ts';
import { bestEffort, commit, get, set } from '../../platform/index.ts';
import { type RestoreRecord, type RestoreShardRecord, restoreKey } from '../model/record.ts';
import { loadRestoreContext } from '../model/restore-context.ts';
import { restorePatience } from '../model/restore-patience.ts';
import { loadRunning, type RestoreAttempt, type ShardAttempt, updateRunning } from '../model/running-restore.ts';
import { waitWrites } from './wait-writes.ts';

/** A step, and the shard that it works on, if any. */
export type FailedStep = RestoreAttempt & Partial<Pick<ShardAttempt, 'shard'>>;

/**
 * A step has failed with a transient error: the restore waits until the workflow repeats it. Returns the failure of a restore that
 * has waited for too long.
 */
export const recordStepWait = async (step: FailedStep, error: unknown, now: Date): Promise<JobFailure | undefined> => {
  const reason = waitReason(error);
  if (!reason) return undefined;
  const { tenant, attempt, shard: number } = step;
  const { restore, organization } = await loadRunning(step);
  const shard = number === undefined ? undefined : await get(restoreKey.shard(tenant, restore.id, number));
  const problem = (error as Error).message;
  const noted = shard ?? restore;
  const position = positionOf(restore, shard);
  const patience = restorePatience(restore);
  const judged = judgeFailedRun(restore, noted.failing, {
    reason,
    position,
    patience,
    error,
    storage: 'STORAGE_READ_ERROR',
    now,
  });
  if (judged.failure) return judged.failure;
  const { failing, wait } = judged;
  await bestEffort('note since when the step fails', commit([set({ pk: noted.pk, sk: noted.sk }, { failing })]));
  if (isReplacedBy(restore.waitingFor, wait)) {
    const context = await loadRestoreContext(tenant, restore, organization);
    await commit(waitWrites(context, { restore, wait, problem, now }));
  } else {
    const { expected, ...change } = waitContinues(restore, problem, now);
    await commit([updateRunning(tenant, restore.id, { ...change, expected: { ...expected, attempt } })]);
  }
  return undefined;
};

const positionOf = ({ attempt, phase }: RestoreRecord, shard: RestoreShardRecord | undefined): string =>
  JSON.stringify([attempt, phase, shard?.checkedTo ?? null, shard?.writtenTo ?? null]);
