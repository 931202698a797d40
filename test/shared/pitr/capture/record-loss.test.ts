/** A cycle that cannot be proven complete leaves a gap with a reason, an event and a new base. */
import assert from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { backupKey } from '../../../../shared/backup/index.ts';
import { baseFor, microsOf, pitrKey, windowsOf } from '../../../../shared/pitr/index.ts';
import { projectKey } from '../../../../shared/project/index.ts';
import { eventsOf } from '../../../harness/env/backup-env.ts';
import {
  assertExact,
  batches,
  type CaptureWorld,
  disable,
  enable,
  newCaptureWorld,
  pass,
  pitrNow,
  projectId,
  put,
  runCycle,
  runNextCycle,
  runRequestedBase,
  secondsIn,
  server,
  table,
  tenant,
  time,
  truthAt,
  untilActive,
} from '../../../harness/env/capture-env.ts';

afterAll(() => server.stop());

/** Captures for a while, then `happens`; writes continue all the time. */
const losing = async (happens: (world: CaptureWorld) => unknown): Promise<CaptureWorld> => {
  const world = newCaptureWorld();
  await put(world, { 'users/ada': '0', 'users/bob': '0' });
  await enable();
  await untilActive(world);
  pass(5);
  await put(world, { 'users/ada': '1' });
  pass(5);
  await runNextCycle(world);
  await put(world, { 'users/ada': '2', 'users/bob': null });
  const captured = pitrNow().capturedTo;
  await happens(world);
  await runNextCycle(world);
  assert.equal(pitrNow().status, 'starting');
  assert.deepEqual(
    pitrNow().gaps.map(({ from, to }) => [from, to]),
    [[captured, null]],
  );
  return world;
};

/** The gap is reported and closed by a new base, and everything before and after it is exact. */
const recovers = async (world: CaptureWorld): Promise<void> => {
  const { gap } = eventsOf('pitr.change_captured').at(-1)!.data as { gap: { to: null; reason: string } };
  assert.equal(gap.to, null);
  assert.equal(table.find('AUDIT#').filter(({ action }) => action === 'pitr.gap').length, 1);
  await untilActive(world);
  pass(3);
  await put(world, { 'users/ada': '3' });
  pass(3);
  await runNextCycle(world);
  const [first, second] = pitrNow().bases;
  assert.equal(pitrNow().gaps[0]!.to, second!.readTime);
  const { windows } = windowsOf(pitrNow(), new Date(time.ms));
  assert.equal(windows.length, 2);
  assert.ok(microsOf(windows[0]!.from) >= microsOf(first!.readTime));
  await assertExact(
    world,
    secondsIn().filter((at) => isRemembered(world, at)),
  );
};

/** Whether the source can still read that moment. */
const isRemembered = (world: CaptureWorld, at: number): boolean => {
  try {
    return truthAt(world, at) !== undefined;
  } catch {
    return false;
  }
};

test('capture loss: an invalid resume token leaves a gap', async () => {
  const world = await losing(() => {
    const key = pitrKey.tokens(tenant, projectId);
    const item = table.get(key)!;
    const groups = (JSON.parse(String(item.groups)) as unknown[][]).map(([id, , ...rest]) => [id, 'YmFk', ...rest]);
    table.put({ ...item, groups: JSON.stringify(groups) });
  });
  await recovers(world);
});

test('capture loss: a source that resets its stream leaves a gap', async () => {
  const world = await losing(({ sourceProjectId }) =>
    server.databases.open({ projectId: sourceProjectId, databaseId: '(default)' }).expireSnapshots(),
  );
  await recovers(world);
});

test('capture loss: an interruption that is too long leaves a gap', async () => {
  const world = await losing(() => pass(51 * 60));
  await recovers(world);
});

test('capture loss: a deleted base loses the changes that build on it', async () => {
  const world = newCaptureWorld();
  await put(world, { 'users/ada': '0' });
  await enable();
  await untilActive(world);
  const [base] = pitrNow().bases;
  const record = table.get(backupKey.backup(tenant, base!.backupId))!;
  table.put({ ...record, status: 'deleted' });
  pass(70);
  await runNextCycle(world);
  assert.deepEqual(
    pitrNow().gaps.map(({ from, to }) => [from, to]),
    [[base!.readTime, null]],
  );
  assert.deepEqual(
    secondsIn().filter((at) => at > microsOf(base!.readTime)),
    [],
  );
});

test('capture loss: a damaged base is skipped for the one before, and a new one is made', async () => {
  const world = newCaptureWorld();
  await put(world, { 'users/ada': '0' });
  await enable({ captureIntervalSeconds: 1_800, precision: 'interval' });
  await untilActive(world);
  for (let turns = 0; pitrNow().bases.length === 1; turns++) {
    assert.ok(turns < 60);
    await runNextCycle(world);
    await runRequestedBase(world);
  }
  const [first, second] = pitrNow().bases;
  const key = backupKey.backup(tenant, second!.backupId);
  table.put({ ...table.get(key)!, damagedDepth: 'full' });
  pass(5);
  await put(world, { 'users/ada': '1' });
  pass(5);
  await runNextCycle(world);
  const captured = pitrNow().capturedTo!;
  assert.equal(baseFor(pitrNow(), captured)!.backupId, first!.backupId);
  await assertExact(world, [microsOf(captured)]);
  await runRequestedBase(world);
  for (let turns = 0; pitrNow().bases.length === 2; turns++) {
    assert.ok(turns < 3);
    await runNextCycle(world);
  }
  assert.equal(baseFor(pitrNow(), pitrNow().capturedTo!)!.backupId, pitrNow().bases[2]!.backupId);
  assert.equal(windowsOf(pitrNow(), new Date(time.ms)).windows.length, 1);
  // Without another base nothing is offered.
  const alone = { ...pitrNow(), bases: [{ ...first!, isDamaged: true as const }] };
  assert.deepEqual(windowsOf(alone, new Date(time.ms)).windows, []);
});

test('capture loss: an unavailable or unauthorized source only delays captures', async () => {
  const world = newCaptureWorld();
  await put(world, { 'users/ada': '0' });
  await enable();
  await untilActive(world);
  pass(5);
  await put(world, { 'users/ada': '1' });
  server.faults.add({ method: 'Listen', status: 'UNAVAILABLE', times: 100 });
  assert.equal((await runNextCycle(world))!.delaySeconds, 30);
  server.faults.clear();
  server.faults.revoke(world.sourceProjectId);
  assert.equal((await runNextCycle(world))!.delaySeconds, 60);
  assert.equal(table.get(projectKey.project(tenant, projectId))!.status, 'unauthorized');
  server.faults.clear();
  pass(5);
  await runNextCycle(world);
  assert.deepEqual([pitrNow().status, pitrNow().gaps.length, batches().length], ['active', 0, 1]);
  await assertExact(world);
});

test('capture loss: disabling keeps captures, and enabling again leaves a gap between', async () => {
  const world = newCaptureWorld();
  await put(world, { 'users/ada': '0' });
  await enable();
  await untilActive(world);
  pass(5);
  await put(world, { 'users/ada': '1' });
  pass(5);
  await runNextCycle(world);
  const known = secondsIn();
  const stale = pitrNow().turn;
  await disable();
  assert.deepEqual(secondsIn(), known);
  assert.deepEqual(table.get(projectKey.project(tenant, projectId))!.pitr, { enabled: false });
  assert.equal(await runCycle(world, stale), undefined);
  pass(600);
  await put(world, { 'users/ada': '2' });
  await enable();
  await untilActive(world);
  pass(5);
  await runNextCycle(world);
  assert.deepEqual(secondsIn().slice(0, known.length), known);
  assert.equal(windowsOf(pitrNow(), new Date(time.ms)).windows.length, 2);
  await assertExact(world);
});

test('capture loss: no base is started for an unauthorized project until it is reconnected', async () => {
  const world = newCaptureWorld();
  await put(world, { 'users/ada': '0' });
  await enable();
  const project = table.get(projectKey.project(tenant, projectId))!;
  table.put({ ...project, status: 'unauthorized' });
  for (let turns = 0; turns < 3; turns++) await runNextCycle(world);
  assert.deepEqual([pitrNow().comingBaseId, pitrNow().baseTriedAt], [null, null]);
  table.put(project);
  await untilActive(world);
});

test('capture loss: a failed base is retried with back-off', async () => {
  const world = newCaptureWorld();
  await put(world, { 'users/ada': '0' });
  await enable();
  const tried = new Set<string>();
  const startedMs = time.ms;
  for (let turns = 0; tried.size < 3; turns++) {
    assert.ok(turns < 400);
    pass(25);
    await runNextCycle(world);
    const { comingBaseId } = pitrNow();
    if (comingBaseId === null || tried.has(comingBaseId)) continue;
    tried.add(comingBaseId);
    const key = backupKey.backup(tenant, comingBaseId);
    table.put({ ...table.get(key)!, status: 'failed' });
    table.items.delete(Object.values(projectKey.job(tenant, projectId)).join('\n'));
  }
  assert.ok(time.ms - startedMs >= 180_000 && time.ms - startedMs < 400_000, `${time.ms - startedMs} ms`);
});
