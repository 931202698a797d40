/** Point-in-time restores: the state of that second, whole or in part, or a refusal with its reason. */
import { deepEqual, equal, match, ok, rejects, throws } from 'node:assert/strict';
import { test } from 'vitest';
import { ApiError } from '../../../../shared/contract/errors.ts';
import { type BatchRecord, batchPrefix, type PitrRecord, pitrKey } from '../../../../shared/pitr/index.ts';
import { commit, set } from '../../../../shared/platform/index.ts';
import { cancelRestore } from '../../../../shared/restore/end/cancel-restore.ts';
import {
  assertBatchesPresent,
  planPointInTime,
  readRestoreRequest,
  resumeRestore,
  startRestore,
  withKnownCollections,
} from '../../../../shared/restore/index.ts';
import { undoRestore } from '../../../../shared/restore/start/undo-restore.ts';
import { deleteBackup } from '../../../../shared/stored-backup/index.ts';
import { createPointInTimeEnv, type PointInTimeInput, type Precision } from '../../../harness/env/point-in-time-env.ts';

const t = await createPointInTimeEnv();

const text = (stringValue: string) => ({ text: { stringValue } });
const first = {
  'still/here': text('1'),
  'users/ada': text('1'),
  'users/bob': text('1'),
  'users/ada/notes/n': text('1'),
  'shops/one': text('1'),
};

/** One write per second, each captured; returns the second after each. */
const story = async (precision?: Precision) => {
  await t.startCaptures(first, precision);
  const seconds: string[] = [t.nextSecond()];
  for (const documents of [
    { 'users/ada': text('2'), 'users/carl': text('2') },
    { 'users/bob': undefined, 'users/ada/notes/n': text('3'), 'users/ada/notes/m': text('3') },
    { 'users/bob': text('4'), 'shops/one': undefined, 'new/root': text('4') },
  ]) {
    await t.put(documents);
    seconds.push(t.nextSecond());
  }
  t.nextSecond();
  await t.runCycle();
  return { seconds };
};

/** Everything visible: the items of the table and the objects of every folder. */
const traces = (): string =>
  JSON.stringify([
    [...t.table.items.entries()],
    [...t.stores].map(([folder, { objects }]) => [folder, [...objects].map(([name, { length }]) => [name, length])]),
  ]);

const isConflict = (pattern: RegExp) => (error: unknown) => {
  ok(error instanceof ApiError && error.code === 'CONFLICT', String(error));
  match(error.message, pattern);
  return true;
};

test('point in time: each second is restored as it was, and an undo brings back the earlier state', async () => {
  const { seconds } = await story();
  await t.putTarget({ 'users/dora': text('own') });
  const before = t.fieldsOf();
  for (const second of seconds) {
    const { id, backupId } = await t.startPointInTimeRestore({ pointInTime: second });
    equal(t.backupOf(t.base.id).restoring, 1);
    const ended = await t.runRestore(id);
    equal(ended.status, 'completed');
    deepEqual(t.fieldsOf(), t.sourceAt(second));
    const point = t.backupOf(backupId);
    deepEqual(
      [point.type, point.trigger, point.parentBackupId, point.readTime, point.needs, point.restoring, point.documentCount],
      ['incremental', 'pitr-base', t.base.id, `${second.slice(0, 19)}.000000Z`, [t.base.id], 0, t.sourceAt(second).size],
    );
    equal(t.backupOf(t.base.id).restoring, 0);
    const { restore: undo, change } = await undoRestore(t.tenant, { restore: ended, caller: t.caller, now: t.clock.now() });
    await commit(change.writes);
    equal((await t.runRestore(undo.id)).status, 'completed');
    deepEqual(t.fieldsOf(), before);
  }
});

test('point in time: by collection or document, only that part is touched', async () => {
  const { seconds } = await story();
  const second = seconds[2]!;
  const parts: readonly (readonly [Omit<PointInTimeInput, 'pointInTime'>, (path: string) => boolean])[] = [
    [{ collections: ['users'] }, (path) => path.startsWith('users/')],
    [{ collections: ['users'], options: { includeSubcollections: false } }, (path) => /^users\/[^/]+$/.test(path)],
    [{ documentIds: ['users/ada'] }, (path) => path.startsWith('users/ada')],
    [
      { collections: ['users'], documentIds: ['bob', 'carl'], options: { mergeMode: 'overwrite' } },
      (path) => path === 'users/carl',
    ],
  ];
  for (const [ask, isMeant] of parts) {
    await t.putTarget(Object.fromEntries([...t.fieldsOf().keys()].map((path) => [path, undefined])));
    const { id } = await t.startPointInTimeRestore({ pointInTime: second, ...ask });
    equal((await t.runRestore(id)).status, 'completed');
    deepEqual(t.fieldsOf(), new Map([...t.sourceAt(second)].filter(([path]) => isMeant(path))));
  }
  deepEqual(t.restoreOf((await t.startPointInTimeRestore({ pointInTime: second, ...parts[3]![0] })).id).status, 'pending');
});

test('point in time: with interval precision the last known time is restored, and returned', async () => {
  const { seconds } = await story('interval');
  const { capturedTo } = t.pitr;
  const early = await t.startPointInTimeRestore({ pointInTime: seconds[2]! });
  equal(early.point?.moment, t.base.readTime);
  equal((await t.runRestore(early.id)).status, 'completed');
  deepEqual(t.fieldsOf(), t.sourceAt(new Date(Date.parse(t.base.readTime!)).toISOString()));
  t.nextSecond();
  await t.runCycle();
  await t.put({ 'users/late': text('5') });
  const second = t.nextSecond();
  t.nextSecond();
  await t.runCycle();
  const late = await t.startPointInTimeRestore({ pointInTime: second });
  ok(late.point!.moment > capturedTo! && late.point!.moment < `${second.slice(0, 19)}.000000Z`);
  equal((await t.runRestore(late.id)).status, 'completed');
  deepEqual([...t.fieldsOf().keys()].sort(), [
    'new/root',
    'still/here',
    'users/ada',
    'users/ada/notes/m',
    'users/ada/notes/n',
    'users/bob',
    'users/carl',
  ]);
});

test('point in time: a time before the base, after the captures or in a gap is refused, and nothing is written', async () => {
  const { seconds } = await story();
  const { capturedTo, bases } = t.pitr;
  const ask = (pointInTime: string) => readRestoreRequest(t.tenant, t.bodyOf({ pointInTime }), t.clock.now());
  const is = traces();
  const at = (moment: string, seconds: number) => new Date(Date.parse(moment) + seconds * 1_000).toISOString();
  await rejects(ask(at(bases[0]!.readTime, -1)), isConflict(/earliest moment/));
  t.pass(60);
  await rejects(ask(at(capturedTo!, 1)), isConflict(/latest moment/));
  await rejects(ask(at(capturedTo!, 7_200)), /must not be in the future/);
  const gaps = [{ from: seconds[0]!, to: seconds[2]!, reason: 'the worker was away' }];
  t.table.put({ ...t.pitr, gaps });
  await rejects(ask(seconds[1]!), isConflict(/in a gap: the worker was away/));
  t.table.put({ ...t.pitr, gaps: [] });
  equal(traces(), is);
  t.table.items.delete(
    [...t.table.items.keys()].find((key) => key.includes('PITR#') && !key.includes('BATCH') && key.startsWith('ORG#'))!,
  );
  await rejects(ask(seconds[1]!), /not enabled for this project/);
});

// A28: batches 1 to 10, of which the sixth is missing.
test('point in time: with a batch missing in the bucket, later times are refused with its name, and earlier ones restored', async () => {
  await t.startCaptures(first);
  const seconds: string[] = [];
  for (let n = 1; n <= 10; n++) {
    await t.put({ 'users/ada': text(`batch ${n}`) });
    seconds.push(t.nextSecond());
    t.nextSecond();
    await t.runCycle();
  }
  const batches = t.table.find(pitrKey.tokens(t.tenant, t.projectId).pk, batchPrefix) as unknown as readonly BatchRecord[];
  equal(batches.length, 10);
  const sixth = batches[5]!;
  const folder = t.stores.get(sixth.path)!;
  const object = folder.objects.get(sixth.chunk.name)!;
  const ask = async (second: string) => {
    const { pointRequest } = await readRestoreRequest(t.tenant, t.bodyOf({ pointInTime: second }), t.clock.now());
    return assertBatchesPresent(t.tenant, { pointRequest: pointRequest!, deps: t.deps, time: t.clock });
  };
  for (const second of seconds) await ask(second);
  folder.objects.delete(sixth.chunk.name);
  for (const second of seconds.slice(5)) await rejects(ask(second), isConflict(new RegExp(`has lost ${sixth.path}`)));
  for (const second of seconds.slice(0, 5)) await ask(second);
  equal((await t.runRestore((await t.startPointInTimeRestore({ pointInTime: seconds[4]! })).id)).status, 'completed');
  deepEqual(t.fieldsOf(), t.sourceAt(seconds[4]!));
  const is = t.fieldsOf();
  // Lost or changed after the request: the job finds it before it writes anything.
  const flipped = Uint8Array.from(object, (byte, n) => (n === object.length - 20 ? byte ^ 1 : byte));
  for (const [bytes, reason] of [
    [undefined, 'missing'],
    [flipped, 'tag-mismatch'],
    [object.subarray(0, -1), 'size'],
  ] as const) {
    if (bytes) folder.objects.set(sixth.chunk.name, bytes);
    const sent = t.writesSent();
    const { id, backupId } = await t.startPointInTimeRestore({ pointInTime: seconds[7]! });
    const { status, error } = await t.runRestore(id);
    deepEqual([status, error?.code, error?.details?.reason], ['failed', 'CHUNK_CORRUPT', reason]);
    match(String(error?.message), new RegExp(sixth.path));
    deepEqual([t.fieldsOf(), t.writesSent()], [is, sent]);
    deepEqual([t.backupOf(backupId), t.backupOf(t.base.id).restoring], [undefined, 0]);
    equal(t.stores.get(`${t.projectId}/${backupId}`)?.objects.size ?? 0, 0);
  }
  // The stored batch is good, and only two answers are not.
  folder.objects.set(sixth.chunk.name, object);
  let bad = 0;
  const get = folder.get.bind(folder);
  folder.get = async (...args) => (bad++ < 2 ? flipped : get(...args));
  equal((await t.runRestore((await t.startPointInTimeRestore({ pointInTime: seconds[7]! })).id)).status, 'completed');
  deepEqual([t.fieldsOf(), bad], [t.sourceAt(seconds[7]!), 3]);
});

test('point in time: a dry run returns the plan and writes nothing', async () => {
  const { seconds } = await story();
  await t.putTarget({ 'users/ada': text('2'), 'users/dora': text('own') });
  const caller = { ...t.caller, origin: { ip: null, userAgent: null, requestId: 'req' }, now: t.clock.now() };
  const { options, pointRequest, ...context } = await readRestoreRequest(
    t.tenant,
    t.bodyOf({ pointInTime: seconds[1]! }),
    caller.now,
  );
  const is = traces();
  const sent = t.writesSent();
  const planned = await planPointInTime(
    { ...caller, tenant: t.tenant },
    { request: { ...context, options: options }, pointRequest: pointRequest!, deps: t.deps },
  );
  deepEqual([traces(), t.writesSent()], [is, sent]);
  ok(planned);
  const { create, overwrite, unchanged, delete: deleted, backupId, pointInTime } = planned;
  deepEqual([create, overwrite, unchanged, deleted], [5, 0, 1, 1]);
  deepEqual([backupId, pointInTime], [t.base.id, seconds[1]]);
});

test('point in time: cancelled before its backup is built, a restore holds and leaves nothing; resumed, it restores the same time', async () => {
  const { seconds } = await story();
  const second = seconds[1]!;
  const { id, backupId } = await t.startPointInTimeRestore({ pointInTime: second });
  const { change } = await cancelRestore(t.caller, id, t.clock.now());
  await commit(change.writes);
  await t.runRestore(id);
  deepEqual([t.restoreOf(id).status, t.backupOf(t.base.id).restoring, t.backupOf(backupId)], ['cancelled', 0, undefined]);
  const { change: again } = await resumeRestore(t.tenant, t.restoreOf(id), t.clock.now());
  await commit(again.writes);
  equal(t.backupOf(t.base.id).restoring, 1);
  equal((await t.runRestore(id)).status, 'completed');
  deepEqual(t.fieldsOf(), t.sourceAt(second));
  deepEqual([t.backupOf(t.base.id).restoring, t.backupOf(backupId).restoring], [0, 0]);
});

test('point in time: failed after its backup was built, a restore resumes from that, whatever became of the captures', async () => {
  const { seconds } = await story();
  const { id, backupId } = await t.startPointInTimeRestore({ pointInTime: seconds[1]! });
  await t.runRestore(id, { upTo: 'prepare' });
  const { change } = await cancelRestore(t.caller, id, t.clock.now());
  await commit(change.writes);
  await t.runRestore(id);
  deepEqual([t.backupOf(backupId).restoring, t.backupOf(t.base.id).restoring], [0, 0]);
  await commit([set(pitrKey.pitr(t.tenant, t.projectId), { keptFrom: t.pitr.capturedTo } satisfies Partial<PitrRecord>)]);
  const { change: again } = await resumeRestore(t.tenant, t.restoreOf(id), t.clock.now());
  await commit(again.writes);
  equal((await t.runRestore(id)).status, 'completed');
  deepEqual(t.fieldsOf(), t.sourceAt(seconds[1]!));
  equal(t.restoreOf(id).pointTries, 1);
});

test('point in time: with an incremental base the backup depends on the whole chain, and its deletions stay deleted', async () => {
  await t.startCaptures(first, 'second', { 'users/bob': undefined, 'users/zoe': text('2') });
  t.nextSecond();
  await t.put({ 'users/ada': text('3') });
  const second = t.nextSecond();
  t.nextSecond();
  await t.runCycle();
  const { id, backupId } = await t.startPointInTimeRestore({ pointInTime: second });
  equal((await t.runRestore(id)).status, 'completed');
  deepEqual(t.fieldsOf(), t.sourceAt(second));
  ok(!t.fieldsOf().has('users/bob'));
  const { needs, chainLength, documentCount } = t.backupOf(backupId);
  deepEqual([[...needs!].sort(), chainLength, documentCount], [[t.base.id, t.base.parentBackupId].sort(), 2, 5]);
});

test('point in time: a base that is deleted concurrently is either held, or the restore is refused', async () => {
  const { seconds } = await story();
  const now = t.clock.now();
  const { options, pointRequest, ...context } = await readRestoreRequest(t.tenant, t.bodyOf({ pointInTime: seconds[1]! }), now);
  const { createdBy, encryption } = t.caller;
  const { writes } = startRestore(
    { ...context, tenant: t.tenant, encryption, point: pointRequest!.point },
    { ...options, createdBy },
    now,
  );
  const base = t.backupOf(t.base.id);
  t.table.put({ ...base, status: 'expired' });
  const is = traces();
  await rejects(commit(writes), /changed concurrently/);
  await rejects(
    readRestoreRequest(t.tenant, t.bodyOf({ pointInTime: seconds[1]! }), now),
    isConflict(/of this moment does not exist/),
  );
  equal(traces(), is);
  t.table.put(base);
  await commit(writes);
  throws(() => deleteBackup(t.tenant, { backup: t.backupOf(base.id), child: undefined, now }), /is being restored|needs/);
});

test('point in time: if a batch disappears between request and job, the restore fails before it writes', async () => {
  const { seconds } = await story();
  const { id } = await t.startPointInTimeRestore({ pointInTime: seconds[1]! });
  await commit([set(pitrKey.pitr(t.tenant, t.projectId), { keptFrom: t.pitr.capturedTo } satisfies Partial<PitrRecord>)]);
  const { status, error } = await t.runRestore(id);
  deepEqual([status, error?.code], ['failed', 'STORAGE_READ_ERROR']);
  match(String(error?.message), /have expired/);
  equal(t.fieldsOf().size, 0);
});

test('point in time: documents of a collection that was not observed are never reported as absent', async () => {
  await t.startCaptures(first);
  await t.put({ 'users/ada/late/x': text('2'), 'users/bob': text('2') });
  const second = t.nextSecond();
  t.nextSecond();
  // The search for the collection fails, so it stays unknown until the next count.
  t.server.faults.add({ method: 'RunQuery', status: 'PERMISSION_DENIED', times: 1_000 });
  await t.runCycle();
  t.server.faults.clear();
  const gapped = t.pitr;
  deepEqual(gapped.gaps.at(-1)?.collections, []);
  const ask = async (part: Omit<PointInTimeInput, 'pointInTime'>) => {
    const { pointRequest } = await readRestoreRequest(t.tenant, t.bodyOf({ pointInTime: second, ...part }), t.clock.now());
    await withKnownCollections(t.tenant, pointRequest!, t.deps);
  };
  const alone = { options: { includeSubcollections: false, mergeMode: 'overwrite' } };
  const unknown = isConflict(/changes of these collections are missing: late/);
  // In the gap, before the next count.
  for (const record of [gapped, { ...gapped, gaps: [] }]) {
    t.table.put(record);
    await rejects(ask({ documentIds: ['users/ada/late/x'], ...alone }), unknown);
    await rejects(ask({ collections: ['users', 'users/ada/late'], ...alone }), unknown);
    await rejects(ask({ collections: ['users/ada/late'], documentIds: ['x'], ...alone }), unknown);
    // They are in the base or at the root, where all collections are known.
    await ask({ documentIds: ['users/ada/notes/none', 'users/none', 'late/none'], ...alone });
  }
  await rejects(ask({ documentIds: ['users/ada/late/x'] }), isConflict(/not counted yet/));
  t.table.put(gapped);
  await rejects(
    ask({ collections: ['users'] }),
    isConflict(/Name the collections to restore, with includeSubcollections: false/),
  );
  await rejects(ask({}), isConflict(/Name the collections to restore, with includeSubcollections: false/));
  // A rollback deletes only in collections that are completely known.
  await t.putTarget({ 'users/dora': text('own'), 'users/ada/late/y': text('own'), 'users/ada/late/x': text('own') });
  const part = { collections: ['users'], options: { includeSubcollections: false } };
  const { id } = await t.startPointInTimeRestore({ pointInTime: second, ...part });
  equal((await t.runRestore(id)).status, 'completed');
  deepEqual([...t.fieldsOf().keys()].sort(), ['users/ada', 'users/ada/late/x', 'users/ada/late/y', 'users/bob']);
});
