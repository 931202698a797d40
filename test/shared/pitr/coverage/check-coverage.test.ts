/**
 * Unknown collections below documents are detected by counting, discovered by a base if the search for them fails, and always
 * reported.
 */
import assert from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { isCheckDue } from '../../../../shared/pitr/coverage/check-coverage.ts';
import { microsOf, type PitrRecord, pitrData, windowsOf } from '../../../../shared/pitr/index.ts';
import { remainingUnchecked } from '../../../../shared/pitr/timeline/unchecked-periods.ts';
import { type CaptureEnv, createActiveCapture, stopCaptureEnv } from '../../../harness/env/capture-env.ts';
import { listen } from '../../../harness/env/continuous-capture-env.ts';

afterAll(stopCaptureEnv);

/** After the first cycle and its count. */
const counted = async (...asked: Parameters<typeof createActiveCapture>): Promise<CaptureEnv> => {
  const t = await createActiveCapture(...asked);
  await t.runNextCycle();
  return t;
};
const refuseToCount = (t: CaptureEnv) =>
  t.server.faults.add({ method: 'RunAggregationQuery', status: 'UNIMPLEMENTED', times: 1_000 });
/** A cycle that detects an unknown collection, but cannot read the range of names in which it is. */
const runCycleWithoutSearch = async (t: CaptureEnv): Promise<void> => {
  t.server.faults.add({ method: 'RunQuery', status: 'PERMISSION_DENIED', times: 1_000 });
  await t.runNextCycle();
  t.server.faults.clear();
};

/** Runs cycles, and the bases they request, until nothing is missing. */
const untilFound = async (t: CaptureEnv): Promise<void> => {
  for (let turns = 0; t.pitr.gaps.some(({ to }) => to === null); turns++) {
    assert.ok(turns < 12, 'it was not found');
    await t.runNextCycle();
    await t.runRequestedBase();
  }
};

test('coverage: an unknown collection is detected within one interval, and a base is requested at once', async () => {
  const t = await counted({ 'users/ada': '1', 'users/ada/notes/a': '1' });
  const checkedAt = t.pitr.capturedTo!;
  assert.equal(t.pitr.checkedAt, checkedAt);
  t.pass(20);
  await t.put({ 'users/ada/secrets/s': '1', 'users/ada/notes/a': '2' });
  await runCycleWithoutSearch(t);
  const [gap] = t.pitr.gaps;
  assert.deepEqual([t.pitr.gaps.length, gap!.from, gap!.to, gap!.collections], [1, checkedAt, null, []]);
  assert.ok(t.pitr.comingBaseId, 'the base that ends the gap is requested by the same cycle');
  assert.match(pitrData(t.pitr, t.now).problem!, /unknown collections are not captured completely.* was started at/);
  const gaps = t.events('pitr.change_captured').map(({ data }) => (data as { gap?: object }).gap);
  assert.deepEqual(gaps.at(-1), {
    from: windowsOf(t.pitr, t.now).gaps[0]!.from,
    to: null,
    reason: 'the source has documents in unknown collections below documents',
    collections: [],
    collectionCount: null,
  });
  assert.equal(t.audited('pitr.gap').length, 1);
  const [whole, known] = t.windows;
  assert.equal(whole!.collections, undefined);
  assert.deepEqual(known!.collections?.toSorted(), ['notes', 'users']);
  assert.ok(microsOf(whole!.to) <= microsOf(checkedAt) && microsOf(known!.from) > microsOf(checkedAt));
  assert.equal(microsOf(known!.from) - microsOf(whole!.to), 1_000_000);
  const { reads } = t.pitr;
  t.nowMs += 240_000;
  await t.runNextCycle();
  // Both groups are counted at each second that was not listened to.
  assert.equal(t.pitr.reads - reads, 3 + 240 + 2 * 240, 'nothing else is counted while a base is waited for');
  await untilFound(t);
  const [found] = t.pitr.gaps;
  const { since } = t.pitr.bases.at(-1)!;
  assert.deepEqual([t.pitr.gaps.length, found!.from, found!.to, found!.collections], [1, checkedAt, since, ['secrets']]);
  assert.equal(t.audited('pitr.gap').length, 2);
  t.pass(7);
  await t.put({ 'users/ada/secrets/s': null, 'users/ada/secrets/t': '2' });
  t.pass(7);
  await t.runNextCycle();
  assert.equal(t.pitr.checkedAt, t.pitr.capturedTo);
  // The window during the gap names the collections that were complete.
  assert.deepEqual(
    t.windows.map(({ collections }) => collections?.toSorted()),
    [undefined, ['notes', 'users'], undefined],
  );
  const isOutside = (at: number): boolean => at <= microsOf(found!.from) || at >= microsOf(found!.to!);
  assert.ok(t.secondsIn().some((at) => at > microsOf(since) + 10_000_000));
  await t.assertExact(t.secondsIn().filter(isOutside));
});

test('coverage: deleted and recreated documents do not hide an unknown collection', async () => {
  const t = await counted({ 'users/ada': '1', 'users/bob': '1' });
  for (const [path, isAgain] of [
    ['users/ada/secrets/s', true],
    ['users/ada/riddles/r', false],
  ] as const) {
    t.pass(10);
    await t.put({ 'users/bob': null });
    if (isAgain) await t.put({ 'users/bob': 'again' });
    await t.put({ [path]: '1' });
    await runCycleWithoutSearch(t);
    assert.deepEqual(t.pitr.gaps.at(-1)!.collections, []);
    t.nowMs += 600_000;
    await untilFound(t);
  }
  assert.deepEqual(
    t.pitr.gaps.map(({ collections }) => collections),
    [['secrets'], ['riddles']],
  );
});

test('coverage: a collection deleted before a base discovers it leaves a gap of unknown collections', async () => {
  const t = await counted({ 'users/ada': '1' });
  t.pass(10);
  await t.put({ 'users/ada/secrets/s': '1' });
  await runCycleWithoutSearch(t);
  await t.put({ 'users/ada/secrets/s': null });
  t.nowMs += 600_000;
  await untilFound(t);
  const { gaps, bases } = t.pitr;
  assert.deepEqual(
    gaps.map(({ to, collections }) => [to, collections]),
    [[bases.at(-1)!.readTime, []]],
  );
  await t.runNextCycle();
  assert.equal(t.pitr.checkedAt, t.pitr.capturedTo);
});

test('coverage: a source that cannot count is captured, and its windows name the known collections', async () => {
  const t = await counted({ 'users/ada': '1' });
  await listen(t, {
    seconds: 130,
    happens: async (second) => {
      if (second !== 70) return;
      refuseToCount(t);
      await t.put({ 'users/ada/secrets/s': '1', 'users/ada': '2' });
    },
  });
  t.server.faults.clear();
  const { checkedAt } = t.pitr;
  assert.ok(microsOf(checkedAt!) < microsOf(t.pitr.capturedTo!));
  assert.deepEqual(t.pitr.gaps, []);
  assert.deepEqual(
    t.windows.map(({ collections }) => collections),
    [undefined, ['users']],
  );
  t.server.faults.add({ method: 'RunAggregationQuery', status: 'DEADLINE_EXCEEDED', times: 1_000 });
  const { turn } = t.pitr;
  await t.runNextCycle();
  t.server.faults.clear();
  assert.deepEqual([t.pitr.turn, t.pitr.gaps, t.pitr.checkedAt], [turn + 1, [], checkedAt]);
});

test('coverage: checked in every cycle if cheap, else as often as the reads of a day allow', () => {
  const tried = { checkTriedAt: '2030-06-01T12:00:00.000000Z' };
  const later = (hours: number) => microsOf(tried.checkTriedAt) + hours * 3_600_000_000;
  const allowance = { perDay: 5_000, spentToday: 0, isFree: true };
  const isDue = (reads: number, hours: number, more: object = {}, share: object = {}) =>
    isCheckDue({ ...tried, ...more }, { reads, to: later(hours), allowance: { ...allowance, ...share } });
  assert.ok(isDue(20, 0));
  assert.ok(!isDue(20, 0, {}, { isFree: false }));
  assert.deepEqual([isDue(2_000, 9), isDue(2_000, 10)], [false, true]);
  // What was spent counts, whoever asked for it.
  assert.ok(!isDue(2_000, 20, {}, { spentToday: 3_001 }));
  // A restore that was refused is served at once, within ten times the reads; a backup whatever it costs.
  const requested = { countRequestedAt: '2030-06-01T12:00:00.000000Z' };
  assert.deepEqual([isDue(2_000, 0, requested), isDue(2_000, 0, requested, { spentToday: 48_001 })], [true, false]);
  assert.ok(isDue(2_000, 0, { isCountUrgent: true }, { spentToday: 1e6 }));
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
