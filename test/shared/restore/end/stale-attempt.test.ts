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
import { assertStillRunning } from '../../../../shared/restore/model/running-restore.ts';
import { answerRestoreStep } from '../../../../shared/restore/run/restore-steps.ts';
import { resumeRestore } from '../../../../shared/restore/start/resume-restore.ts';
import { createRestoreEndEnv } from '../../../harness/env/restore/restore-end-env.ts';
import { type Fields, firstRestoreStep, RestoreFailedError } from '../../../harness/env/restore-env.ts';

const t = await createRestoreEndEnv();

const integer = (value: number): Fields[string] => ({ integerValue: BigInt(value) });

const begin = async (): Promise<{ id: string }> => {
  t.reset();
  await t.put({ 'a/1': { n: integer(1) }, 'a/2': { n: integer(2) } });
  return { id: await t.startRestore(await t.takeBackup()) };
};
const resume = async (id: string): Promise<void> => {
  await commit((await resumeRestore(t.tenant, t.restoreOf(id), t.clock.now())).change.writes);
};
const fail = async (id: string): Promise<void> => {
  await failRestore({
    tenant: t.tenant,
    restoreJobId: id,
    attempt: 1,
    reasonOf: () => ({ code: 'INTERNAL_ERROR', message: 'x' }),
    now: t.clock.now(),
  });
  await cleanUpRestore(t.tenant, { restoreJobId: id, deps: t.deps, options: { attempt: 1 } });
};

test('stale attempt: a workflow that starts after its restore was cancelled and resumed does nothing', async () => {
  const { id } = await begin();
  const actor = { type: 'user' as const, id: newId('user'), email: null };
  const acting = { tenant: t.tenant, organization: t.organization, role: 'owner' as const, actor };
  await commit((await cancelRestore(acting, id, t.clock.now())).change.writes);
  await reapJob(
    restoreJobs(t.deps, {
      describe: async () => 'unknown',
      start: async () => undefined,
      stop: async () => undefined,
    }),
    t.tenant,
    t.runningItemOf(id)!,
  );
  await resume(id);
  const before = t.restoreOf(id);
  await rejects(t.resumeRestore(id, firstRestoreStep(1)), RestoreFailedError);
  deepEqual(t.restoreOf(id), before);
  const done = await t.runRestore(id);
  deepEqual([done.status, done.attempt, done.written], ['completed', 2, 2]);
});

for (const upTo of ['prepare', 'check', 'seal', 'write'] as const)
  test(`stale attempt: a workflow that wakes up after ${upTo}, beside the next attempt, does nothing`, async () => {
    const { id } = await begin();
    const stale = firstRestoreStep(1);
    await t.resumeRestore(id, stale, { upTo });
    await fail(id);
    await resume(id);
    await t.resumeRestore(id, firstRestoreStep(2), { upTo });
    const before = [t.restoreOf(id), t.shardsOf(id)];
    await rejects(t.resumeRestore(id, stale), RestoreFailedError);
    deepEqual([t.restoreOf(id), t.shardsOf(id)], before);
  });

test('stale attempt: neither its failure nor its end affects the next attempt', async () => {
  const { id } = await begin();
  await t.resumeRestore(id, firstRestoreStep(), { upTo: 'seal' });
  const first = t.restoreOf(id);
  for (const error of [new JobFailure('STORAGE_UPLOAD_ERROR', 'of the first'), new Error('of the first')]) {
    const gate = Promise.withResolvers<void>();
    const work = async (): Promise<never> => {
      await gate.promise;
      throw error;
    };
    const stale = answerRestoreStep({ tenant: t.tenant, restoreJobId: id, attempt: 1 }, work).catch(() => undefined);
    if (t.restoreOf(id).attempt === 1) {
      await fail(id);
      await resume(id);
    }
    gate.resolve();
    await stale;
    deepEqual([t.restoreOf(id).attempt, t.restoreOf(id).failure, t.restoreOf(id).trouble], [2, undefined, undefined]);
  }
  await rejects(assertStillRunning(t.tenant, first), { name: 'NotRunning' });
  await fail(id);
  deepEqual([t.restoreOf(id).status, t.lockOf(t.targetId)?.jobId], ['pending', id]);
});

test('stale attempt: it does not clean up after the next attempt', async () => {
  const { id } = await begin();
  await fail(id);
  await resume(id);
  const completedAt = iso(t.clock.now());
  await commit([set(restoreKey.restore(t.tenant, id), { status: 'cancelled', completedAt })]);
  await cleanUpRestore(t.tenant, { restoreJobId: id, deps: t.deps, options: { attempt: 1 } });
  equal(t.lockOf(t.targetId)?.jobId, id);
  await cleanUpRestore(t.tenant, { restoreJobId: id, deps: t.deps, options: { attempt: 2 } });
  equal(t.lockOf(t.targetId), undefined);
});

test('resume: a shard whose counts do not add up is written again by the next attempt', async () => {
  const { id } = await begin();
  const position = firstRestoreStep();
  await t.resumeRestore(id, position, { upTo: 'write' });
  await commit([restoreKey.shard(t.tenant, id, 0), restoreKey.restore(t.tenant, id)].map((key) => set(key, { written: 1 })));
  await rejects(t.resumeRestore(id, position), RestoreFailedError);
  deepEqual(t.restoreOf(id).failure?.code, 'COUNT_MISMATCH');
  await fail(id);
  await resume(id);
  const done = await t.runRestore(id);
  deepEqual([done.status, done.attempt, done.written], ['completed', 2, 2], JSON.stringify(done.error));
});
