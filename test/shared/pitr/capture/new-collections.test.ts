/** Collections that appear while a project is captured and are too many to search: what is not captured is always said. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { ApiError } from '../../../../shared/contract/errors.ts';
import { pastReadsPerHour } from '../../../../shared/contract/limits.ts';
import { microsOf, momentOf, pitrData, planPoint, readWindows } from '../../../../shared/pitr/index.ts';
import { type CaptureEnv, createActiveCapture, stopCaptureEnv } from '../../../harness/env/capture-env.ts';
import { listen } from '../../../harness/env/continuous-capture-env.ts';

afterAll(stopCaptureEnv);

const many = 250;
const newIds = Array.from({ length: many }, (_, n) => `new${n}`);
const newDocuments = Object.fromEntries(newIds.map((id) => [`users/ada/${id}/x`, '1']));
const problem = (t: CaptureEnv): string | null => pitrData(t.pitr, t.now).problem;
const shown = (t: CaptureEnv, collection?: string, page = { limit: 100, after: undefined as string | undefined }) =>
  readWindows(t.tenant, t.pitr, { collection, page, now: t.now });
const point = (t: CaptureEnv, at: number, more = {}) =>
  planPoint(t.tenant, { projectId: t.projectId, request: { pointInTime: momentOf(at), ...more }, now: t.now });
const isRefused = (error: unknown): error is ApiError => error instanceof ApiError && error.code === 'CONFLICT';

/** Active captures, counted once, and then many new subcollection ids: there are not enough reads in this hour to find each. */
const withNewIds = async (settings = {}): Promise<{ readonly t: CaptureEnv; readonly second: number }> => {
  const t = await createActiveCapture(
    { 'users/ada': '1', 'users/ada/notes/a': '1' },
    { captureIntervalSeconds: 10, ...settings },
  );
  await t.runNextCycle();
  t.pass(3);
  await t.put(newDocuments);
  t.pass(1);
  const second = Math.ceil(t.nowMs / 1_000) * 1_000_000;
  t.pass(3);
  t.table.put({ ...t.pitr, pastReads: { since: t.now.toISOString(), reads: pastReadsPerHour - 400 } });
  return { t, second };
};

test('new collections: hundreds of new subcollection ids are a gap of these only, and a base ends it within two intervals', async () => {
  const { t, second } = await withNewIds();
  await t.runNextCycle();
  ok(t.pitr.comingBaseId, 'a base is requested by the cycle that has counted');
  match(problem(t)!, /unknown collections are not captured completely since .* was started at/);
  await rejects(point(t, second), isRefused);
  const countedMs = t.nowMs;
  await t.runRequestedBase();
  await t.runNextCycle();
  await t.runNextCycle();
  ok(t.nowMs - countedMs <= 20_000, `${t.nowMs - countedMs} ms`);
  const [gap, ...others] = t.pitr.gaps;
  deepEqual([others, gap!.count, gap!.collections!.length, gap!.to !== null], [[], many, 100, true]);
  deepEqual([problem(t), t.pitr.knownCount], [null, many + 2]);
  // All collections are captured now, and the window goes on.
  t.pass(5);
  await t.put({ 'users/ada/new7/x': '2', 'users/ada/new249/x': null });
  t.pass(5);
  await t.runNextCycle();
  const end = microsOf(t.pitr.capturedTo!);
  await t.assertExact([end]);
  ok((await point(t, end - 1_000_000)).point.uncovered === undefined);
  // In the gap everything is refused by name and number; collections that are not in it can be restored.
  const error = await point(t, second).catch((one: unknown) => one);
  ok(isRefused(error));
  deepEqual([error.details!.count, error.details!.complete, (error.details!.collections as string[]).length], [many, false, 100]);
  const named = (id: string) => point(t, second, { named: ['users', `users/ada/${id}`], collectionIds: ['users', id] });
  await named('notes');
  for (const id of ['new0', 'new249']) await rejects(named(id), isRefused);
  const partial = await point(t, second, { allowPartial: true });
  deepEqual([partial.point.uncovered!.count, partial.point.isPartial], [many, true]);
});

test('new collections: windows say how many collections there are, page through them and answer for one', async () => {
  const { t, second } = await withNewIds();
  await t.runNextCycle();
  await t.runRequestedBase();
  await t.runNextCycle();
  await t.runNextCycle();
  const found = new Set<string>();
  let pages = 0;
  for (let after: string | undefined; pages === 0 || after !== undefined; pages++) {
    const reads: string[] = [];
    t.table.onRead = (...all: unknown[]) => void reads.push(JSON.stringify(all));
    const { data, next } = await shown(t, undefined, { limit: 100, after });
    t.table.onRead = () => undefined;
    ok(reads.length <= 1, `${reads.length} reads`);
    equal(data.collections.count, many + 2);
    for (const id of data.collections.ids) found.add(id);
    after = next;
  }
  deepEqual([found.size, pages], [many + 2, 3]);
  const { data } = await shown(t);
  deepEqual(
    data.windows.map(({ complete }) => complete),
    [true, false, true],
  );
  const [, partial] = data.windows;
  deepEqual([partial!.collectionCount, data.gaps[0]!.collectionCount, data.gaps[0]!.collections!.length], [2, many, 100]);
  const at = new Date(second / 1_000).toISOString();
  const offers = async (id: string) => {
    const { windows, gaps, collections } = (await shown(t, id)).data;
    ok(windows.every(({ complete }) => complete));
    return [windows.some(({ from, to }) => from <= at && at <= to), gaps.map((gap) => gap.collections), collections.ids];
  };
  deepEqual(await offers('notes'), [true, [], ['notes']]);
  deepEqual(await offers('new249'), [false, [['new249']], ['new249']]);
  // A collection that does not exist is proven not to exist where all were counted.
  deepEqual(await offers('nothing'), [true, [], []]);
});

test('new collections: a manual full backup ends a gap as a base does', async () => {
  const { t } = await withNewIds();
  // Other work keeps the base from being started.
  const requested = t.pitr.bases.length;
  t.table.put({ ...t.project, status: 'unauthorized' });
  await t.runNextCycle();
  deepEqual([t.pitr.comingBaseId, t.pitr.gaps.length], [null, 1]);
  match(problem(t)!, /starts with the next capture, once no other job of the project runs/);
  t.table.put({ ...t.project, status: 'connected' });
  t.pass(1);
  await t.runFullBackup();
  t.pass(1);
  await t.runNextCycle();
  await t.runNextCycle();
  deepEqual([t.pitr.comingBaseId, t.pitr.bases.length, t.pitr.gaps.map(({ to }) => to !== null)], [null, requested + 1, [true]]);
  equal(problem(t), null);
});

test('new collections: a base that must wait says when it comes and why', async () => {
  const { t } = await withNewIds();
  const readTime = t.pitr.bases.at(-1)!.readTime;
  const { bases } = t.pitr;
  t.table.put({ ...t.pitr, bases: [...Array.from({ length: 60 }, () => bases[0]!), ...bases] });
  await t.runNextCycle();
  equal(t.pitr.comingBaseId, null);
  const due = new Date(microsOf(readTime) / 1_000 + 11 * 30_000).toISOString();
  equal(t.pitr.baseDueAt, due);
  match(problem(t)!, new RegExp(`starts at ${due}.* at most 600,000 documents an hour`));
});

test('new collections: a root collection that existed for seconds between two captures is a gap by its name', async () => {
  const t = await createActiveCapture({ 'users/ada': '1' }, { captureIntervalSeconds: 60 });
  await t.runNextCycle();
  // No reads are left in this hour to find its documents.
  t.table.put({ ...t.pitr, pastReads: { since: t.now.toISOString(), reads: pastReadsPerHour } });
  let alive: readonly number[] = [];
  await listen(t, {
    seconds: 130,
    happens: async (second) => {
      if (second === 20) await t.put({ 'flash/x': '1' });
      if (second === 20) alive = [Math.ceil(t.nowMs / 1_000) * 1_000_000];
      if (second === 23) await t.put({ 'flash/x': null });
    },
  });
  const [gap, ...others] = t.pitr.gaps;
  deepEqual([gap!.collections, others, gap!.isAtRoot], [['flash'], [], true]);
  const error = await point(t, alive[0]!).catch((one: unknown) => one);
  ok(isRefused(error));
  deepEqual([error.details!.collections, error.details!.complete], [['flash'], true]);
  // Before and after it everything is exact.
  const outside = t.secondsIn().filter((at) => at <= microsOf(gap!.from) || at >= microsOf(gap!.to!));
  ok(outside.length > 60, `${outside.length}`);
  await t.assertExact(outside);
});

test('new collections: a capture that waits for a worker says so', async () => {
  const t = await createActiveCapture({ 'users/ada': '1' });
  await t.runNextCycle();
  equal(problem(t), null);
  t.pass(130);
  match(problem(t)!, /the capture that was due at .* waits for a free worker/);
  await t.runNextCycle();
  equal(problem(t), null);
});

test('new collections: a refused restore of an uncounted moment makes the next cycle count', async () => {
  const t = await createActiveCapture({ 'users/ada': '1' });
  await t.runNextCycle();
  // As large a database that it is not counted in every cycle.
  const large = () => t.table.put({ ...t.pitr, checkTriedAt: t.pitr.capturedTo! });
  let second = 0;
  await listen(t, {
    seconds: 130,
    happens: async (n) => {
      if (n !== 70) return;
      t.server.faults.add({ method: 'RunAggregationQuery', status: 'UNIMPLEMENTED', times: 1_000 });
      second = Math.ceil(t.nowMs / 1_000 + 5) * 1_000_000;
    },
  });
  t.server.faults.clear();
  large();
  ok(microsOf(t.pitr.checkedAt!) < second && second < microsOf(t.pitr.capturedTo!));
  await rejects(point(t, second), (error: unknown) => isRefused(error) && error.details!.countRequested === true);
  ok(t.pitr.countRequestedAt);
  await t.runNextCycle();
  deepEqual([t.pitr.countRequestedAt, t.pitr.checkedAt], [undefined, t.pitr.capturedTo]);
  equal((await point(t, second)).point.uncovered, undefined);
  ok(t.pitr.countSpacingSeconds! >= 60);
});
