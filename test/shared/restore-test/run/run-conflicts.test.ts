/** Runs that meet each other, and results of a check that meet. */
import { deepEqual, equal, rejects, throws } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import type { CallerContext } from '../../../../shared/organization/index.ts';
import { commit, create, get, iso, newId, set } from '../../../../shared/platform/index.ts';
import { type ProjectRecord, projectKey, removeProject } from '../../../../shared/project/index.ts';
import { undoRestore } from '../../../../shared/restore/index.ts';
import { answerCheck } from '../../../../shared/restore-test/api/change-run.ts';
import { startRuns } from '../../../../shared/restore-test/api/start-runs.ts';
import { type RestoreTestRecord, type RunRecord, restoreTestKey } from '../../../../shared/restore-test/model/record.ts';
import { advanceRun } from '../../../../shared/restore-test/run/advance-run.ts';
import { checkRun } from '../../../../shared/restore-test/run/check-run.ts';
import { runDeps } from '../../../../shared/restore-test/run/run-deps.ts';
import { cancelled } from '../../../harness/aws/scripted-aws.ts';
import { createRestoreEnv } from '../../../harness/env/restore-env.ts';

process.env.DATA_KEY_ID ??= 'key';
const t = await createRestoreEnv();
beforeEach(() => t.reset());

const deps = () => ({ ...runDeps, ...t.deps });
const deadline = new Date(8.64e15);

/** Starts a test of the source into a target. */
const begin = async (targetId = t.targetId): Promise<RunRecord> => {
  const now = t.clock.now();
  const id = newId('restoreTest', now);
  const plan = {
    ...restoreTestKey.plan(t.tenant, id),
    id,
    name: 'Proof',
    projectId: t.projectId,
    backup: { pick: 'latest' },
    scope: { type: 'all' },
    target: { projectId: targetId },
    check: null,
  } as RestoreTestRecord;
  const start = { trigger: 'manual', scheduledFor: null, createdBy: { type: 'user', id: newId('user') } } as const;
  const { runs, writes } = await startRuns(t.tenant, { plan, start, now });
  await commit(writes);
  return runs[0] as RunRecord;
};

const read = async ({ id }: RunRecord): Promise<RunRecord> => (await get(restoreTestKey.run(t.tenant, id))) as RunRecord;
const advance = ({ id: runId }: RunRecord) => advanceRun(t.tenant, { runStep: { runId, attempt: 1 }, deadline, deps: deps() });

test('a test waits for another one that uses the same database, also if another project is connected to it', async () => {
  const target = await get(projectKey.project(t.tenant, t.targetId));
  const source = await get(projectKey.project(t.tenant, t.projectId));
  const [twin, other] = [newId('project'), newId('project')];
  await commit([
    create({ ...target, ...projectKey.project(t.tenant, twin), id: twin } as never),
    create({ ...source, ...projectKey.project(t.tenant, other), id: other, databaseId: 'other' } as never),
  ]);
  const first = await begin();
  const second = { ...(await begin(twin)), projectId: other };
  await commit([set(restoreTestKey.run(t.tenant, second.id), { projectId: other })]);
  equal(await advance(first), 'again');
  equal(await advance(second), 'wait');
  equal((await read(second)).status, 'pending');
  // Nor can either target be disconnected: what the test wrote could not be removed.
  const caller = { tenant: t.tenant, organization: t.organization } as CallerContext;
  const { writes } = removeProject(caller, { ...target, id: twin } as ProjectRecord, t.clock.now());
  await rejects(commit(writes), { code: 'JOB_IN_PROGRESS', message: /restore test/ });
  // The project has no backup: the first one ends, and releases what it held.
  for (let n = 0; n < 5 && (await advance(first)) !== 'done'; n++);
  deepEqual([(await read(first)).status, (await read(first)).error?.code], ['failed', 'BACKUP_NOT_FOUND']);
  equal(await advance(second), 'again');
});

const waitingRun = async (): Promise<RunRecord> => {
  const run = await begin();
  const check = {
    status: 'waiting',
    message: null,
    requestedAt: iso(t.clock.now()),
    answeredAt: null,
    timeoutSeconds: 60,
  } as const;
  const settings = {
    check: { shownUrl: 'https://example.com/', sealedUrl: Buffer.alloc(1), sealedSecret: Buffer.alloc(1), timeoutSeconds: 60 },
  };
  await commit([
    set(restoreTestKey.run(t.tenant, run.id), {
      status: 'running',
      phase: 'checking',
      check,
      checkSentAt: check.requestedAt,
      settings,
    }),
  ]);
  return read(run);
};

test('a result that was reported stays if the time runs out at that moment', async () => {
  const run = await waitingRun();
  const { change } = answerCheck(t.tenant, run, { result: 'fail', message: 'Orders are missing', now: t.clock.now() });
  await commit(change.writes);
  const late = { now: () => new Date(t.clock.now().getTime() + 61_000) };
  const context = { tenant: t.tenant, deps: { ...deps(), clock: late }, deadline };
  equal(await checkRun({ ...context, run }), 'again');
  const { check } = await read(run);
  deepEqual([check?.status, check?.message], ['failed', 'Orders are missing']);
  await checkRun({ ...context, run: await read(run) });
  equal((await read(run)).failure?.code, 'CHECK_FAILED');
});

test('a result after the time is refused, and the check has timed out', async () => {
  const run = await waitingRun();
  const late = new Date(t.clock.now().getTime() + 60_000);
  throws(() => answerCheck(t.tenant, run, { result: 'pass', message: null, now: late }), {
    code: 'CONFLICT',
    message: /too late/,
  });
  const context = { tenant: t.tenant, deps: { ...deps(), clock: { now: () => late } }, deadline };
  equal(await checkRun({ ...context, run }), 'again');
  await checkRun({ ...context, run: await read(run) });
  const { check, failure } = await read(run);
  deepEqual([check?.status, failure?.code], ['timeout', 'CHECK_TIMEOUT']);
});

test('a clash with another change is no failure: the next step removes what the test wrote', async () => {
  await t.put({ 'a/1': { text: { stringValue: 'backed up' } } });
  const backup = await t.takeBackup();
  const restored = await t.restore(backup, { mergeMode: 'overwrite' });
  const run = await begin();
  const removing = { status: 'running', phase: 'removing', backupId: backup.id, restoreJobId: restored.id } as const;
  await commit([set(restoreTestKey.run(t.tenant, run.id), removing)]);
  t.table.onWrite = () => cancelled('TransactionConflict');
  equal(await advance(run), 'wait');
  t.table.onWrite = () => undefined;
  deepEqual([(await read(run)).failure, (await read(run)).removal], [undefined, null]);
  equal(await advance(run), 'wait');
  const undoJobId = (await read(run)).removal?.undoJobId ?? '';
  // Others write to the target before the undo does: it leaves that, and the run says so.
  await t.putTarget({ 'a/1': { text: { stringValue: 'theirs' } } });
  await t.runRestore(undoJobId);
  equal(await advance(run), 'again');
  const { failure, removal, differenceItems } = await read(run);
  deepEqual([failure?.code, removal?.status, differenceItems[0]?.path], ['CLEANUP_FAILED', 'failed', 'a/1']);
  equal(t.fieldsOf().has('a/1'), true);
});

test('a restore that a person has already undone is checked, not reported as left behind', async () => {
  await t.put({ 'a/1': { text: { stringValue: 'backed up' } } });
  const backup = await t.takeBackup();
  const restored = await t.restore(backup, { mergeMode: 'overwrite' });
  const by = { encryption: { mode: 'kms', keyId: 'key' } as const, createdBy: { type: 'user', id: newId('user') } } as const;
  const { restore: undo, change } = await undoRestore(t.tenant, { restore: restored, caller: by, now: t.clock.now() });
  await commit(change.writes);
  await t.runRestore(undo.id);
  const run = await begin();
  const removing = { status: 'running', phase: 'removing', backupId: backup.id, restoreJobId: restored.id } as const;
  await commit([set(restoreTestKey.run(t.tenant, run.id), removing)]);
  equal(await advance(run), 'again');
  const { failure, removal } = await read(run);
  deepEqual([failure, removal?.status, removal?.undoJobId], [undefined, 'verified', undo.id]);
});
