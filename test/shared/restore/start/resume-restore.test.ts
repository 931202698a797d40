/** An interrupted restore reaches the same end; a failed one resumes where it was. */
import assert from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { commit, newId } from '../../../../shared/platform/index.ts';
import { cancelRestore } from '../../../../shared/restore/end/cancel-restore.ts';
import { resumeRestore } from '../../../../shared/restore/start/resume-restore.ts';
import { endCancelled } from '../../../harness/env/restore/end-cancelled.ts';
import { createRestoreEnv, type Fields, firstRestoreStep, RestoreFailedError } from '../../../harness/env/restore-env.ts';
import { crashPoints } from '../../../harness/faults/crash-injector.ts';
import { CrashingMachine } from '../../../harness/faults/restore-machine.ts';
import { withVirtualTime } from '../../../harness/time/with-virtual-time.ts';

const t = await createRestoreEnv();

beforeEach(() => t.reset());

const integer = (value: number): Fields[string] => ({ integerValue: BigInt(value) });
const numbered = (count: number, of = 'items'): Record<string, Fields> =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`${of}/${String(n).padStart(5, '0')}`, { n: integer(n) }]));

const setup = async () => {
  await t.put(numbered(10));
  const backup = await t.takeBackup();
  await spoil();
  t.server.faults.resetCalls();
  return backup;
};

/** Eight to create, two to overwrite, one to delete. */
const spoil = () =>
  t.putTarget({
    ...Object.fromEntries(Object.keys(numbered(10)).map((path) => [path, undefined])),
    'items/00002': { other: integer(2) },
    'items/00006': { other: integer(6) },
    'zoo/animal': { name: integer(1) },
  });

const resume = async (id: string): Promise<void> => {
  const { change } = await resumeRestore(t.tenant, t.restoreOf(id), t.clock.now());
  await commit(change.writes);
};

const acting = () => ({
  tenant: t.tenant,
  organization: t.organization,
  role: 'owner' as const,
  actor: { type: 'user' as const, id: newId('user'), email: null },
});

interface RestoreEvent {
  readonly restore: { readonly restoreJobId: string };
  readonly progress: { readonly percent: number };
}
const eventsOf = (id: string, type: string): readonly RestoreEvent[] =>
  t
    .events(type)
    .map(({ data }) => data as RestoreEvent)
    .filter(({ restore: { restoreJobId } }) => restoreJobId === id);

const assertWhole = (id: string): void => {
  const done = t.restoreOf(id);
  assert.equal(done.status, 'completed', JSON.stringify(done.error));
  assert.deepEqual(t.fieldsOf(), t.fieldsOf('source'));
  assert.deepEqual(done.plan, { create: 8, overwrite: 2, skip: 0, delete: 1, unchanged: 0 });
  assert.deepEqual([done.written, done.deleted, done.raced, done.failed], [10, 1, 0, 0]);
  assert.equal(eventsOf(id, 'restore.started').length, 1);
  assert.equal(eventsOf(id, 'restore.completed').length, 1);
  const percents = eventsOf(id, 'restore.progress').map(({ progress }) => progress.percent);
  assert.deepEqual(percents, [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
};

/** Runs until the machine dies, then on another one; true if it died. */
const interrupted = async (id: string, at: number, when: 'before' | 'after'): Promise<boolean> => {
  const position = firstRestoreStep();
  const machine = new CrashingMachine(at, when).attach(t);
  try {
    await t.resumeRestore(id, position);
  } catch (error) {
    if (error instanceof RestoreFailedError || !machine.isDead) throw error;
  }
  new CrashingMachine().attach(t);
  if (machine.isDead) await t.resumeRestore(id, position);
  return machine.isDead;
};

test('restore: a crash before or after any effect does not change the outcome', async () => {
  const backup = await setup();
  const begin = async (): Promise<string> => {
    await spoil();
    return t.startRestore(backup, { mergeMode: 'rollback' });
  };
  const whole = await begin();
  const undisturbed = new CrashingMachine().attach(t);
  await t.resumeRestore(whole, firstRestoreStep());
  const { effects } = undisturbed;
  assert.ok(effects > 15, `${effects} effects`);
  for (const { at, when } of crashPoints(effects)) {
    const id = await begin();
    assert.ok(await interrupted(id, at, when), `nothing died ${when} ${at} of ${effects}`);
    assertWhole(id);
  }
});

test('restore: unreported writes of an interrupted run are found, counted, and not repeated', async () => {
  const backup = await setup();
  const id = await t.startRestore(backup, { mergeMode: 'rollback' });
  await t.runRestore(id, { upTo: 'seal' });
  const position = { ...firstRestoreStep(), step: 'write' as const, shards: [0], remaining: [0] };
  // Claim, rate limit, request; then the machine crashes before its report.
  const machine = new CrashingMachine(4).attach(t);
  await assert.rejects(t.resumeRestore(id, position));
  assert.ok(machine.isDead);
  assert.equal(t.restoreOf(id).written, 0);
  const written = t.documentsIn();
  assert.deepEqual(t.fieldsOf(), t.fieldsOf('source'));
  new CrashingMachine().attach(t);
  t.server.faults.resetCalls();
  await t.resumeRestore(id, position);
  assertWhole(id);
  assert.equal(t.writesSent(), 0);
  assert.deepEqual(t.documentsIn(), written);
});

test('restore: a run whose time is up hands over at its checkpoint; the next one writes only the rest', async () => {
  withVirtualTime(t);
  await t.put(numbered(1_200));
  const backup = await t.takeBackup();
  const id = await t.startRestore(backup);
  await t.runRestore(id, { upTo: 'seal' });
  const position = { ...firstRestoreStep(), step: 'write' as const, shards: [0], remaining: [0] };
  let runs = 0;
  await t.resumeRestore(id, position, {
    workSeconds: 0.001,
    onStep: (step) => {
      if (step === 'write') runs += 1;
    },
  });
  const done = t.restoreOf(id);
  assert.equal(done.status, 'completed', JSON.stringify(done.error));
  assert.ok(runs > 1);
  assert.equal(done.written, 1_200);
  assert.deepEqual(t.fieldsOf(), t.fieldsOf('source'));
});

test('resume: a failed restore writes only the documents that were refused', async () => {
  withVirtualTime(t);
  await t.put(numbered(1_000));
  const backup = await t.takeBackup();
  const bad = ['items/00007', 'items/00500', 'items/00999'];
  for (const contains of bad)
    t.server.faults.add({
      method: 'BatchWrite',
      project: t.targetProjectId,
      contains,
      status: 'INVALID_ARGUMENT' as const,
      times: 1_000_000,
    });
  const failed = await t.restore(backup);
  assert.equal(failed.error?.code, 'COUNT_MISMATCH');
  const before = t.documentsIn();
  t.server.faults.clear();
  t.server.faults.resetCalls();
  await resume(failed.id);
  const done = await t.runRestore(failed.id);
  assert.equal(done.status, 'completed', JSON.stringify(done.error));
  assert.equal(done.attempt, 2);
  assert.deepEqual([done.written, done.failed, done.failures], [1_000, 0, []]);
  assert.equal(done.error, null);
  assert.deepEqual(t.fieldsOf(), t.fieldsOf('source'));
  const after = t.documentsIn();
  for (const [path, bytes] of before) assert.equal(after.get(path), bytes, `${path} was not written again`);
  assert.ok(t.writesSent() <= bad.length);
});

for (const mergeMode of ['overwrite', 'skip_existing', 'merge', 'rollback'] as const)
  test(`resume: a restore with ${mergeMode} that was cancelled while writing completes, and counts each document once`, async () => {
    await t.put(numbered(30));
    const backup = await t.takeBackup();
    await t.putTarget({ 'items/00001': { n: integer(-1), more: integer(1) } });
    const id = await t.startRestore(backup, { mergeMode });
    await t.runRestore(id, { upTo: 'seal' });
    const position = { ...firstRestoreStep(), step: 'write' as const, shards: [0], remaining: [0] };
    // Everything is written, nothing is reported.
    new CrashingMachine(4).attach(t);
    await assert.rejects(t.resumeRestore(id, position));
    new CrashingMachine().attach(t);
    const { change } = await cancelRestore(acting(), id, t.clock.now());
    await commit(change.writes);
    // The writer crashes; later its lease has expired.
    const { nowMs } = t;
    t.nowMs = () => nowMs() + 15 * 60_000;
    await endCancelled(t, id);
    const before = t.documentsIn();
    await resume(id);
    const done = await t.runRestore(id);
    assert.equal(done.status, 'completed', JSON.stringify(done.error));
    const { plan, written, deleted, raced, failed } = done;
    assert.equal(written + deleted + raced + failed, plan!.create + plan!.overwrite + plan!.delete);
    assert.equal(raced, 0);
    assert.equal(t.documentsIn().size, 30);
    assert.deepEqual(t.documentsIn(), before, 'nothing was written twice');
    const undo = await t.restore(t.backupOf(done.journal.backupId), { mergeMode: 'rollback', undoOf: id });
    assert.equal(undo.status, 'completed', JSON.stringify(undo.error));
    assert.deepEqual([...t.documentsIn().keys()], ['items/00001']);
    assert.equal(t.restoreOf(id).undoneBy, undo.id);
  });
