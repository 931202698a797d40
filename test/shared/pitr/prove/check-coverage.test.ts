/** Unknown collections below documents are detected by counting, discovered by a base, and always reported. */
import assert from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { microsOf, type PitrRecord, windowsOf } from '../../../../shared/pitr/index.ts';
import { isCheckDue } from '../../../../shared/pitr/prove/check-coverage.ts';
import { remainingUnchecked } from '../../../../shared/pitr/timeline/windows.ts';
import { eventsOf } from '../../../harness/env/backup-env.ts';
import {
  assertExact,
  begun,
  type CaptureWorld,
  pass,
  pitrNow,
  put,
  runNextCycle,
  runRequestedBase,
  secondsIn,
  server,
  table,
  time,
} from '../../../harness/env/capture-env.ts';

afterAll(() => server.stop());

/** After the first cycle and its count. */
const counted = async (...asked: Parameters<typeof begun>): Promise<CaptureWorld> => {
  const world = await begun(...asked);
  await runNextCycle(world);
  return world;
};
const windows = () => windowsOf(pitrNow(), new Date(time.ms)).windows;
const refuseToCount = () => server.faults.add({ method: 'RunAggregationQuery', status: 'UNIMPLEMENTED', times: 1_000 });

/** Runs cycles, and the bases they request, until nothing is missing. */
const untilFound = async (world: CaptureWorld): Promise<void> => {
  for (let turns = 0; pitrNow().gaps.some(({ to }) => to === null); turns++) {
    assert.ok(turns < 12, 'it was not found');
    await runNextCycle(world);
    await runRequestedBase(world);
  }
};

test('coverage: an unknown collection is detected within one interval, and a base is requested at once', async () => {
  const world = await counted({ 'users/ada': '1', 'users/ada/notes/a': '1' });
  const checkedAt = pitrNow().capturedTo!;
  assert.equal(pitrNow().checkedAt, checkedAt);
  pass(20);
  await put(world, { 'users/ada/secrets/s': '1', 'users/ada': '2' });
  await runNextCycle(world);
  const [gap] = pitrNow().gaps;
  assert.deepEqual([pitrNow().gaps.length, gap!.from, gap!.to, gap!.collections], [1, checkedAt, null, []]);
  const gaps = eventsOf('pitr.change_captured').map(({ data }) => (data as { gap?: object }).gap);
  assert.deepEqual(gaps.at(-1), {
    from: windowsOf(pitrNow(), new Date(time.ms)).gaps[0]!.from,
    to: null,
    reason: 'the source has documents in unknown collections below documents',
    collections: [],
  });
  assert.equal(table.find('AUDIT#').filter(({ action }) => action === 'pitr.gap').length, 1);
  const [whole, known] = windows();
  assert.equal(whole!.collections, undefined);
  assert.deepEqual(known!.collections?.toSorted(), ['notes', 'users']);
  assert.ok(microsOf(whole!.to) <= microsOf(checkedAt) && microsOf(known!.from) > microsOf(checkedAt));
  assert.equal(microsOf(known!.from) - microsOf(whole!.to), 1_000_000);
  const { reads } = pitrNow();
  time.ms += 240_000;
  await runNextCycle(world);
  assert.ok(pitrNow().comingBaseId);
  assert.equal(pitrNow().reads - reads, 3, 'nothing is counted while a base is waited for');
  await untilFound(world);
  const [found] = pitrNow().gaps;
  const { since } = pitrNow().bases.at(-1)!;
  assert.deepEqual([pitrNow().gaps.length, found!.from, found!.to, found!.collections], [1, checkedAt, since, ['secrets']]);
  assert.equal(table.find('AUDIT#').filter(({ action }) => action === 'pitr.gap').length, 2);
  pass(7);
  await put(world, { 'users/ada/secrets/s': null, 'users/ada/secrets/t': '2' });
  pass(7);
  await runNextCycle(world);
  assert.equal(pitrNow().checkedAt, pitrNow().capturedTo);
  // The window during the gap names the collections that were complete.
  assert.deepEqual(
    windows().map(({ collections }) => collections?.toSorted()),
    [undefined, ['notes', 'users'], undefined],
  );
  const isOutside = (at: number): boolean => at <= microsOf(found!.from) || at >= microsOf(found!.to!);
  assert.ok(secondsIn().some((at) => at > microsOf(since) + 10_000_000));
  await assertExact(world, secondsIn().filter(isOutside));
});

test('coverage: deleted and recreated documents do not hide an unknown collection', async () => {
  const world = await counted({ 'users/ada': '1', 'users/bob': '1' });
  for (const [path, isAgain] of [
    ['users/ada/secrets/s', true],
    ['users/ada/riddles/r', false],
  ] as const) {
    pass(10);
    await put(world, { 'users/bob': null });
    if (isAgain) await put(world, { 'users/bob': 'again' });
    await put(world, { [path]: '1' });
    await runNextCycle(world);
    assert.deepEqual(pitrNow().gaps.at(-1)!.collections, []);
    time.ms += 600_000;
    await untilFound(world);
  }
  assert.deepEqual(
    pitrNow().gaps.map(({ collections }) => collections),
    [['secrets'], ['riddles']],
  );
});

test('coverage: a collection deleted before a base discovers it leaves a gap of unknown collections', async () => {
  const world = await counted({ 'users/ada': '1' });
  pass(10);
  await put(world, { 'users/ada/secrets/s': '1' });
  await runNextCycle(world);
  await put(world, { 'users/ada/secrets/s': null });
  time.ms += 600_000;
  await untilFound(world);
  const { gaps, bases } = pitrNow();
  assert.deepEqual(
    gaps.map(({ to, collections }) => [to, collections]),
    [[bases.at(-1)!.readTime, []]],
  );
  await runNextCycle(world);
  assert.equal(pitrNow().checkedAt, pitrNow().capturedTo);
});

test('coverage: a source that cannot count is captured, and its windows name the known collections', async () => {
  const world = await counted({ 'users/ada': '1' });
  const { checkedAt } = pitrNow();
  refuseToCount();
  pass(10);
  await put(world, { 'users/ada/secrets/s': '1', 'users/ada': '2' });
  await runNextCycle(world);
  server.faults.clear();
  assert.deepEqual([pitrNow().gaps, pitrNow().checkedAt], [[], checkedAt]);
  assert.deepEqual(
    windows().map(({ collections }) => collections),
    [undefined, ['users']],
  );
  server.faults.add({ method: 'RunAggregationQuery', status: 'DEADLINE_EXCEEDED', times: 1_000 });
  const { turn } = pitrNow();
  await runNextCycle(world);
  server.faults.clear();
  assert.deepEqual([pitrNow().turn, pitrNow().gaps, pitrNow().checkedAt], [turn + 1, [], checkedAt]);
});

test('coverage: checked in every cycle if cheap, else as often as a thousand reads per hour allow', () => {
  const tried = { checkTriedAt: '2030-06-01T12:00:00.000000Z' };
  const later = (minutes: number) => microsOf(tried.checkTriedAt) + minutes * 60_000_000;
  assert.ok(isCheckDue(tried, 20, later(0)));
  assert.ok(!isCheckDue(tried, 21, later(1)));
  assert.ok(isCheckDue(tried, 21, later(2)));
  assert.ok(!isCheckDue(tried, 2_000, later(119)));
  assert.ok(isCheckDue(tried, 2_000, later(120)));
});

test('coverage: unchecked periods stay marked after captures began again, however often', () => {
  const at = (hour: number, rest = '00:00.000000') => `2030-06-01T${String(hour).padStart(2, '0')}:${rest}Z`;
  const base = (hour: number) => ({ backupId: `b${hour}`, readTime: at(hour), since: at(hour) });
  let record = {
    ...{ retentionDays: 7, keptFrom: null, unchecked: [] },
    ...{ bases: [base(0)], gaps: [], capturedTo: at(0, '30:00.500000'), checkedAt: at(0, '10:00.500000'), known: ['users', 'a'] },
  } as unknown as PitrRecord;
  for (let hour = 1; hour < 24; hour++)
    record = {
      ...record,
      unchecked: remainingUnchecked(record),
      bases: [...record.bases, base(hour)],
      gaps: [...record.gaps, { from: record.capturedTo!, to: at(hour), reason: 'lost' }],
      capturedTo: at(hour, '30:00.500000'),
      checkedAt: at(hour, '10:00.500000'),
      known: ['users', `c${hour}`],
    };
  const all = windowsOf(record, new Date(at(23, '59:00'))).windows;
  assert.ok(record.unchecked!.length <= 20);
  const collectionsAt = (moment: string) => all.find(({ from, to }) => from <= moment && moment <= to)!.collections;
  for (let hour = 0; hour < 24; hour++) assert.ok(collectionsAt(at(hour, '10:01.000'))?.includes('users'), `${hour}`);
  assert.deepEqual(collectionsAt(at(23, '30:00.000')), ['users', 'c23']);
  assert.deepEqual(collectionsAt(at(20, '20:00.000')), ['users', 'c20']);
  assert.deepEqual(collectionsAt(at(0, '20:00.000')), ['users']);
  assert.equal(collectionsAt(at(23, '10:00.000')), undefined);
  assert.equal(collectionsAt(at(20, '10:00.000')), undefined);
});
