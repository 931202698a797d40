/** Repeated failures back off, are counted, and are reported once; the problem is shown to the customer. */
import assert from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { StorageError } from '../../../../shared/destination/index.ts';
import { microsOf, momentOf, pitrData, pitrKey, resolvePoint, windowsOf } from '../../../../shared/pitr/index.ts';
import { eventsOf } from '../../../harness/env/backup-env.ts';
import {
  assertExact,
  batches,
  type CaptureWorld,
  enable,
  newCaptureWorld,
  pass,
  pitrNow,
  projectId,
  put,
  runNextCycle,
  runRequestedBase,
  secondsIn,
  server,
  table,
  tenant,
  time,
  untilActive,
} from '../../../harness/env/capture-env.ts';

afterAll(() => server.stop());

const problem = (): string | null => pitrData(pitrNow(), new Date(time.ms)).problem;
const gapEvents = (): number => eventsOf('pitr.change_captured').filter(({ data }) => 'gap' in (data as object)).length;

/** Runs a day with bases that take that long; returns their number. */
const slowBases = async (minutes: number): Promise<number> => {
  const world = newCaptureWorld();
  await put(world, { 'users/ada': '0' });
  await enable({ captureIntervalSeconds: 3_600 });
  const made = new Set<string>();
  const end = time.ms + 24 * 3_600_000;
  while (time.ms < end && pitrNow().status === 'starting') {
    await runNextCycle(world);
    const { comingBaseId } = pitrNow();
    if (comingBaseId === null) pass(300);
    else if (!made.has(comingBaseId)) {
      made.add(comingBaseId);
      await runRequestedBase(world);
      pass(minutes * 60);
    }
  }
  if (pitrNow().status === 'active') await runNextCycle(world);
  return made.size;
};

test('source outage: captures begin on a base that takes almost as long as the source keeps history', async () => {
  assert.equal(await slowBases(44), 1);
  assert.deepEqual([pitrNow().status, pitrNow().gaps.length, problem()], ['active', 0, null]);
});

test('source outage: a base that takes longer is retried with back-off, and the problem is shown', async () => {
  const made = await slowBases(52);
  assert.ok(made >= 3 && made <= 11, `${made} bases in a day`);
  assert.equal(pitrNow().status, 'starting');
  assert.match(problem() ?? '', /took longer than 45 minutes/);
});

/** A source that resumes from no token; with `isEach` nor from any moment. */
const spoil = (isEach: boolean): void => {
  const item = table.get(pitrKey.tokens(tenant, projectId));
  if (!item) return;
  const groups = (JSON.parse(String(item.groups)) as [string, string, ...unknown[]][]).map(([id, token, ...rest]) =>
    token !== '' || isEach ? [id, 'YmFk', ...rest] : [id, token, ...rest],
  );
  table.put({ ...item, groups: JSON.stringify(groups) });
};

for (const isEach of [true, false])
  test(`source outage: a source that resumes from ${isEach ? 'nothing' : 'no token'} is retried with back-off, each base once, and reported once`, async () => {
    const world = newCaptureWorld();
    await put(world, { 'users/ada': '0' });
    await enable();
    const startedMs = time.ms;
    for (let turns = 0; turns < 400 && time.ms - startedMs < 3_600_000; turns++) {
      spoil(isEach);
      await runNextCycle(world);
      await runRequestedBase(world);
    }
    const { bases, losses } = pitrNow();
    assert.equal(new Set(bases.map(({ backupId }) => backupId)).size, bases.length);
    assert.ok(bases.length <= 8, `${bases.length} bases in an hour`);
    assert.ok((losses ?? 0) >= 3);
    assert.equal(gapEvents(), 1);
    assert.equal(table.find('AUDIT#').filter(({ action }) => action === 'pitr.gap').length, 1);
    if (pitrNow().status === 'starting') assert.match(problem() ?? '', /rejected the resume token/);
    await untilActive(world);
    for (const text of ['1', '2']) {
      pass(5);
      await put(world, { 'users/ada': text });
      await runNextCycle(world);
    }
    assert.deepEqual([problem(), pitrNow().losses, pitrNow().baseFailures, pitrNow().trouble], [null, undefined, 0, undefined]);
    const last = microsOf(pitrNow().bases.at(-1)!.readTime);
    await assertExact(
      world,
      secondsIn().filter((at) => at > last),
    );
  });

const capturing = async (documents: Readonly<Record<string, string>> = { 'users/ada': '0' }): Promise<CaptureWorld> => {
  const world = newCaptureWorld();
  await put(world, documents);
  await enable();
  await untilActive(world);
  pass(5);
  await runNextCycle(world);
  return world;
};

test('source outage: failed cycles count their reads, back off, and show the problem', async () => {
  const world = await capturing();
  await put(world, { 'users/ada': '1' });
  const before = pitrNow();
  const upload = () => {
    throw new StorageError('denied', 'The bucket takes nothing.');
  };
  world.wrap = (store) => Object.assign(store, { upload });
  const delays: number[] = [];
  for (let turns = 0; turns < 6; turns++) {
    assert.equal(problem() === null, turns < 3);
    delays.push((await runNextCycle(world))!.delaySeconds);
  }
  assert.deepEqual(delays, [30, 60, 120, 240, 300, 300]);
  assert.ok(pitrNow().reads >= before.reads + 6 * 3, `${pitrNow().reads - before.reads} reads of six tries`);
  assert.match(problem() ?? '', /The bucket takes nothing/);
  world.wrap = (store) => store;
  const failed = pitrNow().reads;
  await runNextCycle(world);
  assert.deepEqual([problem(), pitrNow().putOffs, pitrNow().reads > failed], [null, undefined, true]);
});

test('source outage: a cycle that loses its position counts its reads', async () => {
  const world = await capturing();
  const { reads } = pitrNow();
  spoil(true);
  await runNextCycle(world);
  assert.equal(pitrNow().status, 'starting');
  assert.ok(pitrNow().reads > reads);
});

test('source outage: look-ups have an hourly budget; once spent, one gap reports it until the next hour', async () => {
  const world = await capturing({ 'users/ada': '0', 'users/bob': '0' });
  const since = new Date(time.ms).toISOString();
  table.put({ ...pitrNow(), lookups: { since, reads: 9_990 } });
  const busyTurn = async (): Promise<number> => {
    const { reads } = pitrNow();
    for (let second = 0; second < 20; second++) {
      await put(world, { 'users/ada': `${second}`, 'users/bob': `${second}` });
      pass(1);
    }
    await runNextCycle(world);
    return pitrNow().reads - reads;
  };
  const first = await busyTurn();
  assert.ok(pitrNow().lookups!.spentAt !== undefined && pitrNow().lookups!.reads <= 10_000);
  for (let turns = 0; turns < 3; turns++) assert.ok((await busyTurn()) < first - 5);
  const { gaps, capturedTo } = pitrNow();
  assert.deepEqual(
    gaps.map(({ to, isBridged }) => [to, isBridged]),
    [[capturedTo, true]],
  );
  assert.equal(gapEvents(), 1);
  await assertExact(world);
  // Every second can still be requested, and resolves to the last known moment: the end of a cycle.
  const now = new Date(time.ms);
  const rough = windowsOf(pitrNow(), now).windows.filter(({ precision }) => precision === 'interval');
  const moments = secondsIn(rough.map(({ from, to }) => ({ from, to }))).map((at) =>
    microsOf(resolvePoint(pitrNow(), batches(), { pointInTime: momentOf(at) }, now).moment),
  );
  assert.deepEqual([...new Set(moments)], [gaps[0]!.from, ...batches().map(({ to }) => to)].slice(0, -1).map(microsOf));
  await assertExact(world, [...new Set(moments)]);
  while (time.ms < Date.parse(since) + 3_600_000) {
    pass(600);
    await runNextCycle(world);
  }
  const quiet = microsOf(pitrNow().capturedTo!);
  await busyTurn();
  assert.deepEqual([pitrNow().gaps.length, pitrNow().lookups!.spentAt], [1, undefined]);
  await assertExact(
    world,
    secondsIn().filter((at) => at > quiet),
  );
});

test('source outage: collections created all the time do not delay a cycle, and nothing beyond its end is offered', async () => {
  const world = newCaptureWorld();
  await put(world, { 'users/ada': '0' });
  await enable({ precision: 'interval' });
  await untilActive(world);
  pass(5);
  await put(world, { 'new0/a': '0', 'users/ada': '1' });
  let made = 0;
  /** Each count finds another collection. */
  const openSource: CaptureWorld['engine']['openSource'] = (...all) => {
    const source = world.engine.openSource(...all);
    const call = source.call.bind(source);
    source.call = async (method, ...rest) => {
      if (method === 'RunAggregationQuery' && made < 50) {
        made += 1;
        await put(world, { [`new${made}/a`]: '0', 'users/ada': `heard ${made}` });
        pass(2);
      }
      return call(method, ...rest);
    };
    return source;
  };
  await runNextCycle({ ...world, engine: { ...world.engine, openSource } });
  const [batch] = batches();
  assert.ok(microsOf(batch!.heardTo!) > microsOf(batch!.to) + 1_000_000, 'the second half was heard later');
  pass(5);
  await put(world, { 'users/ada': '2' });
  pass(5);
  await runNextCycle(world);
  assert.deepEqual([pitrNow().gaps, pitrNow().putOffs], [[], undefined]);
  const between = momentOf(microsOf(batch!.to) + 1_000_000);
  const { moment } = resolvePoint(pitrNow(), batches(), { pointInTime: between }, new Date(time.ms));
  assert.equal(moment, batch!.to);
  await assertExact(world, [batch!.to, pitrNow().capturedTo!].map(microsOf));
});
