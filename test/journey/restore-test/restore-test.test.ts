/** Restore tests: of the archive alone, into another project, with a check of the customer's, and what they leave behind. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { beforeAll, test } from 'vitest';
import { alerts } from '../../../shared/contract/endpoints/alerts.ts';
import { auditLogs } from '../../../shared/contract/endpoints/audit-logs.ts';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { encryption } from '../../../shared/contract/endpoints/encryption.ts';
import { overview } from '../../../shared/contract/endpoints/overview.ts';
import { restoreTests } from '../../../shared/contract/endpoints/protection/restore-tests.ts';
import { storageDestinations } from '../../../shared/contract/endpoints/storage-destinations.ts';
import { webhooks } from '../../../shared/contract/endpoints/webhooks.ts';
import type { RestoreTestRun } from '../../../shared/contract/models/restore-test.ts';
import { newProject, seed, takeBackup } from '../../harness/stage/backup.ts';
import { bucketClient, objectAt, objectsIn } from '../../harness/stage/bucket.ts';
import { call, type Result } from '../../harness/stage/client.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { startReceiver } from '../../harness/stage/receiver.ts';
import { contentsOf } from '../../harness/stage/restore.ts';
import { followTestRun } from '../../harness/stage/restore-test.ts';

let organization: TestOrganization;
let backup: Awaited<ReturnType<typeof takeBackup>>;
let bucket: string;
const by = () => ({ token: organization.owner.accessToken, org: organization.id });

const dataOf = <D>(result: Result<D>, status: number): D => {
  if (result.status !== status) throw new Error(`expected ${status}, got ${result.status}: ${result.text}`);
  return result.body.data;
};

const createPlan = async (body: object) =>
  dataOf(await call(restoreTests.create, { ...by(), body: { name: 'Proof', cron: '0 5 1 * *', ...body } }), 201);

const start = async (restoreTestId: string): Promise<string> =>
  dataOf(await call(restoreTests.run, { ...by(), params: { restoreTestId } }), 202).runId;

const runUntil = (runId: string, isSo: (run: RestoreTestRun) => boolean) => followTestRun(organization, runId, isSo);
const hasEnded = ({ completedAt }: RestoreTestRun): boolean => completedAt !== null;

const runPlan = async (body: object): Promise<RestoreTestRun> => runUntil(await start((await createPlan(body)).id), hasEnded);

beforeAll(async () => {
  organization = await newOrganization();
  const passphrase = 'a passphrase of the organization';
  equal((await call(encryption.set, { ...by(), body: { mode: 'customer', passphrase } })).status, 200);
  backup = await takeBackup(organization);
  const params = { storageId: backup.storageDestination.id };
  bucket = dataOf(await call(storageDestinations.get, { ...by(), params }), 200).bucket;
});

test('restore test: without a target the archive is read, decoded and compared with the source; evidence is stored', async () => {
  const receiver = await startReceiver();
  try {
    const body = { name: 'Hook', url: receiver.url('/hook'), events: ['restore_test.*'] };
    dataOf(await call(webhooks.create, { ...by(), body }), 201);
    const run = await runPlan({ projectId: backup.projectId, backup: 'latest', target: 'none', scope: 'all' });
    const { status, error, backupId, counts, comparisons, differences, evidence, removal, rtoSeconds } = run;
    deepEqual(
      { status, error, backupId, differences, removal, rtoSeconds },
      {
        status: 'passed',
        error: null,
        backupId: backup.id,
        differences: { total: 0, items: [] },
        removal: null,
        rtoSeconds: null,
      },
    );
    deepEqual([counts?.documents, counts?.decoded, counts?.collections], [3, 3, 2]);
    deepEqual([comparisons?.index.documents, comparisons?.source.compared, comparisons?.source.documents], [3, true, 3]);
    equal(comparisons?.source.share, 1);
    ok(evidence);
    const stored = JSON.parse((await objectAt(bucket, evidence.object)).toString());
    deepEqual([stored.result, stored.run.id, stored.signature.keyId], ['passed', run.id, evidence.keyId]);
    const tested = dataOf(await call(backups.get, { ...by(), params: { backupId: backup.id } }), 200);
    equal(tested.restoreTestedAt, run.completedAt);
    const heard = await receiver.next(({ path }) => path === '/hook');
    const event = JSON.parse(heard.body.toString());
    deepEqual([event.type ?? event.event, event.data.restoreTest.id], ['restore_test.completed', run.id]);
    const { data: entries } = (await call(auditLogs.list, { ...by(), query: { action: 'restore_test.passed' } })).body;
    equal(entries[0]?.details.runId, run.id);
  } finally {
    await receiver.stop();
  }
});

test('restore test: into a target, with a check; the target is left exactly as it was', async () => {
  const target = await newProject(organization, { name: 'Staging' });
  await seed(target.sourceProjectId, {
    'users/ada': { name: { stringValue: 'Another Ada' } },
    // Equal to the backup's.
    'users/grace': { name: { stringValue: 'Grace' } },
    'own/one': { kept: { booleanValue: true } },
  });
  const before = await contentsOf(target.sourceProjectId);
  const receiver = await startReceiver();
  try {
    let during: unknown;
    receiver.answer('/check', async () => {
      during = await contentsOf(target.sourceProjectId);
      return { status: 200, body: JSON.stringify({ result: 'pass', message: 'All good' }) };
    });
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const into = { projectId: backup.projectId, target: { projectId: target.id } };
    const plan = await createPlan({ ...into, check: { url: receiver.url('/check'), secret } });
    deepEqual([plan.check?.secret, plan.check?.timeoutSeconds], [secret, 300]);
    const passed = await runUntil(await start(plan.id), hasEnded);
    deepEqual([passed.status, passed.error, passed.check?.status, passed.check?.message], ['passed', null, 'passed', 'All good']);
    deepEqual([passed.comparisons?.target.documents, passed.comparisons?.target.differences], [3, 0]);
    deepEqual([passed.documentsWritten, passed.removal?.status, passed.removal?.documents], [3, 'verified', 3]);
    const evidence = JSON.parse((await objectAt(bucket, passed.evidence?.object ?? '')).toString());
    equal(evidence.documentsWritten, 3);
    ok(passed.rtoSeconds !== null && passed.rtoSeconds > 0);
    equal(Object.keys(during as object).length, 4);
    deepEqual(await contentsOf(target.sourceProjectId), before);
    const [request] = receiver.requests;
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = request?.headers ?? {};
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    equal(signature, `v1,${createHmac('sha256', key).update(`${id}.${at}.${request?.body}`).digest('base64')}`);
    equal(JSON.parse(String(request?.body)).event, 'restore_test.ready');

    // The answer comes later, by another call, and says fail.
    receiver.answer('/check', { status: 202 });
    const runId = await start(plan.id);
    await runUntil(runId, ({ check }) => check?.status === 'waiting');
    const answer = { ...by(), params: { runId }, body: { result: 'fail', message: 'Orders are missing' } };
    dataOf(await call(restoreTests.answerCheck, answer), 200);
    equal((await call(restoreTests.answerCheck, answer)).status, 409);
    const failed = await runUntil(runId, hasEnded);
    deepEqual([failed.status, failed.error?.code, failed.removal?.status], ['failed', 'CHECK_FAILED', 'verified']);
    ok(failed.evidence);
    deepEqual(await contentsOf(target.sourceProjectId), before);
    // A sample restores only what it drew. The check times out.
    const params = { restoreTestId: plan.id };
    const change = {
      scope: { type: 'sample', documentsPerCollection: 1 },
      check: { url: receiver.url('/check'), timeoutSeconds: 5 },
    };
    dataOf(await call(restoreTests.update, { ...by(), params, body: change }), 200);
    const sampled = await runUntil(await start(plan.id), hasEnded);
    deepEqual([sampled.status, sampled.error?.code, sampled.check?.status], ['failed', 'CHECK_TIMEOUT', 'timeout']);
    deepEqual([sampled.counts?.documents, sampled.comparisons?.target.documents], [2, 2]);
    match(sampled.comparisons?.target.reason ?? '', /sample of 2 of 3/);
    deepEqual(await contentsOf(target.sourceProjectId), before);
    // Cancelled while it waits, which it does long enough: nothing stays, and there is no evidence.
    const patient = { check: { url: receiver.url('/check'), timeoutSeconds: 300 } };
    dataOf(await call(restoreTests.update, { ...by(), params, body: patient }), 200);
    const cancelled = await start(plan.id);
    await runUntil(cancelled, ({ check }) => check?.status === 'waiting');
    dataOf(await call(restoreTests.cancelRun, { ...by(), params: { runId: cancelled } }), 202);
    const ended = await runUntil(cancelled, hasEnded);
    deepEqual([ended.status, ended.error?.code, ended.evidence], ['cancelled', 'CANCELLED', null]);
    deepEqual(await contentsOf(target.sourceProjectId), before);
  } finally {
    await receiver.stop();
  }
});

test('restore test: bad input is refused and changes nothing', async () => {
  const other = await newOrganization();
  const project = { projectId: backup.projectId };
  const bodies: readonly [object, string][] = [
    [{ ...project, backup: 'oldest' }, 'backup'],
    [{ ...project, backup: { pick: 'random', days: 0 } }, 'backup.days'],
    [{ ...project, scope: { type: 'sample' } }, 'scope.documentsPerCollection'],
    [{ ...project, target: { projectId: backup.projectId } }, 'target.projectId'],
    [{ ...project, check: { url: 'https://example.com/check' } }, 'check'],
    [{ ...project, cron: 'whenever' }, 'cron'],
    [{ ...project, surprise: true }, 'surprise'],
  ];
  for (const [body, field] of bodies) {
    const { status, body: answer } = await call(restoreTests.create, {
      ...by(),
      body: { name: 'P', cron: '0 5 * * *', ...body },
    });
    deepEqual(
      [status, answer.error.code, String(answer.error.details?.field).split('.')[0]],
      [400, 'VALIDATION_ERROR', field.split('.')[0]],
    );
  }
  const plan = await createPlan(project);
  // PUT replaces everything: what is not given gets its default.
  const target = await newProject(organization, { name: 'Other' });
  const whole = { name: 'Whole', cron: '0 6 * * *', ...project, target: { projectId: target.id } };
  const check = { url: 'https://localhost:9/check', timeoutSeconds: 60 };
  const put = { ...by(), params: { restoreTestId: plan.id } };
  const replaced = dataOf(await call(restoreTests.replace, { ...put, body: { ...whole, check } }), 200);
  match(replaced.check?.secret ?? '', /^whsec_/);
  deepEqual([replaced.target, replaced.scope, replaced.backup], [{ projectId: target.id }, { type: 'all' }, { pick: 'latest' }]);
  const again = dataOf(await call(restoreTests.replace, { ...put, body: { name: 'Whole', cron: '0 6 * * *', ...project } }), 200);
  deepEqual([again.target, again.check], [null, null]);
  const foreign = { token: other.owner.accessToken, org: other.id, params: { restoreTestId: plan.id } };
  for (const endpoint of [restoreTests.get, restoreTests.run, restoreTests.listRuns, restoreTests.remove])
    equal((await call(endpoint, foreign)).status, 404);
  const elsewhere = { token: other.owner.accessToken, org: other.id, body: { name: 'P', cron: '0 5 * * *', ...project } };
  deepEqual([(await call(restoreTests.create, elsewhere)).status], [404]);
  equal((await call(restoreTests.remove, { ...by(), params: { restoreTestId: plan.id } })).status, 200);
  equal((await call(restoreTests.get, { ...by(), params: { restoreTestId: plan.id } })).status, 404);
});

test('restore test: a damaged object fails the test, with evidence and an incident that recovers', async () => {
  const damaged = await takeBackup(organization);
  const params = { storageId: damaged.storageDestination.id };
  const own = dataOf(await call(storageDestinations.get, { ...by(), params }), 200).bucket;
  const chunk = Object.keys(await objectsIn(own, `${damaged.path}/chunk`))[0] ?? '';
  const bytes = await objectAt(own, chunk);
  const flipped = Buffer.from(bytes);
  flipped[flipped.length - 20] = (flipped[flipped.length - 20] ?? 0) ^ 1;
  await bucketClient().send(new PutObjectCommand({ Bucket: own, Key: chunk, Body: flipped }));
  const plan = await createPlan({ projectId: damaged.projectId, backup: { pick: 'random', days: 1 } });
  const failed = await runUntil(await start(plan.id), hasEnded);
  deepEqual([failed.status, failed.error?.code, failed.choice?.candidates], ['failed', 'CHUNK_CORRUPT', 1]);
  equal(failed.differences.items[0]?.against, 'index');
  ok(failed.evidence);
  ok(!failed.warnings.some(({ code }) => code === 'NO_DOCUMENTS'));
  const incidents = async () =>
    (await call(alerts.incidents, { ...by(), query: { kind: 'restore_test_failed' } })).body.data.map(({ status }) => status);
  while ((await incidents()).length === 0) await pause(200);
  const attention = async () =>
    dataOf(await call(overview.get, by()), 200).attention.filter(({ resource }) => resource.id === plan.id);
  deepEqual(
    (await attention()).map(({ kind, severity, since, projectId }) => ({ kind, severity, since, projectId })),
    [{ kind: 'RESTORE_TEST_FAILED', severity: 'warning', since: failed.completedAt, projectId: damaged.projectId }],
  );
  await bucketClient().send(new PutObjectCommand({ Bucket: own, Key: chunk, Body: bytes }));
  equal((await runUntil(await start(plan.id), hasEnded)).status, 'passed');
  while ((await incidents())[0] === 'open') await pause(200);
  const { lastOutcome } = dataOf(await call(restoreTests.get, { ...by(), params: { restoreTestId: plan.id } }), 200);
  equal(lastOutcome?.status, 'passed');
  deepEqual(await attention(), []);
});
