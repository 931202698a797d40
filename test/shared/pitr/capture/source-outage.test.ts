/** Repeated failures back off, are counted, and are reported once; the problem is shown to the customer. */
import assert from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { StorageError } from '../../../../shared/destination/index.ts';
import { microsOf, momentOf, pitrData, pitrKey, resolvePoint, windowsOf } from '../../../../shared/pitr/index.ts';
import { type CaptureEnv, createActiveCapture, createCaptureEnv, stopCaptureEnv } from '../../../harness/env/capture-env.ts';

afterAll(stopCaptureEnv);

const problem = (t: CaptureEnv): string | null => pitrData(t.pitr, t.now).problem;
const gapEvents = (t: CaptureEnv): number =>
  t.events('pitr.change_captured').filter(({ data }) => 'gap' in (data as object)).length;

/** Runs a day with bases that take that long; returns their number. */
const slowBases = async (minutes: number): Promise<{ readonly t: CaptureEnv; readonly made: number }> => {
  const t = await createCaptureEnv();
  await t.put({ 'users/ada': '0' });
  await t.enable({ captureIntervalSeconds: 3_600 });
  const made = new Set<string>();
  const end = t.nowMs + 24 * 3_600_000;
  while (t.nowMs < end && t.pitr.status === 'starting') {
    await t.runNextCycle();
    const { comingBaseId } = t.pitr;
    if (comingBaseId === null) t.pass(300);
    else if (!made.has(comingBaseId)) {
      made.add(comingBaseId);
      await t.runRequestedBase();
      t.pass(minutes * 60);
    }
  }
  if (t.pitr.status === 'active') await t.runNextCycle();
  return { t, made: made.size };
};

test('source outage: captures begin on a base that takes almost as long as the source keeps history', async () => {
  const { t, made } = await slowBases(44);
  assert.equal(made, 1);
  assert.deepEqual([t.pitr.status, t.pitr.gaps.length, problem(t)], ['active', 0, null]);
});

test('source outage: a base that takes longer is retried with back-off, and the problem is shown', async () => {
  const { t, made } = await slowBases(52);
  assert.ok(made >= 3 && made <= 11, `${made} bases in a day`);
  assert.equal(t.pitr.status, 'starting');
  assert.match(problem(t) ?? '', /took longer than 45 minutes/);
});

/** A source that resumes from no token; with `isEach` nor from any moment. */
const spoil = (t: CaptureEnv, isEach: boolean): void => {
  const item = t.table.get(pitrKey.tokens(t.tenant, t.projectId));
  if (!item) return;
  const groups = (JSON.parse(String(item.groups)) as [string, string, ...unknown[]][]).map(([id, token, ...rest]) =>
    token !== '' || isEach ? [id, 'YmFk', ...rest] : [id, token, ...rest],
  );
  t.table.put({ ...item, groups: JSON.stringify(groups) });
};

for (const isEach of [true, false])
  test(`source outage: a source that resumes from ${isEach ? 'nothing' : 'no token'} is retried with back-off, each base once, and reported once`, async () => {
    const t = await createCaptureEnv();
    await t.put({ 'users/ada': '0' });
    await t.enable();
    const startedMs = t.nowMs;
    for (let turns = 0; turns < 400 && t.nowMs - startedMs < 3_600_000; turns++) {
      spoil(t, isEach);
      await t.runNextCycle();
      await t.runRequestedBase();
    }
    const { bases, losses } = t.pitr;
    assert.equal(new Set(bases.map(({ backupId }) => backupId)).size, bases.length);
    assert.ok(bases.length <= 8, `${bases.length} bases in an hour`);
    assert.ok((losses ?? 0) >= 3);
    assert.equal(gapEvents(t), 1);
    assert.equal(t.audited('pitr.gap').length, 1);
    if (t.pitr.status === 'starting') assert.match(problem(t) ?? '', /rejected the resume token/);
    await t.untilActive();
    for (const text of ['1', '2']) {
      t.pass(5);
      await t.put({ 'users/ada': text });
      await t.runNextCycle();
    }
    assert.deepEqual([problem(t), t.pitr.losses, t.pitr.baseFailures, t.pitr.trouble], [null, undefined, 0, undefined]);
    const last = microsOf(t.pitr.bases.at(-1)!.readTime);
    await t.assertExact(t.secondsIn().filter((at) => at > last));
  });

const capturing = async (documents: Readonly<Record<string, string>> = { 'users/ada': '0' }): Promise<CaptureEnv> => {
  const t = await createActiveCapture(documents);
  t.pass(5);
  await t.runNextCycle();
  return t;
};

test('source outage: failed cycles count their reads, back off, and show the problem', async () => {
  const t = await capturing();
  await t.put({ 'users/ada': '1' });
  const before = t.pitr;
  const upload = () => {
    throw new StorageError('denied', 'The bucket takes nothing.');
  };
  t.wrap = (store) => Object.assign(store, { upload });
  const delays: number[] = [];
  for (let turns = 0; turns < 6; turns++) {
    assert.equal(problem(t) === null, turns < 3);
    delays.push((await t.runNextCycle())!.delaySeconds);
  }
  assert.deepEqual(delays, [30, 60, 120, 240, 300, 300]);
  assert.ok(t.pitr.reads >= before.reads + 6 * 3, `${t.pitr.reads - before.reads} reads of six tries`);
  assert.match(problem(t) ?? '', /The bucket takes nothing/);
  t.wrap = (store) => store;
  const failed = t.pitr.reads;
  await t.runNextCycle();
  assert.deepEqual([problem(t), t.pitr.putOffs, t.pitr.reads > failed], [null, undefined, true]);
});

test('source outage: a cycle that loses its position counts its reads', async () => {
  const t = await capturing();
  const { reads } = t.pitr;
  spoil(t, true);
  await t.runNextCycle();
  assert.equal(t.pitr.status, 'starting');
  assert.ok(t.pitr.reads > reads);
});

test('source outage: look-ups have an hourly budget; once spent, one gap reports it until the next hour', async () => {
  const t = await capturing({ 'users/ada': '0', 'users/bob': '0' });
  const since = new Date(t.nowMs).toISOString();
  t.table.put({ ...t.pitr, lookups: { since, reads: 9_990 } });
  const busyTurn = async (): Promise<number> => {
    const { reads } = t.pitr;
    for (let second = 0; second < 20; second++) {
      await t.put({ 'users/ada': `${second}`, 'users/bob': `${second}` });
      t.pass(1);
    }
    await t.runNextCycle();
    return t.pitr.reads - reads;
  };
  const first = await busyTurn();
  assert.ok(t.pitr.lookups!.spentAt !== undefined && t.pitr.lookups!.reads <= 10_000);
  for (let turns = 0; turns < 3; turns++) assert.ok((await busyTurn()) < first - 5);
  const { gaps, capturedTo } = t.pitr;
  assert.deepEqual(
    gaps.map(({ to, isBridged }) => [to, isBridged]),
    [[capturedTo, true]],
  );
  assert.equal(gapEvents(t), 1);
  await t.assertExact();
  // Every second can still be requested, and resolves to the last known moment: the end of a cycle.
  const now = t.now;
  const rough = windowsOf(t.pitr, now).windows.filter(({ precision }) => precision === 'interval');
  const moments = t
    .secondsIn(rough.map(({ from, to }) => ({ from, to })))
    .map((at) => microsOf(resolvePoint(t.pitr, t.batches, { request: { pointInTime: momentOf(at) }, now }).moment));
  assert.deepEqual([...new Set(moments)], [gaps[0]!.from, ...t.batches.map(({ to }) => to)].slice(0, -1).map(microsOf));
  await t.assertExact([...new Set(moments)]);
  while (t.nowMs < Date.parse(since) + 3_600_000) {
    t.pass(600);
    await t.runNextCycle();
  }
  const quiet = microsOf(t.pitr.capturedTo!);
  await busyTurn();
  assert.deepEqual([t.pitr.gaps.filter(({ isQuiet }) => !isQuiet).length, t.pitr.lookups!.spentAt], [1, undefined]);
  await t.assertExact(t.secondsIn().filter((at) => at > quiet));
});

test('source outage: collections created all the time do not delay a cycle, and nothing beyond its end is offered', async () => {
  const t = await createActiveCapture({ 'users/ada': '0' }, { precision: 'interval' });
  t.pass(5);
  await t.put({ 'new0/a': '0', 'users/ada': '1' });
  let made = 0;
  /** Each count finds another collection. */
  const openSource: CaptureEnv['deps']['openSource'] = (...all) => {
    const source = t.deps.openSource(...all);
    const call = source.call.bind(source);
    source.call = async (method, ...rest) => {
      if (method === 'RunAggregationQuery' && made < 50) {
        made += 1;
        await t.put({ [`new${made}/a`]: '0', 'users/ada': `heard ${made}` });
        t.pass(2);
      }
      return call(method, ...rest);
    };
    return source;
  };
  await t.runNextCycle({ ...t.deps, openSource });
  const [batch] = t.batches;
  assert.ok(microsOf(batch!.heardTo!) > microsOf(batch!.to) + 1_000_000, 'the second half was heard later');
  t.pass(5);
  await t.put({ 'users/ada': '2' });
  t.pass(5);
  await t.runNextCycle();
  assert.deepEqual([t.pitr.gaps, t.pitr.putOffs], [[], undefined]);
  const between = momentOf(microsOf(batch!.to) + 1_000_000);
  const { moment } = resolvePoint(t.pitr, t.batches, { request: { pointInTime: between }, now: t.now });
  assert.equal(moment, batch!.to);
  await t.assertExact([batch!.to, t.pitr.capturedTo!].map(microsOf));
});
