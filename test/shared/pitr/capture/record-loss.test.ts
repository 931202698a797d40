/** A cycle that cannot be proven complete leaves a gap with a reason, an event and a new base. */
import assert from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { baseFor, microsOf, pitrKey, windowsOf } from '../../../../shared/pitr/index.ts';
import { projectKey } from '../../../../shared/project/index.ts';
import { backupKey } from '../../../../shared/stored-backup/index.ts';
import { type CaptureEnv, createActiveCapture, createCaptureEnv, stopCaptureEnv } from '../../../harness/env/capture-env.ts';

afterAll(stopCaptureEnv);

/** Captures for a while, then `happens`; writes continue all the time. */
const losing = async (happens: (t: CaptureEnv) => unknown): Promise<CaptureEnv> => {
  const t = await createActiveCapture({ 'users/ada': '0', 'users/bob': '0' });
  t.pass(5);
  await t.put({ 'users/ada': '1' });
  t.pass(5);
  await t.runNextCycle();
  await t.put({ 'users/ada': '2', 'users/bob': null });
  const captured = t.pitr.capturedTo;
  await happens(t);
  await t.runNextCycle();
  assert.equal(t.pitr.status, 'starting');
  assert.deepEqual(
    t.pitr.gaps.map(({ from, to }) => [from, to]),
    [[captured, null]],
  );
  return t;
};

/** The gap is reported and closed by a new base, and everything before and after it is exact. */
const recovers = async (t: CaptureEnv): Promise<void> => {
  const { gap } = t.events('pitr.change_captured').at(-1)!.data as { gap: { to: null; reason: string } };
  assert.equal(gap.to, null);
  assert.equal(t.audited('pitr.gap').length, 1);
  await t.untilActive();
  t.pass(3);
  await t.put({ 'users/ada': '3' });
  t.pass(3);
  await t.runNextCycle();
  const [first, second] = t.pitr.bases;
  assert.equal(t.pitr.gaps[0]!.to, second!.readTime);
  const { windows } = windowsOf(t.pitr, t.now);
  assert.equal(windows.length, 2);
  assert.ok(microsOf(windows[0]!.from) >= microsOf(first!.readTime));
  await t.assertExact(t.secondsIn().filter((at) => isRemembered(t, at)));
};

/** Whether the source can still read that moment. */
const isRemembered = (t: CaptureEnv, at: number): boolean => {
  try {
    return t.truthAt(at) !== undefined;
  } catch {
    return false;
  }
};

test('capture loss: an invalid resume token leaves a gap', async () => {
  const t = await losing(({ table, tenant, projectId }) => {
    const item = table.get(pitrKey.tokens(tenant, projectId))!;
    const groups = (JSON.parse(String(item.groups)) as unknown[][]).map(([id, , ...rest]) => [id, 'YmFk', ...rest]);
    table.put({ ...item, groups: JSON.stringify(groups) });
  });
  await recovers(t);
});

test('capture loss: a source that resets its stream leaves a gap', async () => {
  const t = await losing(({ database }) => database.expireSnapshots());
  await recovers(t);
});

test('capture loss: an interruption that is too long leaves a gap', async () => {
  const t = await losing((env) => env.pass(51 * 60));
  await recovers(t);
});

test('capture loss: a deleted base loses the changes that build on it', async () => {
  const t = await createActiveCapture({ 'users/ada': '0' });
  const [base] = t.pitr.bases;
  const record = t.table.get(backupKey.backup(t.tenant, base!.backupId))!;
  t.table.put({ ...record, status: 'deleted' });
  t.pass(70);
  await t.runNextCycle();
  assert.deepEqual(
    t.pitr.gaps.map(({ from, to }) => [from, to]),
    [[base!.readTime, null]],
  );
  assert.deepEqual(
    t.secondsIn().filter((at) => at > microsOf(base!.readTime)),
    [],
  );
});

test('capture loss: a damaged base is skipped for the one before, and a new one is made', async () => {
  const t = await createActiveCapture({ 'users/ada': '0' }, { captureIntervalSeconds: 1_800, precision: 'interval' });
  for (let turns = 0; t.pitr.bases.length === 1; turns++) {
    assert.ok(turns < 60);
    await t.runNextCycle();
    await t.runRequestedBase();
  }
  const [first, second] = t.pitr.bases;
  const key = backupKey.backup(t.tenant, second!.backupId);
  t.table.put({ ...t.table.get(key)!, damagedDepth: 'full' });
  t.pass(5);
  await t.put({ 'users/ada': '1' });
  t.pass(5);
  await t.runNextCycle();
  const captured = t.pitr.capturedTo!;
  assert.equal(baseFor(t.pitr, captured)!.backupId, first!.backupId);
  await t.assertExact([microsOf(captured)]);
  await t.runRequestedBase();
  for (let turns = 0; t.pitr.bases.length === 2; turns++) {
    assert.ok(turns < 3);
    await t.runNextCycle();
  }
  assert.equal(baseFor(t.pitr, t.pitr.capturedTo!)!.backupId, t.pitr.bases[2]!.backupId);
  assert.equal(windowsOf(t.pitr, t.now).windows.length, 1);
  // Without another base nothing is offered.
  const alone = { ...t.pitr, bases: [{ ...first!, isDamaged: true as const }] };
  assert.deepEqual(windowsOf(alone, t.now).windows, []);
});

test('capture loss: an unavailable or unauthorized source only delays captures', async () => {
  const t = await createActiveCapture({ 'users/ada': '0' });
  t.pass(5);
  await t.put({ 'users/ada': '1' });
  t.server.faults.add({ method: 'Listen', status: 'UNAVAILABLE', times: 100 });
  assert.equal((await t.runNextCycle())!.delaySeconds, 30);
  t.server.faults.clear();
  t.server.faults.revoke(t.sourceProjectId);
  assert.equal((await t.runNextCycle())!.delaySeconds, 60);
  assert.equal(t.table.get(projectKey.project(t.tenant, t.projectId))!.status, 'unauthorized');
  t.server.faults.clear();
  t.pass(5);
  await t.runNextCycle();
  assert.deepEqual([t.pitr.status, t.pitr.gaps.length, t.batches.length], ['active', 0, 1]);
  await t.assertExact();
});

test('capture loss: disabling keeps captures, and enabling again leaves a gap between', async () => {
  const t = await createActiveCapture({ 'users/ada': '0' });
  t.pass(5);
  await t.put({ 'users/ada': '1' });
  t.pass(5);
  await t.runNextCycle();
  const known = t.secondsIn();
  const stale = t.pitr.turn;
  await t.disable();
  assert.deepEqual(t.secondsIn(), known);
  assert.deepEqual(t.table.get(projectKey.project(t.tenant, t.projectId))!.pitr, { enabled: false });
  assert.equal(await t.runCycle(stale), undefined);
  t.pass(600);
  await t.put({ 'users/ada': '2' });
  await t.enable();
  await t.untilActive();
  t.pass(5);
  await t.runNextCycle();
  assert.deepEqual(t.secondsIn().slice(0, known.length), known);
  assert.equal(windowsOf(t.pitr, t.now).windows.length, 2);
  await t.assertExact();
});

test('capture loss: no base is started for an unauthorized project until it is reconnected', async () => {
  const t = await createCaptureEnv();
  await t.put({ 'users/ada': '0' });
  await t.enable();
  const project = t.table.get(projectKey.project(t.tenant, t.projectId))!;
  t.table.put({ ...project, status: 'unauthorized' });
  for (let turns = 0; turns < 3; turns++) await t.runNextCycle();
  assert.deepEqual([t.pitr.comingBaseId, t.pitr.baseTriedAt], [null, null]);
  t.table.put(project);
  await t.untilActive();
});

test('capture loss: a failed base is retried with back-off', async () => {
  const t = await createCaptureEnv();
  await t.put({ 'users/ada': '0' });
  await t.enable();
  const tried = new Set<string>();
  const startedMs = t.nowMs;
  for (let turns = 0; tried.size < 3; turns++) {
    assert.ok(turns < 400);
    t.pass(25);
    await t.runNextCycle();
    const { comingBaseId } = t.pitr;
    if (comingBaseId === null || tried.has(comingBaseId)) continue;
    tried.add(comingBaseId);
    const key = backupKey.backup(t.tenant, comingBaseId);
    t.table.put({ ...t.table.get(key)!, status: 'failed' });
    t.table.items.delete(Object.values(projectKey.job(t.tenant, t.projectId)).join('\n'));
  }
  assert.ok(t.nowMs - startedMs >= 180_000 && t.nowMs - startedMs < 400_000, `${t.nowMs - startedMs} ms`);
});
