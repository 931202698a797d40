/** Each attempt has a workflow of its own: a stale one does not affect the next. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'vitest';
import { JobFailure, reapJob } from '../../../../shared/job/index.ts';
import { commit, iso, newId, set } from '../../../../shared/platform/index.ts';
import { cancelRestore } from '../../../../shared/restore/end/cancel-restore.ts';
import { cleanUpRestore } from '../../../../shared/restore/end/clean-up-restore.ts';
import { failRestore } from '../../../../shared/restore/end/fail-restore.ts';
import { restoreJobs } from '../../../../shared/restore/end/restore-jobs.ts';
import { restoreKey } from '../../../../shared/restore/model/record.ts';
import { answerStep } from '../../../../shared/restore/model/restore-steps.ts';
import { assertStillRunning } from '../../../../shared/restore/model/running-restore.ts';
import { resumeRestore } from '../../../../shared/restore/start/resume-restore.ts';
import { lockOf, runningItemOf } from '../../../harness/env/restore/restore-end-env.ts';
import {
  atStart,
  createRestoreEnv,
  type Fields,
  organizationNow,
  put,
  type RestoreEnv,
  RestoreFailedError,
  restoreOf,
  resumeWorkflow,
  runRestore,
  shardsOf,
  startTestRestore,
  takeBackup,
  targetId,
  tenant,
} from '../../../harness/env/restore-env.ts';

const integer = (value: number): Fields[string] => ({ integerValue: BigInt(value) });

const begin = async (): Promise<{ world: RestoreEnv; id: string }> => {
  const world = createRestoreEnv();
  await put(world, { 'a/1': { n: integer(1) }, 'a/2': { n: integer(2) } });
  return { world, id: await startTestRestore(world, await takeBackup(world)) };
};
const resume = async (world: RestoreEnv, id: string): Promise<void> => {
  await commit((await resumeRestore(tenant, restoreOf(id), world.engine.clock.now())).change.writes);
};
const fail = async (world: RestoreEnv, id: string): Promise<void> => {
  await failRestore({
    tenant,
    restoreJobId: id,
    attempt: 1,
    reasonOf: () => ({ code: 'INTERNAL_ERROR', message: 'x' }),
    now: world.engine.clock.now(),
  });
  await cleanUpRestore(tenant, id, world.engine, { attempt: 1 });
};

test('stale attempt: a workflow that starts after its restore was cancelled and resumed does nothing', async () => {
  const { world, id } = await begin();
  const actor = { type: 'user' as const, id: newId('user'), email: null };
  const acting = { tenant, organization: organizationNow(), role: 'owner' as const, actor };
  await commit((await cancelRestore(acting, id, world.engine.clock.now())).change.writes);
  await reapJob(
    restoreJobs(world.engine, {
      describe: async () => 'unknown',
      start: async () => undefined,
      stop: async () => undefined,
    }),
    tenant,
    runningItemOf(id)!,
  );
  await resume(world, id);
  const before = restoreOf(id);
  await rejects(resumeWorkflow(world, id, atStart(1)), RestoreFailedError);
  deepEqual(restoreOf(id), before);
  const done = await runRestore(world, id);
  deepEqual([done.status, done.attempt, done.written], ['completed', 2, 2]);
});

for (const upTo of ['prepare', 'check', 'seal', 'write'] as const)
  test(`stale attempt: a workflow that wakes up after ${upTo}, beside the next attempt, does nothing`, async () => {
    const { world, id } = await begin();
    const stale = atStart(1);
    await resumeWorkflow(world, id, stale, { upTo });
    await fail(world, id);
    await resume(world, id);
    await resumeWorkflow(world, id, atStart(2), { upTo });
    const before = [restoreOf(id), shardsOf(id)];
    await rejects(resumeWorkflow(world, id, stale), RestoreFailedError);
    deepEqual([restoreOf(id), shardsOf(id)], before);
  });

test('stale attempt: neither its failure nor its end affects the next attempt', async () => {
  const { world, id } = await begin();
  await resumeWorkflow(world, id, atStart(), { upTo: 'seal' });
  const first = restoreOf(id);
  for (const error of [new JobFailure('STORAGE_UPLOAD_ERROR', 'of the first'), new Error('of the first')]) {
    const gate = Promise.withResolvers<void>();
    const work = async (): Promise<never> => {
      await gate.promise;
      throw error;
    };
    const stale = answerStep({ tenant, restoreJobId: id, attempt: 1 }, work).catch(() => undefined);
    if (restoreOf(id).attempt === 1) {
      await fail(world, id);
      await resume(world, id);
    }
    gate.resolve();
    await stale;
    deepEqual([restoreOf(id).attempt, restoreOf(id).failure, restoreOf(id).trouble], [2, undefined, undefined]);
  }
  await rejects(assertStillRunning(tenant, first), { name: 'NotRunning' });
  await fail(world, id);
  deepEqual([restoreOf(id).status, lockOf(targetId)?.jobId], ['pending', id]);
});

test('stale attempt: it does not clean up after the next attempt', async () => {
  const { world, id } = await begin();
  await fail(world, id);
  await resume(world, id);
  const completedAt = iso(world.engine.clock.now());
  await commit([set(restoreKey.restore(tenant, id), { status: 'cancelled', completedAt })]);
  await cleanUpRestore(tenant, id, world.engine, { attempt: 1 });
  equal(lockOf(targetId)?.jobId, id);
  await cleanUpRestore(tenant, id, world.engine, { attempt: 2 });
  equal(lockOf(targetId), undefined);
});

test('resume: a shard whose counts do not add up is written again by the next attempt', async () => {
  const { world, id } = await begin();
  const position = atStart();
  await resumeWorkflow(world, id, position, { upTo: 'write' });
  await commit([restoreKey.shard(tenant, id, 0), restoreKey.restore(tenant, id)].map((key) => set(key, { written: 1 })));
  await rejects(resumeWorkflow(world, id, position), RestoreFailedError);
  deepEqual(restoreOf(id).failure?.code, 'COUNT_MISMATCH');
  await fail(world, id);
  await resume(world, id);
  const done = await runRestore(world, id);
  deepEqual([done.status, done.attempt, done.written], ['completed', 2, 2], JSON.stringify(done.error));
});
