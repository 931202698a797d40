/** Subcollections that appear after captures began: no second is offered for more than is known, and nothing unknown is deleted. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { type BackupRecord, backupPrefix, openArchive } from '../../../../shared/backup/index.ts';
import { collectionIdOf } from '../../../../shared/firestore/index.ts';
import { buildPointInMemory, planPoint, pointBackupRecord, windowsOf } from '../../../../shared/pitr/index.ts';
import { after, commit, newId } from '../../../../shared/platform/index.ts';
import { planPointInTime, readRestoreRequest } from '../../../../shared/restore/index.ts';
import { undoRestore } from '../../../../shared/restore/start/undo-restore.ts';
import { runWorkflow } from '../../../harness/env/backup-env.ts';
import {
  bodyOf,
  callerContext,
  contentsOf,
  createPointInTimeEnv,
  nextSecond,
  type PointInTimeEnv,
  pitrNow,
  runCycle,
  startPointInTimeRestore,
} from '../../../harness/env/point-in-time-env.ts';
import {
  backupOf,
  fieldsOf,
  projectId,
  put,
  runRestore,
  server,
  table,
  takeBackup,
  tenant,
} from '../../../harness/env/restore-env.ts';

// Encryption of the requested base backups.
process.env.DATA_KEY_ID = 'key';
const text = (stringValue: string) => ({ text: { stringValue } });
/** The first three are in the base. Documents of other collections are never deleted, because those that exist only between two counts cannot be observed. */
const paths = [
  'users/a',
  'users/b',
  'users/a/notes/n',
  'users/a/deep/x',
  'users/b/deep/y',
  'users/a/deep/x/deeper/z',
  'shops/s/shelves/1',
  'new/r',
];
const isRoot = (path: string): boolean => path.split('/').length === 2;

type Step =
  | { readonly kind: 'write'; readonly path: string }
  | { readonly kind: 'delete' }
  | { readonly kind: 'turn' | 'uncounted turn' | 'coming base' | 'other backup' | 'minutes' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('write' as const), path: fc.constantFrom(...paths) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('turn' as const) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('uncounted turn' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('coming base' as const, 'other backup' as const, 'minutes' as const) }),
  },
);

/** The source now and at each second. */
class Model {
  readonly now = new Map<string, string>();
  readonly at = new Map<string, ReadonlySet<string>>();
  #texts = 0;
  #deletedAt: string | null = null;
  #madeAt: string | null = null;

  async write(world: PointInTimeEnv, path: string): Promise<void> {
    const value = String(++this.#texts);
    if (path === 'users/b' && !this.now.has(path)) this.#madeAt = pitrNow().capturedTo;
    this.now.set(path, value);
    await put(world, { [path]: text(value) });
  }

  /** Documents created and deleted between two cycles cannot be observed, so only older ones are deleted, once. */
  async delete(world: PointInTimeEnv): Promise<void> {
    const { capturedTo } = pitrNow();
    if (!this.now.has('users/b') || this.#deletedAt === capturedTo || this.#madeAt === capturedTo) return;
    this.now.delete('users/b');
    this.#deletedAt = capturedTo;
    await put(world, { 'users/b': undefined });
  }

  second(world: PointInTimeEnv): void {
    this.at.set(nextSecond(world), new Set([...this.now].map(([path, value]) => `${path} ${value}`)));
  }
}

const uncounted = async (work: () => Promise<void>): Promise<void> => {
  server.faults.add({ method: 'RunAggregationQuery', status: 'UNIMPLEMENTED', times: 1_000 });
  await work().finally(() => server.faults.clear());
};

/** Runs every requested base backup, even if captures use another by now: it locks the project until it ends. */
const runComing = async (world: PointInTimeEnv): Promise<void> => {
  const backups = table.find(`ORG#${tenant.organizationId}`, backupPrefix) as unknown as readonly BackupRecord[];
  for (const { id, status, trigger } of backups)
    if (status === 'pending' && trigger === 'pitr-base') await runWorkflow(world, id);
};

const run = async (world: PointInTimeEnv, model: Model, one: Step): Promise<void> => {
  if (one.kind === 'write') await model.write(world, one.path);
  else if (one.kind === 'delete') await model.delete(world);
  else if (one.kind === 'turn') await runCycle(world);
  else if (one.kind === 'uncounted turn') await uncounted(() => runCycle(world));
  else if (one.kind === 'coming base') await runComing(world);
  else if (one.kind === 'other backup') await takeBackup(world).catch(() => undefined);
  else world.pass(310);
  model.second(world);
};

const pointAt = async (world: PointInTimeEnv, second: string): Promise<ReadonlySet<string>> => {
  const { clock } = world.engine;
  const now = clock.now();
  const plan = await planPoint(tenant, projectId, { pointInTime: second }, now);
  const identity = { id: newId('backup'), path: 'point', createdAt: now.toISOString(), createdBy: { type: 'user', id: 'u' } };
  const blank = pointBackupRecord(tenant, plan, identity);
  const made = await buildPointInMemory(tenant, blank, plan, world.engine, { until: after(now, 60), clock });
  return valuesOf(await contentsOf(made.backup, made.deps));
};

/** Each path with its text: string_value is field 17, a length and the text. */
const valuesOf = (fields: ReadonlyMap<string, string>): ReadonlySet<string> =>
  new Set([...fields].map(([path, field]) => `${path} ${Buffer.from(JSON.parse(field)[0][1], 'hex').subarray(3)}`));
const pathsOf = (values: ReadonlySet<string>): ReadonlySet<string> => new Set([...values].map((one) => one.split(' ')[0] ?? ''));

/** The plan of a rollback of the source itself. */
const planAt = async (world: PointInTimeEnv, second: string) => {
  const caller = { ...callerContext, origin: { ip: null, userAgent: null, requestId: 'req' }, now: world.engine.clock.now() };
  const ask = { pointInTime: second, targetProjectId: projectId };
  const { options, pointRequest, ...place } = await readRestoreRequest(tenant, bodyOf(ask), caller.now);
  return (await planPointInTime({ ...caller, tenant }, { ...place, options: options }, pointRequest!, world.engine))!;
};

interface Seen {
  whole: number;
  known: number;
  refused: number;
}

/** Checks every offered second; for the first and the last also the deletes of a rollback. */
const holds = async (world: PointInTimeEnv, model: Model, seen: Seen): Promise<void> => {
  const { windows, gaps } = windowsOf(pitrNow(), world.engine.clock.now());
  const offered: string[] = [];
  const knownAt = (second: string) => windows.find(({ from, to }) => from <= second && second <= to);
  const isKnown = (second: string, path: string): boolean => {
    const ids = knownAt(second)?.collections;
    return !ids || isRoot(path) || ids.includes(collectionIdOf(path));
  };
  for (const [second, there] of model.at) {
    const isLost = gaps.some(({ from, to, collections }) => collections && from < second && (to === null || second < to));
    const window = knownAt(second);
    if (!window || isLost) {
      seen.refused += 1;
      await rejects(pointAt(world, second), /cannot be restored|missing/);
      continue;
    }
    seen[window.collections ? 'known' : 'whole'] += 1;
    offered.push(second);
    const expected = [...there].filter((one) => isKnown(second, one.split(' ')[0] ?? ''));
    deepEqual([...(await pointAt(world, second))].sort(), expected.sort(), second);
  }
  for (const second of new Set([offered[0], offered.at(-1)])) {
    if (second === undefined) continue;
    const there = pathsOf(model.at.get(second)!);
    const { changes, delete: deletes } = await planAt(world, second);
    const gone = changes.filter(({ action }) => action === 'delete').map(({ path }) => path);
    equal(deletes, gone.length);
    deepEqual(
      gone.filter((path) => there.has(path)),
      [],
      'it would delete what was there',
    );
    if (knownAt(second)?.collections) continue;
    deepEqual(gone.sort(), [...model.now.keys()].filter((path) => !there.has(path)).sort());
  }
};

test('point in time: no second is offered for more than is known, and no rollback deletes a document that may have existed', async () => {
  const seen = { whole: 0, known: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 22 }), fc.boolean(), async (steps, isCounted) => {
      const model = new Model();
      for (const path of paths.slice(0, 3)) model.now.set(path, '0');
      const world = await createPointInTimeEnv(Object.fromEntries([...model.now].map(([path, value]) => [path, text(value)])));
      model.second(world);
      for (const one of steps) await run(world, model, one);
      if (isCounted) await runCycle(world);
      else await uncounted(() => runCycle(world));
      await holds(world, model, seen);
      // The next base backup finds unknown collections; they are captured from then on.
      world.pass(600);
      for (let n = 0; n < 8; n++) {
        await runComing(world);
        await runCycle(world);
        if (n === 6) for (const path of model.now.keys()) await model.write(world, path);
        model.second(world);
      }
      const { gaps, checkedAt, capturedTo } = pitrNow();
      equal(checkedAt, capturedTo);
      ok(gaps.every(({ to }) => to !== null));
      await holds(world, model, seen);
    }),
    { numRuns: 8 },
  );
  ok(seen.whole > 20 && seen.known > 0 && seen.refused > 5, JSON.stringify(seen));
});

test('point in time: a rollback to an uncounted time leaves documents that may have existed, in the plan, the restore and the undo', async () => {
  const world = await createPointInTimeEnv({ 'users/a': text('1'), 'users/a/notes/n': text('1'), 'users/a/notes/m': text('1') });
  nextSecond(world);
  await put(world, { 'users/a/deep/x': text('there'), 'users/a/notes/n': undefined, 'users/a/notes/m': undefined });
  const second = nextSecond(world);
  nextSecond(world);
  await uncounted(() => runCycle(world));
  await put(world, {
    'users/a': text('mistake'),
    'users/b': text('mistake'),
    'users/a/notes/o': text('mistake'),
    'fresh/f': text('mistake'),
  });
  const before = fieldsOf(world, 'source');
  const planned = await planAt(world, second);
  deepEqual([planned.delete, planned.overwrite, planned.create, planned.skip], [3, 1, 0, 0]);
  const { id, backupId } = await startPointInTimeRestore(world, { pointInTime: second, targetProjectId: projectId });
  const ended = await runRestore(world, id);
  deepEqual([ended.status, ended.deleted, ended.written, ended.plan?.delete], ['completed', 3, 1, 3]);
  deepEqual([...fieldsOf(world, 'source').keys()].sort(), ['users/a', 'users/a/deep/x']);
  equal(backupOf(backupId).mayLackCollections, true);
  deepEqual(backupOf(backupId).collectionCounts, [['users', 1]]);
  const { archive, close } = await openArchive(tenant, backupOf(backupId), undefined, world.engine);
  close();
  equal(archive.manifest.notes.mayLackCollections, true);
  deepEqual(archive.manifest.collections, [
    { id: 'users', documents: 1 },
    { id: 'notes', documents: 0 },
  ]);
  const { restore: undo, change } = await undoRestore(tenant, ended, callerContext, world.engine.clock.now());
  await commit(change.writes);
  equal((await runRestore(world, undo.id)).status, 'completed');
  deepEqual(fieldsOf(world, 'source'), before);
});
