/** What fails again and again costs less and less, is counted, and is told once; what keeps a project from being captured can be seen. */
import assert from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { StorageError } from '../../../shared/destination/index.ts';
import { microsOf, momentOf, pitrData, pitrKey, resolvePoint, windowsOf } from '../../../shared/pitr/index.ts';
import { eventsOf } from '../../harness/env/backup-env.ts';
import {
  assertExact,
  batches,
  type CaptureWorld,
  enable,
  newCaptureWorld,
  nextTurn,
  pass,
  pitrNow,
  projectId,
  put,
  runComing,
  secondsIn,
  server,
  table,
  tenant,
  time,
  untilActive,
} from '../../harness/env/capture-env.ts';

afterAll(() => server.stop());

const problem = (): string | null => pitrData(pitrNow(), new Date(time.ms)).problem;
const gapEvents = (): number => eventsOf('pitr.change_captured').filter(({ data }) => 'gap' in (data as object)).length;

/** Bases that take so long, for a day; as many as were made. */
const slowBases = async (minutes: number): Promise<number> => {
  const world = newCaptureWorld();
  await put(world, { 'users/ada': '0' });
  await enable({ captureIntervalSeconds: 3_600 });
  const made = new Set<string>();
  const end = time.ms + 24 * 3_600_000;
  while (time.ms < end && pitrNow().status === 'starting') {
    await nextTurn(world);
    const { comingBaseId } = pitrNow();
    if (comingBaseId === null) pass(300);
    else if (!made.has(comingBaseId)) {
      made.add(comingBaseId);
      await runComing(world);
      pass(minutes * 60);
    }
  }
  if (pitrNow().status === 'active') await nextTurn(world);
  return made.size;
};

test('a base that takes almost as long as the source remembers is one that captures go on from', async () => {
  assert.equal(await slowBases(44), 1);
  assert.deepEqual([pitrNow().status, pitrNow().gaps.length, problem()], ['active', 0, null]);
});

test('a base that takes longer is made less and less often, and it is told why nothing is captured', async () => {
  const made = await slowBases(52);
  assert.ok(made >= 3 && made <= 11, `${made} bases in a day`);
  assert.equal(pitrNow().status, 'starting');
  assert.match(problem() ?? '', /took longer than 45 minutes/);
});

/** As a source does that goes on from no token; `isEach`: nor from any moment. */
const spoil = (isEach: boolean): void => {
  const item = table.get(pitrKey.tokens(tenant, projectId));
  if (!item) return;
  const groups = (JSON.parse(String(item.groups)) as [string, string, ...unknown[]][]).map(([id, token, ...rest]) =>
    token !== '' || isEach ? [id, 'YmFk', ...rest] : [id, token, ...rest],
  );
  table.put({ ...item, groups: JSON.stringify(groups) });
};

for (const isEach of [true, false])
  test(`a source that goes on from ${isEach ? 'nothing' : 'no token'} is asked less and less often, each base once, one outage told once`, async () => {
    const world = newCaptureWorld();
    await put(world, { 'users/ada': '0' });
    await enable();
    const startedMs = time.ms;
    for (let turns = 0; turns < 400 && time.ms - startedMs < 3_600_000; turns++) {
      spoil(isEach);
      await nextTurn(world);
      await runComing(world);
    }
    const { bases, losses } = pitrNow();
    assert.equal(new Set(bases.map(({ backupId }) => backupId)).size, bases.length);
    assert.ok(bases.length <= 8, `${bases.length} bases in an hour`);
    assert.ok((losses ?? 0) >= 3);
    assert.equal(gapEvents(), 1);
    assert.equal(table.find('AUDIT#').filter(({ action }) => action === 'pitr.gap').length, 1);
    if (pitrNow().status === 'starting') assert.match(problem() ?? '', /does not go on from where it was left/);
    await untilActive(world);
    for (const text of ['1', '2']) {
      pass(5);
      await put(world, { 'users/ada': text });
      await nextTurn(world);
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
  await nextTurn(world);
  return world;
};

test('what turns that fail have read is counted, they come later each time, and it is told why', async () => {
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
    delays.push((await nextTurn(world))!.delaySeconds);
  }
  assert.deepEqual(delays, [30, 60, 120, 240, 300, 300]);
  assert.ok(pitrNow().reads >= before.reads + 6 * 3, `${pitrNow().reads - before.reads} reads of six tries`);
  assert.match(problem() ?? '', /The bucket takes nothing/);
  world.wrap = (store) => store;
  const failed = pitrNow().reads;
  await nextTurn(world);
  assert.deepEqual([problem(), pitrNow().putOffs, pitrNow().reads > failed], [null, undefined, true]);
});

test('what a turn has read that lost its place is counted', async () => {
  const world = await capturing();
  const { reads } = pitrNow();
  spoil(true);
  await nextTurn(world);
  assert.equal(pitrNow().status, 'starting');
  assert.ok(pitrNow().reads > reads);
});

test('every second is looked up within a budget for each hour; once that is spent it is not tried again before, and one gap tells of it', async () => {
  const world = await capturing({ 'users/ada': '0', 'users/bob': '0' });
  const since = new Date(time.ms).toISOString();
  table.put({ ...pitrNow(), lookups: { since, reads: 9_990 } });
  const busyTurn = async (): Promise<number> => {
    const { reads } = pitrNow();
    for (let second = 0; second < 20; second++) {
      await put(world, { 'users/ada': `${second}`, 'users/bob': `${second}` });
      pass(1);
    }
    await nextTurn(world);
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
  // Every second can be asked for all the same, and becomes the last moment that is known: the end of a turn.
  const now = new Date(time.ms);
  const rough = windowsOf(pitrNow(), now).windows.filter(({ precision }) => precision === 'interval');
  const moments = secondsIn(rough.map(({ from, to }) => ({ from, to }))).map((at) =>
    microsOf(resolvePoint(pitrNow(), batches(), { pointInTime: momentOf(at) }, now).moment),
  );
  assert.deepEqual([...new Set(moments)], [gaps[0]!.from, ...batches().map(({ to }) => to)].slice(0, -1).map(microsOf));
  await assertExact(world, [...new Set(moments)]);
  while (time.ms < Date.parse(since) + 3_600_000) {
    pass(600);
    await nextTurn(world);
  }
  const quiet = microsOf(pitrNow().capturedTo!);
  await busyTurn();
  assert.deepEqual([pitrNow().gaps.length, pitrNow().lookups!.spentAt], [1, undefined]);
  await assertExact(
    world,
    secondsIn().filter((at) => at > quiet),
  );
});

test('collections that are made all the time do not hold a turn up; what was heard further than its end is not offered as known', async () => {
  const world = newCaptureWorld();
  await put(world, { 'users/ada': '0' });
  await enable({ precision: 'interval' });
  await untilActive(world);
  pass(5);
  await put(world, { 'new0/a': '0', 'users/ada': '1' });
  let made = 0;
  /** Each time that one is counted another is there. */
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
  await nextTurn({ ...world, engine: { ...world.engine, openSource } });
  const [batch] = batches();
  assert.ok(microsOf(batch!.heardTo!) > microsOf(batch!.to) + 1_000_000, 'the second half was heard later');
  pass(5);
  await put(world, { 'users/ada': '2' });
  pass(5);
  await nextTurn(world);
  assert.deepEqual([pitrNow().gaps, pitrNow().putOffs], [[], undefined]);
  const between = momentOf(microsOf(batch!.to) + 1_000_000);
  const { moment } = resolvePoint(pitrNow(), batches(), { pointInTime: between }, new Date(time.ms));
  assert.equal(moment, batch!.to);
  await assertExact(world, [batch!.to, pitrNow().capturedTo!].map(microsOf));
});
