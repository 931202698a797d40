/** The worker of a run may die before or after any effect: the run ends as without a crash, and the target is as before. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { test } from 'vitest';
import { type JobWorkflow, reapRunningJobs } from '../../../../shared/job/index.ts';
import { organizationKey } from '../../../../shared/organization/index.ts';
import { commit, set } from '../../../../shared/platform/index.ts';
import { restoreTestKey, testJobs } from '../../../../shared/restore-test/index.ts';
import type { RestoreTestRecord } from '../../../../shared/restore-test/model/record.ts';
import { createRestoreTestEnv } from '../../../harness/env/restore/restore-test-env.ts';
import { crashPoints } from '../../../harness/faults/crash-injector.ts';
import { CrashingMachine } from '../../../harness/faults/restore-machine.ts';

const t = await createRestoreTestEnv();
const text = (stringValue: string) => ({ text: { stringValue } });

/** One backup for all tests: what a run adds is removed before the next. */
await t.put({ 'a/1': text('one'), 'a/2': text('two'), 'b/1': text('three') });
await t.putTarget({ 'a/1': text('of the target'), 'own/1': text('kept') });
const backup = await t.takeBackup();
const items = new Map(t.table.items);
const folders = new Set(t.stores.keys());
const before = t.fieldsOf();

const check = {
  shownUrl: 'https://checks.example.com/',
  sealedUrl: Buffer.alloc(1),
  sealedSecret: Buffer.alloc(1),
  timeoutSeconds: 60,
};
const intoTarget: Partial<RestoreTestRecord> = { target: { projectId: t.targetId }, check };

const begin = (plan: Partial<RestoreTestRecord>): Promise<string> => {
  detach();
  t.posts = [];
  t.table.items.clear();
  for (const [key, item] of items) t.table.items.set(key, item);
  for (const folder of t.stores.keys()) if (!folders.has(folder)) t.stores.delete(folder);
  return t.begin(plan);
};

const detach = (): void => {
  t.machine = undefined;
  t.table.onWrite = () => undefined;
  t.table.onRead = () => undefined;
};

/** Runs to the end; a worker that died is replaced by another one. */
const runWith = async (first: CrashingMachine, runId: string): Promise<void> => {
  let machine = first.attach(t);
  for (;;) {
    try {
      const progress = await t.advance(runId);
      if (progress === 'done') break;
      if (progress === 'again') continue;
      detach();
      await t.runJobs(runId);
      machine.attach(t);
    } catch (error) {
      if (machine !== first || !machine.isDead) throw error;
      machine = new CrashingMachine().attach(t);
    }
  }
  detach();
};

/** What must not depend on crashes. */
const outcomeOf = (runId: string) => {
  const run = t.runOf(runId);
  const evidence = [...t.stores]
    .filter(([folder]) => folder.endsWith('restore-tests'))
    .flatMap(([, store]) => [...store.objects]);
  return {
    status: run.status,
    error: run.error,
    counts: run.counts,
    digests: run.digests,
    differences: run.differenceTotal,
    removal: run.removal?.status,
    check: run.check?.status,
    evidence: evidence.length,
    isReferenced: run.evidence !== null,
    completed: t.events('restore_test.completed').length,
    failed: t.events('restore_test.failed').length,
    audited: t.table.find('AUDIT#').filter(({ action }) => action === 'restore_test.passed').length,
    restores: t.table.find('ORG#', 'RESTORE#').length,
    locks: t.table.find('ORG#', 'RESTORETESTLOCK#').length,
    marks: t.table.find('RUNNING#RESTORETEST').length,
    held: t.backupOf(backup.id).restoring ?? 0,
    isTested: t.backupOf(backup.id).restoreTestedAt === run.completedAt,
    target: [...t.fieldsOf()],
  };
};

for (const [name, plan] of [
  ['into a target with a check', intoTarget],
  ['of the archive alone', {}],
] as const)
  test(`restore test crash: a run ${name} ends the same after a crash at any effect`, async () => {
    const undisturbed = new CrashingMachine();
    const first = await begin(plan);
    await runWith(undisturbed, first);
    const expected = outcomeOf(first);
    deepEqual([expected.status, expected.completed, expected.marks, expected.locks, expected.held], ['passed', 1, 0, 0, 0]);
    deepEqual(expected.target, [...before]);
    ok(undisturbed.effects >= 5, `${undisturbed.effects} effects`);
    for (const { at, when } of crashPoints(undisturbed.effects)) {
      const runId = await begin(plan);
      const machine = new CrashingMachine(at, when);
      await runWith(machine, runId);
      ok(machine.isDead, `${when} effect ${at} was not reached`);
      deepEqual(outcomeOf(runId), expected, `${when} effect ${at}`);
      if (plan.check) ok(t.posts.length >= 1, `${when} effect ${at}`);
    }
  });

/** A workflow whose executions have all ended, because of a failed step or without one. */
const deadWorkflow = (state: 'ended' | 'cut-off' = 'ended') => {
  const started: { name: string; input: Readonly<Record<string, unknown>> }[] = [];
  const workflow: JobWorkflow = {
    describe: async () => state,
    start: async (name, input) => void started.push({ name, input }),
    stop: async () => undefined,
  };
  return { started, reap: () => reapRunningJobs(testJobs(t.clock, workflow), () => t.tenant) };
};

/** A run whose restore has written to the target. */
const restoredRun = async (): Promise<string> => {
  const runId = await begin(intoTarget);
  while (t.runOf(runId).phase !== 'comparing') if ((await t.advance(runId)) === 'wait') await t.runJobs(runId);
  equal(t.fieldsOf().size, before.size + 2);
  return runId;
};

test('restore test reaper: a run whose execution died fails with its event, and what it wrote is removed', async () => {
  const runId = await restoredRun();
  const { started, reap } = deadWorkflow();
  await reap();
  const [execution] = started;
  equal(execution?.name, `${runId}-2`);
  await t.advance(runId, execution?.input.error);
  const run = await t.finish(runId);
  deepEqual([run.status, run.error?.code, run.removal?.status], ['failed', 'INTERNAL_ERROR', 'verified']);
  deepEqual([t.fieldsOf(), t.events('restore_test.failed').length], [before, 1]);
  deepEqual([t.table.find('RUNNING#RESTORETEST').length, t.backupOf(backup.id).restoring ?? 0], [0, 0]);
  ok(run.evidence);
});

test('restore test reaper: a run that was only waiting when its execution was cut off continues and passes, without an error', async () => {
  const runId = await begin(intoTarget);
  while ((await t.advance(runId)) !== 'wait');
  equal(t.runOf(runId).status, 'running');
  const { started, reap } = deadWorkflow('cut-off');
  await reap();
  deepEqual(
    started.map(({ name, input }) => [name, input]),
    [[`${runId}-2`, { organizationId: t.tenant.organizationId, runId, attempt: 2, done: false }]],
  );
  equal(t.runOf(runId).trouble, undefined);
  await t.runJobs(runId);
  const run = await t.finish(runId);
  deepEqual([run.status, run.error, run.attempt], ['passed', null, 2]);
});

test('restore test reaper: a run that five executions could not end fails, names the target, and holds nothing more', async () => {
  const runId = await restoredRun();
  const { started, reap } = deadWorkflow();
  for (let n = 2; n <= 5; n++) await reap();
  equal(started.length, 4);
  await rejects(reap());
  const { status, error, completedAt, removal } = t.runOf(runId);
  deepEqual([status, error?.code, error?.details.targetProjectId], ['failed', 'CLEANUP_FAILED', t.targetId]);
  deepEqual([removal?.status, removal?.message], ['failed', error?.message]);
  ok(completedAt);
  deepEqual([t.events('restore_test.failed').length, t.table.find('RUNNING#RESTORETEST').length], [1, 0]);
  equal(t.backupOf(backup.id).restoring ?? 0, 0);
  await reap();
});

test('restore test reaper: a run that five executions could not end keeps what it had found', async () => {
  const found = { code: 'DIFFERENCES_FOUND', message: 'One document differs' } as const;
  const cancelled = { code: 'CANCELLED', message: 'The test was cancelled' } as const;
  const unremoved = { code: 'CLEANUP_FAILED', message: 'May still be in the target' } as const;
  const removal = (status: string) => ({ status, undoJobId: null, documents: 0, message: null });
  for (const [more, status, code, removed] of [
    [{ failure: found, removal: removal('verified') }, 'failed', 'DIFFERENCES_FOUND', 'verified'],
    [{ failure: cancelled, removal: removal('nothing_written') }, 'cancelled', 'CANCELLED', 'nothing_written'],
    [{ cancelRequestedAt: '2026-03-01T12:00:00.000Z', restoreJobId: null }, 'cancelled', 'CANCELLED', undefined],
    [{ failure: unremoved, removal: removal('failed') }, 'failed', 'CLEANUP_FAILED', 'failed'],
    [{ failure: cancelled }, 'failed', 'CLEANUP_FAILED', 'failed'],
    [{ restoreJobId: null }, 'failed', 'INTERNAL_ERROR', undefined],
  ] as const) {
    const runId = await restoredRun();
    await commit([set(restoreTestKey.run(t.tenant, runId), { ...more, attempt: 5 })]);
    const [mark] = t.table.find('RUNNING#RESTORETEST');
    t.table.put({ ...mark!, attempt: 5 });
    await rejects(deadWorkflow().reap());
    const { error, ...run } = t.runOf(runId);
    deepEqual([run.status, error?.code, run.removal?.status], [status, code, removed], JSON.stringify(more));
    if ('failure' in more && more.failure.code === code) equal(error?.message, more.failure.message);
    const [event] = t.events('restore_test.failed') as unknown as readonly { data: { restoreTest: { error: unknown } } }[];
    deepEqual(event?.data.restoreTest.error, error);
  }
});

test('restore test: without its organization a run with an unfinished restore ends, and does not wait', async () => {
  const runId = await begin(intoTarget);
  while (t.runOf(runId).restoreJobId === null) {
    await t.runJobs(runId);
    await t.advance(runId);
  }
  const { pk, sk } = organizationKey.organization(t.tenant);
  t.table.items.delete(`${pk}\n${sk}`);
  await commit([set(restoreTestKey.run(t.tenant, runId), { phase: 'removing' })]);
  equal(await t.advance(runId), 'again');
  equal(await t.advance(runId), 'done');
  deepEqual([t.runOf(runId).status, t.runOf(runId).error?.code], ['failed', 'CLEANUP_FAILED']);
});
