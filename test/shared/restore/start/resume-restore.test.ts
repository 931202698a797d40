/** An interrupted restore reaches the same end; a failed one resumes where it was. */
import assert from 'node:assert/strict';
import { test } from 'vitest';
import { commit, newId } from '../../../../shared/platform/index.ts';
import { cancelRestore } from '../../../../shared/restore/end/cancel-restore.ts';
import { cleanUpRestore } from '../../../../shared/restore/end/clean-up-restore.ts';
import { resumeRestore } from '../../../../shared/restore/start/resume-restore.ts';
import {
  atStart,
  backupOf,
  createRestoreEnv,
  documentsIn,
  eventsOf,
  type Fields,
  fieldsOf,
  organizationNow,
  put,
  putTarget,
  type RestoreEnv,
  RestoreFailedError,
  restore,
  restoreOf,
  resumeWorkflow,
  runRestore,
  server,
  startTestRestore,
  takeBackup,
  tenant,
  writesSent,
} from '../../../harness/env/restore-env.ts';
import { crashPoints } from '../../../harness/faults/crash-injector.ts';
import { CrashingMachine } from '../../../harness/faults/restore-machine.ts';
import { withVirtualTime } from '../../../harness/time/with-virtual-time.ts';

const integer = (value: number): Fields[string] => ({ integerValue: BigInt(value) });
const numbered = (count: number, of = 'items'): Record<string, Fields> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${of}/${String(n).padStart(5, '0')}`, { n: integer(n) }]));

const setup = async (world: RestoreEnv) => {
  await put(world, numbered(10));
  const backup = await takeBackup(world);
  await spoil(world);
  server.faults.resetCalls();
  return backup;
};

/** Eight to create, two to overwrite, one to delete. */
const spoil = (world: RestoreEnv) =>
  putTarget(world, {
    ...Object.fromEntries(Object.keys(numbered(10)).map((path) => [path, undefined])),
    'items/00002': { other: integer(2) },
    'items/00006': { other: integer(6) },
    'zoo/animal': { name: integer(1) },
  });

const resume = async (world: RestoreEnv, id: string): Promise<void> => {
  const { change } = await resumeRestore(tenant, restoreOf(id), world.engine.clock.now());
  await commit(change.writes);
};

const acting = () => ({
  tenant,
  organization: organizationNow(),
  role: 'owner' as const,
  actor: { type: 'user' as const, id: newId('user'), email: null },
});

interface Told {
  readonly restore: { readonly restoreJobId: string };
  readonly progress: { readonly percent: number };
}
const told = (id: string, type: string): readonly Told[] =>
  eventsOf(type)
    .map(({ data }) => data as Told)
    .filter(({ restore: { restoreJobId } }) => restoreJobId === id);

const assertWhole = (world: RestoreEnv, id: string): void => {
  const done = restoreOf(id);
  assert.equal(done.status, 'completed', JSON.stringify(done.error));
  assert.deepEqual(fieldsOf(world), fieldsOf(world, 'source'));
  assert.deepEqual(done.plan, { create: 8, overwrite: 2, skip: 0, delete: 1, unchanged: 0 });
  assert.deepEqual([done.written, done.deleted, done.raced, done.failed], [10, 1, 0, 0]);
  assert.equal(told(id, 'restore.started').length, 1);
  assert.equal(told(id, 'restore.completed').length, 1);
  const percents = told(id, 'restore.progress').map(({ progress }) => progress.percent);
  assert.deepEqual(percents, [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
};

/** Runs until the machine dies, then on another one; true if it died. */
const interrupted = async (world: RestoreEnv, id: string, at: number, when: 'before' | 'after'): Promise<boolean> => {
  const position = atStart();
  const machine = new CrashingMachine(at, when).attach(world);
  try {
    await resumeWorkflow(world, id, position);
  } catch (error) {
    if (error instanceof RestoreFailedError || !machine.isDead) throw error;
  }
  new CrashingMachine().attach(world);
  if (machine.isDead) await resumeWorkflow(world, id, position);
  return machine.isDead;
};

test('restore: a crash before or after any effect does not change the outcome', async () => {
  const world = createRestoreEnv();
  const backup = await setup(world);
  const begin = async (): Promise<string> => {
    await spoil(world);
    return startTestRestore(world, backup, { mergeMode: 'rollback' });
  };
  const whole = await begin();
  const undisturbed = new CrashingMachine().attach(world);
  await resumeWorkflow(world, whole, atStart());
  const { effects } = undisturbed;
  assert.ok(effects > 15, `${effects} effects`);
  for (const { at, when } of crashPoints(effects)) {
    const id = await begin();
    assert.ok(await interrupted(world, id, at, when), `nothing died ${when} ${at} of ${effects}`);
    assertWhole(world, id);
  }
});

test('restore: unreported writes of an interrupted run are found, counted, and not repeated', async () => {
  const world = createRestoreEnv();
  const backup = await setup(world);
  const id = await startTestRestore(world, backup, { mergeMode: 'rollback' });
  await runRestore(world, id, { upTo: 'seal' });
  const position = { ...atStart(), step: 'write' as const, shards: [0], remaining: [0] };
  // Claim, rate limit, request; then the machine crashes before its report.
  const machine = new CrashingMachine(4).attach(world);
  await assert.rejects(resumeWorkflow(world, id, position));
  assert.ok(machine.isDead);
  assert.equal(restoreOf(id).written, 0);
  const written = documentsIn(world);
  assert.deepEqual(fieldsOf(world), fieldsOf(world, 'source'));
  new CrashingMachine().attach(world);
  server.faults.resetCalls();
  await resumeWorkflow(world, id, position);
  assertWhole(world, id);
  assert.equal(writesSent(), 0);
  assert.deepEqual(documentsIn(world), written);
});

test('restore: a run whose time is up hands over at its checkpoint; the next one writes only the rest', async () => {
  const world = createRestoreEnv();
  withVirtualTime(world);
  await put(world, numbered(1_200));
  const backup = await takeBackup(world);
  const id = await startTestRestore(world, backup);
  await runRestore(world, id, { upTo: 'seal' });
  const position = { ...atStart(), step: 'write' as const, shards: [0], remaining: [0] };
  let runs = 0;
  await resumeWorkflow(world, id, position, {
    workSeconds: 0.001,
    onStep: (step) => {
      if (step === 'write') runs += 1;
    },
  });
  const done = restoreOf(id);
  assert.equal(done.status, 'completed', JSON.stringify(done.error));
  assert.ok(runs > 1);
  assert.equal(done.written, 1_200);
  assert.deepEqual(fieldsOf(world), fieldsOf(world, 'source'));
});

test('resume: a failed restore writes only the documents that were refused', async () => {
  const world = createRestoreEnv();
  withVirtualTime(world);
  await put(world, numbered(1_000));
  const backup = await takeBackup(world);
  const bad = ['items/00007', 'items/00500', 'items/00999'];
  for (const contains of bad)
    server.faults.add({
      method: 'BatchWrite',
      project: world.targetProjectId,
      contains,
      status: 'INVALID_ARGUMENT' as const,
      times: 1_000_000,
    });
  const failed = await restore(world, backup);
  assert.equal(failed.error?.code, 'COUNT_MISMATCH');
  const before = documentsIn(world);
  server.faults.clear();
  server.faults.resetCalls();
  await resume(world, failed.id);
  const done = await runRestore(world, failed.id);
  assert.equal(done.status, 'completed', JSON.stringify(done.error));
  assert.equal(done.attempt, 2);
  assert.deepEqual([done.written, done.failed, done.failures], [1_000, 0, []]);
  assert.equal(done.error, null);
  assert.deepEqual(fieldsOf(world), fieldsOf(world, 'source'));
  const after = documentsIn(world);
  for (const [path, bytes] of before) assert.equal(after.get(path), bytes, `${path} was not written again`);
  assert.ok(writesSent() <= bad.length);
});

for (const mergeMode of ['overwrite', 'skip_existing', 'merge', 'rollback'] as const)
  test(`resume: a restore with ${mergeMode} that was cancelled while writing completes, and counts each document once`, async () => {
    const world = createRestoreEnv();
    await put(world, numbered(30));
    const backup = await takeBackup(world);
    await putTarget(world, { 'items/00001': { n: integer(-1), more: integer(1) } });
    const id = await startTestRestore(world, backup, { mergeMode });
    await runRestore(world, id, { upTo: 'seal' });
    const position = { ...atStart(), step: 'write' as const, shards: [0], remaining: [0] };
    // Everything is written, nothing is reported.
    new CrashingMachine(4).attach(world);
    await assert.rejects(resumeWorkflow(world, id, position));
    new CrashingMachine().attach(world);
    const { change } = await cancelRestore(acting(), id, world.engine.clock.now());
    await commit(change.writes);
    // The writer crashes; later its lease has expired.
    const { nowMs } = world;
    world.nowMs = () => nowMs() + 15 * 60_000;
    await cleanUpRestore(tenant, id, world.engine);
    const before = documentsIn(world);
    await resume(world, id);
    const done = await runRestore(world, id);
    assert.equal(done.status, 'completed', JSON.stringify(done.error));
    const { plan, written, deleted, raced, failed } = done;
    assert.equal(written + deleted + raced + failed, plan!.create + plan!.overwrite + plan!.delete);
    assert.equal(raced, 0);
    assert.equal(documentsIn(world).size, 30);
    assert.deepEqual(documentsIn(world), before, 'nothing was written twice');
    const undo = await restore(world, backupOf(done.journal.backupId), { mergeMode: 'rollback', undoOf: id });
    assert.equal(undo.status, 'completed', JSON.stringify(undo.error));
    assert.deepEqual([...documentsIn(world).keys()], ['items/00001']);
    assert.equal(restoreOf(id).undoneBy, undo.id);
  });
