/** The request to the customer's check is sent at least once, whenever the worker dies. */
import { deepEqual, equal, notEqual, rejects } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { commit } from '../../../../shared/platform/index.ts';
import { answerCheck } from '../../../../shared/restore-test/index.ts';
import { standardSignature } from '../../../../shared/webhook/index.ts';
import { answered, createRestoreTestEnv } from '../../../harness/env/restore/restore-test-env.ts';
import { CrashingMachine } from '../../../harness/faults/restore-machine.ts';

const t = await createRestoreTestEnv();
beforeEach(() => t.reset());

const check = {
  shownUrl: 'https://checks.example.com/',
  sealedUrl: Buffer.alloc(1),
  sealedSecret: Buffer.alloc(1),
  timeoutSeconds: 60,
};

/** A run whose next step asks the check. */
const checkedRun = async (): Promise<string> => {
  await t.put({ 'a/1': { text: { stringValue: 'one' } } });
  await t.takeBackup();
  const runId = await t.begin({ target: { projectId: t.targetId }, check });
  while (t.runOf(runId).phase !== 'checking') if ((await t.advance(runId)) === 'wait') await t.runJobs(runId);
  return runId;
};

/** The worker dies at the n-th effect of its step. */
const dieAt = async (runId: string, at: number, when: 'before' | 'after'): Promise<void> => {
  new CrashingMachine(at, when).attach(t);
  await rejects(t.advance(runId));
  new CrashingMachine().attach(t);
};

const minutesLater = (minutes: number): void => {
  const nowMs = Date.now() + minutes * 60_000;
  t.nowMs = () => nowMs;
  t.sourceNowMs = () => nowMs;
};

test('check request: a worker that dies before it sends is no timeout; the next one sends, even after the time was up', async () => {
  const runId = await checkedRun();
  await dieAt(runId, 2, 'before');
  deepEqual([t.posts.length, t.runOf(runId).check?.status], [0, 'waiting']);
  minutesLater(10);
  const run = await t.finish(runId);
  deepEqual([t.posts.length, run.status, run.check?.status, run.error], [1, 'passed', 'passed', null]);
});

test('check request: a worker that dies before it stored the answer asks again, with the same id and body', async () => {
  const runId = await checkedRun();
  await dieAt(runId, 2, 'after');
  minutesLater(10);
  const run = await t.finish(runId);
  const [first, second] = t.posts;
  deepEqual([t.posts.length, run.status], [2, 'passed']);
  equal(second?.body, first?.body);
  equal(second?.headers['webhook-id'], runId);
  equal(first?.headers['webhook-id'], runId);
  // The time is that of the attempt, so that a receiver that refuses old requests accepts it.
  notEqual(second?.headers['webhook-timestamp'], first?.headers['webhook-timestamp']);
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  for (const post of [first, second])
    equal(
      post?.headers['webhook-signature'],
      standardSignature(secret, `${runId}.${post?.headers['webhook-timestamp']}.${post?.body}`),
    );
});

test('check request: one that arrived is not sent again; without a result the test then fails with CHECK_TIMEOUT', async () => {
  const runId = await checkedRun();
  t.onPost = async () => answered(202);
  equal(await t.advance(runId), 'wait');
  equal(await t.advance(runId), 'wait');
  minutesLater(10);
  const run = await t.finish(runId);
  deepEqual([t.posts.length, run.status, run.error?.code, run.removal?.status], [1, 'failed', 'CHECK_TIMEOUT', 'verified']);
});

test('check request: a result that was reported while the worker died counts, and nothing is sent again', async () => {
  const runId = await checkedRun();
  t.onPost = async () => answered(202);
  await dieAt(runId, 2, 'after');
  const { change } = answerCheck(t.tenant, t.runOf(runId), { result: 'pass', message: 'All good', now: t.clock.now() });
  await commit(change.writes);
  const run = await t.finish(runId);
  deepEqual([t.posts.length, run.status, run.check?.message], [1, 'passed', 'All good']);
});
