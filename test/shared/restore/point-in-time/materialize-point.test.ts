/** Point-in-time restores: the state of that second, whole or in part, or a refusal with its reason. */
import { deepEqual, equal, match, ok, rejects, throws } from 'node:assert/strict';
import { test } from 'vitest';
import { deleteBackup } from '../../../../shared/backup/index.ts';
import { ApiError } from '../../../../shared/contract/errors.ts';
import { type BatchRecord, batchPrefix, type PitrRecord, pitrKey } from '../../../../shared/pitr/index.ts';
import { commit, set } from '../../../../shared/platform/index.ts';
import { cancelRestore } from '../../../../shared/restore/end/cancel-restore.ts';
import {
  assertBatchesPresent,
  assertCollectionsKnown,
  planPointInTime,
  readRestoreRequest,
  resumeRestore,
  startRestore,
} from '../../../../shared/restore/index.ts';
import { undoRestore } from '../../../../shared/restore/start/undo-restore.ts';
import {
  bodyOf,
  callerContext,
  createPointInTimeEnv,
  nextSecond,
  type PointInTimeEnv,
  type PointInTimeInput,
  pitrNow,
  runCycle,
  sourceAt,
  startPointInTimeRestore,
  targetNow,
} from '../../../harness/env/point-in-time-env.ts';
import {
  backupOf,
  projectId,
  put,
  putTarget,
  restoreOf,
  runRestore,
  table,
  tenant,
  writesSent,
} from '../../../harness/env/restore-env.ts';

const text = (stringValue: string) => ({ text: { stringValue } });
const first = {
  'still/here': text('1'),
  'users/ada': text('1'),
  'users/bob': text('1'),
  'users/ada/notes/n': text('1'),
  'shops/one': text('1'),
};

/** One write per second, each captured; returns the second after each. */
const story = async (precision?: Parameters<typeof createPointInTimeEnv>[1]) => {
  const world = await createPointInTimeEnv(first, precision);
  const seconds: string[] = [nextSecond(world)];
  for (const documents of [
    { 'users/ada': text('2'), 'users/carl': text('2') },
    { 'users/bob': undefined, 'users/ada/notes/n': text('3'), 'users/ada/notes/m': text('3') },
    { 'users/bob': text('4'), 'shops/one': undefined, 'new/root': text('4') },
  ]) {
    await put(world, documents);
    seconds.push(nextSecond(world));
  }
  nextSecond(world);
  await runCycle(world);
  return { world, seconds };
};

/** Everything that anyone could see of a world: items of the table, and objects of every folder. */
const traces = (world: PointInTimeEnv): string =>
  JSON.stringify([
    [...table.items.entries()],
    [...world.stores].map(([folder, { objects }]) => [folder, [...objects].map(([name, { length }]) => [name, length])]),
  ]);

const isConflict = (pattern: RegExp) => (error: unknown) => {
  ok(error instanceof ApiError && error.code === 'CONFLICT', String(error));
  match(error.message, pattern);
  return true;
};

test('point in time: each second is restored as it was, and an undo brings back the earlier state', async () => {
  const { world, seconds } = await story();
  await putTarget(world, { 'users/dora': text('own') });
  const before = targetNow(world);
  for (const second of seconds) {
    const { id, backupId } = await startPointInTimeRestore(world, { pointInTime: second });
    equal(backupOf(world.base.id).restoring, 1);
    const ended = await runRestore(world, id);
    equal(ended.status, 'completed');
    deepEqual(targetNow(world), sourceAt(world, second));
    const point = backupOf(backupId);
    deepEqual(
      [point.type, point.trigger, point.parentBackupId, point.readTime, point.needs, point.restoring, point.documentCount],
      [
        'incremental',
        'pitr-base',
        world.base.id,
        `${second.slice(0, 19)}.000000Z`,
        [world.base.id],
        0,
        sourceAt(world, second).size,
      ],
    );
    equal(backupOf(world.base.id).restoring, 0);
    const { restore: undo, change } = await undoRestore(tenant, ended, callerContext, world.engine.clock.now());
    await commit(change.writes);
    equal((await runRestore(world, undo.id)).status, 'completed');
    deepEqual(targetNow(world), before);
  }
});

test('point in time: by collection or document, only that part is touched', async () => {
  const { world, seconds } = await story();
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
    await putTarget(world, Object.fromEntries([...targetNow(world).keys()].map((path) => [path, undefined])));
    const { id } = await startPointInTimeRestore(world, { pointInTime: second, ...ask });
    equal((await runRestore(world, id)).status, 'completed');
    deepEqual(targetNow(world), new Map([...sourceAt(world, second)].filter(([path]) => isMeant(path))));
  }
  deepEqual(restoreOf((await startPointInTimeRestore(world, { pointInTime: second, ...parts[3]![0] })).id).status, 'pending');
});

test('point in time: with interval precision the last known time is restored, and returned', async () => {
  const { world, seconds } = await story('interval');
  const { capturedTo } = pitrNow();
  const early = await startPointInTimeRestore(world, { pointInTime: seconds[2]! });
  equal(early.point?.moment, world.base.readTime);
  equal((await runRestore(world, early.id)).status, 'completed');
  deepEqual(targetNow(world), sourceAt(world, new Date(Date.parse(world.base.readTime!)).toISOString()));
  nextSecond(world);
  await runCycle(world);
  await put(world, { 'users/late': text('5') });
  const second = nextSecond(world);
  nextSecond(world);
  await runCycle(world);
  const late = await startPointInTimeRestore(world, { pointInTime: second });
  ok(late.point!.moment > capturedTo! && late.point!.moment < `${second.slice(0, 19)}.000000Z`);
  equal((await runRestore(world, late.id)).status, 'completed');
  deepEqual([...targetNow(world).keys()].sort(), [
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
  const { world, seconds } = await story();
  const { capturedTo, bases } = pitrNow();
  const ask = (pointInTime: string) => readRestoreRequest(tenant, bodyOf({ pointInTime }), world.engine.clock.now());
  const is = traces(world);
  const at = (moment: string, seconds: number) => new Date(Date.parse(moment) + seconds * 1_000).toISOString();
  await rejects(ask(at(bases[0]!.readTime, -1)), isConflict(/earliest moment/));
  world.pass(60);
  await rejects(ask(at(capturedTo!, 1)), isConflict(/latest moment/));
  await rejects(ask(at(capturedTo!, 7_200)), /must not be in the future/);
  const gaps = [{ from: seconds[0]!, to: seconds[2]!, reason: 'the worker was away' }];
  table.put({ ...pitrNow(), gaps });
  await rejects(ask(seconds[1]!), isConflict(/in a gap: the worker was away/));
  table.put({ ...pitrNow(), gaps: [] });
  equal(traces(world), is);
  table.items.delete(
    [...table.items.keys()].find((key) => key.includes('PITR#') && !key.includes('BATCH') && key.startsWith('ORG#'))!,
  );
  await rejects(ask(seconds[1]!), /not enabled for this project/);
});

// A28: batches 1 to 10, of which the sixth is missing.
test('point in time: with a batch missing in the bucket, later times are refused with its name, and earlier ones restored', async () => {
  const world = await createPointInTimeEnv(first);
  const seconds: string[] = [];
  for (let n = 1; n <= 10; n++) {
    await put(world, { 'users/ada': text(`batch ${n}`) });
    seconds.push(nextSecond(world));
    nextSecond(world);
    await runCycle(world);
  }
  const batches = table.find(pitrKey.tokens(tenant, projectId).pk, batchPrefix) as unknown as readonly BatchRecord[];
  equal(batches.length, 10);
  const sixth = batches[5]!;
  const folder = world.stores.get(sixth.path)!;
  const object = folder.objects.get(sixth.chunk.name)!;
  const ask = async (second: string) => {
    const { pointRequest } = await readRestoreRequest(tenant, bodyOf({ pointInTime: second }), world.engine.clock.now());
    return assertBatchesPresent(tenant, pointRequest!, world.engine, world.engine.clock);
  };
  for (const second of seconds) await ask(second);
  folder.objects.delete(sixth.chunk.name);
  for (const second of seconds.slice(5)) await rejects(ask(second), isConflict(new RegExp(`has lost ${sixth.path}`)));
  for (const second of seconds.slice(0, 5)) await ask(second);
  equal((await runRestore(world, (await startPointInTimeRestore(world, { pointInTime: seconds[4]! })).id)).status, 'completed');
  deepEqual(targetNow(world), sourceAt(world, seconds[4]!));
  const is = targetNow(world);
  // Lost or changed after the request: the job finds it before it writes anything.
  const flipped = Uint8Array.from(object, (byte, n) => (n === object.length - 20 ? byte ^ 1 : byte));
  for (const [bytes, reason] of [
    [undefined, 'missing'],
    [flipped, 'tag-mismatch'],
    [object.subarray(0, -1), 'size'],
  ] as const) {
    if (bytes) folder.objects.set(sixth.chunk.name, bytes);
    const sent = writesSent();
    const { id, backupId } = await startPointInTimeRestore(world, { pointInTime: seconds[7]! });
    const { status, error } = await runRestore(world, id);
    deepEqual([status, error?.code, error?.details?.reason], ['failed', 'CHUNK_CORRUPT', reason]);
    match(String(error?.message), new RegExp(sixth.path));
    deepEqual([targetNow(world), writesSent()], [is, sent]);
    deepEqual([backupOf(backupId), backupOf(world.base.id).restoring], [undefined, 0]);
    equal(world.stores.get(`${projectId}/${backupId}`)?.objects.size ?? 0, 0);
  }
});

test('point in time: a dry run returns the plan and writes nothing', async () => {
  const { world, seconds } = await story();
  await putTarget(world, { 'users/ada': text('2'), 'users/dora': text('own') });
  const caller = { ...callerContext, origin: { ip: null, userAgent: null, requestId: 'req' }, now: world.engine.clock.now() };
  const { options, pointRequest, ...place } = await readRestoreRequest(tenant, bodyOf({ pointInTime: seconds[1]! }), caller.now);
  const is = traces(world);
  const sent = writesSent();
  const planned = await planPointInTime({ ...caller, tenant }, { ...place, options: options }, pointRequest!, world.engine);
  deepEqual([traces(world), writesSent()], [is, sent]);
  ok(planned);
  const { create, overwrite, unchanged, delete: deleted, backupId, pointInTime } = planned;
  deepEqual([create, overwrite, unchanged, deleted], [5, 0, 1, 1]);
  deepEqual([backupId, pointInTime], [world.base.id, seconds[1]]);
});

test('point in time: cancelled before its backup is built, a restore holds and leaves nothing; resumed, it restores the same time', async () => {
  const { world, seconds } = await story();
  const second = seconds[1]!;
  const { id, backupId } = await startPointInTimeRestore(world, { pointInTime: second });
  const { change } = await cancelRestore(callerContext, id, world.engine.clock.now());
  await commit(change.writes);
  await runRestore(world, id);
  deepEqual([restoreOf(id).status, backupOf(world.base.id).restoring, backupOf(backupId)], ['cancelled', 0, undefined]);
  const { change: again } = await resumeRestore(tenant, restoreOf(id), world.engine.clock.now());
  await commit(again.writes);
  equal(backupOf(world.base.id).restoring, 1);
  equal((await runRestore(world, id)).status, 'completed');
  deepEqual(targetNow(world), sourceAt(world, second));
  deepEqual([backupOf(world.base.id).restoring, backupOf(backupId).restoring], [0, 0]);
});

test('point in time: failed after its backup was built, a restore resumes from that, whatever became of the captures', async () => {
  const { world, seconds } = await story();
  const { id, backupId } = await startPointInTimeRestore(world, { pointInTime: seconds[1]! });
  await runRestore(world, id, { upTo: 'prepare' });
  const { change } = await cancelRestore(callerContext, id, world.engine.clock.now());
  await commit(change.writes);
  await runRestore(world, id);
  deepEqual([backupOf(backupId).restoring, backupOf(world.base.id).restoring], [0, 0]);
  await commit([set(pitrKey.pitr(tenant, projectId), { keptFrom: pitrNow().capturedTo } satisfies Partial<PitrRecord>)]);
  const { change: again } = await resumeRestore(tenant, restoreOf(id), world.engine.clock.now());
  await commit(again.writes);
  equal((await runRestore(world, id)).status, 'completed');
  deepEqual(targetNow(world), sourceAt(world, seconds[1]!));
  equal(restoreOf(id).pointTries, 1);
});

test('point in time: with an incremental base the backup depends on the whole chain, and its deletions stay deleted', async () => {
  const world = await createPointInTimeEnv(first, 'second', { 'users/bob': undefined, 'users/zoe': text('2') });
  nextSecond(world);
  await put(world, { 'users/ada': text('3') });
  const second = nextSecond(world);
  nextSecond(world);
  await runCycle(world);
  const { id, backupId } = await startPointInTimeRestore(world, { pointInTime: second });
  equal((await runRestore(world, id)).status, 'completed');
  deepEqual(targetNow(world), sourceAt(world, second));
  ok(!targetNow(world).has('users/bob'));
  const { needs, chainLength, documentCount } = backupOf(backupId);
  deepEqual([[...needs!].sort(), chainLength, documentCount], [[world.base.id, world.base.parentBackupId].sort(), 2, 5]);
});

test('point in time: a base that is deleted concurrently is either held, or the restore is refused', async () => {
  const { world, seconds } = await story();
  const now = world.engine.clock.now();
  const { options, pointRequest, ...place } = await readRestoreRequest(tenant, bodyOf({ pointInTime: seconds[1]! }), now);
  const { createdBy, encryption } = callerContext;
  const { writes } = startRestore({ ...place, tenant, encryption, point: pointRequest!.point }, { ...options, createdBy }, now);
  const base = backupOf(world.base.id);
  table.put({ ...base, status: 'expired' });
  const is = traces(world);
  await rejects(commit(writes), /changed concurrently/);
  await rejects(
    readRestoreRequest(tenant, bodyOf({ pointInTime: seconds[1]! }), now),
    isConflict(/of this moment does not exist/),
  );
  equal(traces(world), is);
  table.put(base);
  await commit(writes);
  throws(() => deleteBackup(tenant, backupOf(base.id), undefined, now), /is being restored|needs/);
});

test('point in time: if a batch disappears between request and job, the restore fails before it writes', async () => {
  const { world, seconds } = await story();
  const { id } = await startPointInTimeRestore(world, { pointInTime: seconds[1]! });
  await commit([set(pitrKey.pitr(tenant, projectId), { keptFrom: pitrNow().capturedTo } satisfies Partial<PitrRecord>)]);
  const { status, error } = await runRestore(world, id);
  deepEqual([status, error?.code], ['failed', 'STORAGE_READ_ERROR']);
  match(String(error?.message), /have expired/);
  equal(targetNow(world).size, 0);
});

test('point in time: documents of a collection that was not observed are never reported as absent', async () => {
  const world = await createPointInTimeEnv(first);
  await put(world, { 'users/ada/late/x': text('2'), 'users/bob': text('2') });
  const second = nextSecond(world);
  nextSecond(world);
  await runCycle(world);
  const gapped = pitrNow();
  deepEqual(gapped.gaps.at(-1)?.collections, []);
  const ask = async (part: Omit<PointInTimeInput, 'pointInTime'>) => {
    const { pointRequest } = await readRestoreRequest(tenant, bodyOf({ pointInTime: second, ...part }), world.engine.clock.now());
    await assertCollectionsKnown(tenant, pointRequest!, world.engine);
  };
  const alone = { options: { includeSubcollections: false, mergeMode: 'overwrite' } };
  const unknown = isConflict(/changes of these collections are not known: late/);
  // In the gap, and before anybody has counted.
  for (const record of [gapped, { ...gapped, gaps: [] }]) {
    table.put(record);
    await rejects(ask({ documentIds: ['users/ada/late/x'], ...alone }), unknown);
    await rejects(ask({ collections: ['users', 'users/ada/late'], ...alone }), unknown);
    await rejects(ask({ collections: ['users/ada/late'], documentIds: ['x'], ...alone }), unknown);
    // The base has them, or they lie at the root, where all are known.
    await ask({ documentIds: ['users/ada/notes/none', 'users/none', 'late/none'], ...alone });
  }
  await rejects(ask({ documentIds: ['users/ada/late/x'] }), unknown);
  table.put(gapped);
  await rejects(ask({ collections: ['users'] }), isConflict(/With includeSubcollections: false the documents directly in/));
  await rejects(ask({}), isConflict(/Name the collections to restore, with includeSubcollections: false/));
  // A rollback deletes only in collections that are completely known.
  await putTarget(world, { 'users/dora': text('own'), 'users/ada/late/y': text('own'), 'users/ada/late/x': text('own') });
  const part = { collections: ['users'], options: { includeSubcollections: false } };
  const { id } = await startPointInTimeRestore(world, { pointInTime: second, ...part });
  equal((await runRestore(world, id)).status, 'completed');
  deepEqual([...targetNow(world).keys()].sort(), ['users/ada', 'users/ada/late/x', 'users/ada/late/y', 'users/bob']);
});
