/** Subcollections that appear after captures began: no second is offered for more than is known, and nothing unknown is deleted. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { ApiError } from '../../../../shared/contract/errors.ts';
import { collectionIdOf } from '../../../../shared/firestore/index.ts';
import { buildPointInMemory, planPoint, pointBackupRecord, windowsOf } from '../../../../shared/pitr/index.ts';
import { after, commit, newId } from '../../../../shared/platform/index.ts';
import { historyEntry, planPointInTime, readRestoreRequest, restoreData } from '../../../../shared/restore/index.ts';
import { undoRestore } from '../../../../shared/restore/start/undo-restore.ts';
import { type BackupRecord, backupPrefix, openArchive } from '../../../../shared/stored-backup/index.ts';
import { createPointInTimeEnv } from '../../../harness/env/point-in-time-env.ts';

const t = await createPointInTimeEnv();

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

type Step =
  | { readonly kind: 'write'; readonly path: string }
  | { readonly kind: 'new subcollection' }
  | { readonly kind: 'delete' }
  | { readonly kind: 'turn' | 'uncounted turn' | 'coming base' | 'other backup' | 'minutes' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('write' as const), path: fc.constantFrom(...paths) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('new subcollection' as const) }) },
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

  async write(path: string): Promise<void> {
    const value = String(++this.#texts);
    if (path === 'users/b' && !this.now.has(path)) this.#madeAt = t.pitr.capturedTo;
    this.now.set(path, value);
    await t.put({ [path]: text(value) });
  }

  /** Documents created and deleted between two cycles cannot be observed, so only older ones are deleted, once. */
  async delete(): Promise<void> {
    const { capturedTo } = t.pitr;
    if (!this.now.has('users/b') || this.#deletedAt === capturedTo || this.#madeAt === capturedTo) return;
    this.now.delete('users/b');
    this.#deletedAt = capturedTo;
    await t.put({ 'users/b': undefined });
  }

  second(): void {
    this.at.set(t.nextSecond(), new Set([...this.now].map(([path, value]) => `${path} ${value}`)));
  }
}

const uncounted = async (work: () => Promise<void>): Promise<void> => {
  t.server.faults.add({ method: 'RunAggregationQuery', status: 'UNIMPLEMENTED', times: 1_000 });
  await work().finally(() => t.server.faults.clear());
};

/** Runs every requested base backup, even if captures use another by now: it locks the project until it ends. */
const runComing = async (): Promise<void> => {
  const backups = t.table.find(`ORG#${t.tenant.organizationId}`, backupPrefix) as unknown as readonly BackupRecord[];
  for (const { id, status, trigger } of backups) if (status === 'pending' && trigger === 'pitr-base') await t.runBackup(id);
};

const run = async (model: Model, one: Step): Promise<void> => {
  if (one.kind === 'write') await model.write(one.path);
  else if (one.kind === 'new subcollection') await model.write(`users/a/new${model.now.size}/x`);
  else if (one.kind === 'delete') await model.delete();
  else if (one.kind === 'turn') await t.runCycle();
  else if (one.kind === 'uncounted turn') await uncounted(() => t.runCycle());
  else if (one.kind === 'coming base') await runComing();
  else if (one.kind === 'other backup') await t.takeBackup().catch(() => undefined);
  else t.pass(310);
  model.second();
};

const pointAt = async (second: string, allowPartial = false) => {
  const { clock } = t.deps;
  const now = clock.now();
  const plan = await planPoint(t.tenant, { projectId: t.projectId, request: { pointInTime: second, allowPartial }, now });
  const identity = { id: newId('backup'), path: 'point', createdAt: now.toISOString(), createdBy: { type: 'user', id: 'u' } };
  const blank = pointBackupRecord(t.tenant, plan, identity);
  const made = await buildPointInMemory(t.tenant, { backup: blank, plan, deps: t.deps, until: after(now, 60), clock });
  return { values: valuesOf(await t.contentsOf(made.backup, made.deps)), uncovered: plan.point.uncovered };
};

/** Each path with its text: string_value is field 17, a length and the text. */
const valuesOf = (fields: ReadonlyMap<string, string>): ReadonlySet<string> =>
  new Set([...fields].map(([path, field]) => `${path} ${Buffer.from(JSON.parse(field)[0][1], 'hex').subarray(3)}`));
const pathsOf = (values: ReadonlySet<string>): ReadonlySet<string> => new Set([...values].map((one) => one.split(' ')[0] ?? ''));

/** The plan of a rollback of the source itself. */
const planAt = async (second: string, allowPartial = false) => {
  const caller = { ...t.caller, origin: { ip: null, userAgent: null, requestId: 'req' }, now: t.clock.now() };
  const ask = { pointInTime: second, targetProjectId: t.projectId, options: { allowPartial } };
  const { options, pointRequest, ...context } = await readRestoreRequest(t.tenant, t.bodyOf(ask), caller.now);
  return (await planPointInTime(
    { ...caller, tenant: t.tenant },
    { request: { ...context, options: options }, pointRequest: pointRequest!, deps: t.deps },
  ))!;
};

interface Seen {
  /** Seconds that were restored completely: they must stay so. */
  readonly whole: Set<string>;
  partial: number;
  refused: number;
}

const isRefused = (error: unknown): boolean => error instanceof ApiError && error.code === 'CONFLICT';

/** A restore of everything is exact or refused; if a partial one is allowed, it lacks nothing but what it names. */
const checkSecond = async ([second, there]: readonly [string, ReadonlySet<string>], seen: Seen) => {
  const answer = await pointAt(second).catch((error: unknown) => {
    if (!isRefused(error)) throw error;
    return undefined;
  });
  if (answer) {
    deepEqual([[...answer.values].sort(), answer.uncovered], [[...there].sort(), undefined], second);
    seen.whole.add(second);
    return 'whole';
  }
  ok(!seen.whole.has(second), `${second} was restored before, and is refused now`);
  const { windows } = windowsOf(t.pitr, t.clock.now());
  if (!windows.some(({ from, to }) => from <= second && second <= to)) {
    seen.refused += 1;
    await rejects(pointAt(second, true), isRefused);
    return 'refused';
  }
  seen.partial += 1;
  const { values, uncovered } = await pointAt(second, true);
  const lacking = [...there].filter((one) => !values.has(one)).map((one) => collectionIdOf(one.split(' ')[0] ?? ''));
  deepEqual(
    [...values].filter((one) => !there.has(one)),
    [],
    `${second} has what was not there`,
  );
  ok(uncovered && uncovered.reason !== '', second);
  if (uncovered.complete)
    deepEqual(
      lacking.filter((id) => !uncovered.collections.includes(id)),
      [],
      second,
    );
  else ok(uncovered.count === null || uncovered.count > uncovered.collections.length, second);
  return 'partial';
};

/** Checks every second; for the first and the last offered one also the deletes of a rollback. */
const holds = async (model: Model, seen: Seen): Promise<void> => {
  const offered: (readonly [string, boolean])[] = [];
  for (const one of model.at) {
    const answer = await checkSecond(one, seen);
    if (answer !== 'refused') offered.push([one[0], answer === 'partial']);
  }
  for (const [second, isPartial] of new Set([offered[0], offered.at(-1)].filter((one) => one !== undefined))) {
    const there = pathsOf(model.at.get(second)!);
    const { changes, delete: deletes, partial } = await planAt(second, isPartial);
    const gone = changes.filter(({ action }) => action === 'delete').map(({ path }) => path);
    deepEqual([deletes, partial !== null], [gone.length, isPartial]);
    deepEqual(
      gone.filter((path) => there.has(path)),
      [],
      'it would delete what was there',
    );
    if (!isPartial) deepEqual(gone.sort(), [...model.now.keys()].filter((path) => !there.has(path)).sort());
  }
};

/** A project with these documents, whose every second is checked. */
const begin = async () => {
  const model = new Model();
  for (const path of paths.slice(0, 3)) model.now.set(path, '0');
  await t.startCaptures(Object.fromEntries([...model.now].map(([path, value]) => [path, text(value)])));
  model.second();
  return { model };
};

test('point in time: where new collections appear all the time, every second is restored exactly or refused, and a partial restore names what it lacks', async () => {
  const total = { whole: 0, partial: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 22 }), fc.boolean(), async (steps, isCounted) => {
      const seen: Seen = { whole: new Set(), partial: 0, refused: 0 };
      const { model } = await begin();
      for (const one of steps) await run(model, one);
      if (isCounted) await t.runCycle();
      else await uncounted(() => t.runCycle());
      await holds(model, seen);
      // The next base backup finds unknown collections; they are captured from then on.
      t.pass(600);
      for (let n = 0; n < 8; n++) {
        await runComing();
        await t.runCycle();
        if (n === 6) for (const path of model.now.keys()) await model.write(path);
        model.second();
      }
      const { gaps, checkedAt, capturedTo } = t.pitr;
      equal(checkedAt, capturedTo);
      ok(gaps.every(({ to }) => to !== null));
      await holds(model, seen);
      total.whole += seen.whole.size;
      total.partial += seen.partial;
      total.refused += seen.refused;
    }),
    { numRuns: 8 },
  );
  ok(total.whole > 20 && total.partial > 5 && total.refused > 0, JSON.stringify(total));
});

test('point in time: with a fixed set of collections every captured second is restored exactly', async () => {
  const { model } = await begin();
  for (let n = 0; n < 30; n++) {
    await model.write(paths[n % 3] ?? '');
    if (n % 5 === 4) await t.runCycle();
    model.second();
  }
  await t.runCycle();
  const seen: Seen = { whole: new Set(), partial: 0, refused: 0 };
  const captured = new Set([...model.at.keys()].filter((second) => second <= t.pitr.capturedTo!));
  for (const one of model.at) if (captured.has(one[0])) await checkSecond(one, seen);
  deepEqual([seen.whole.size, seen.partial], [captured.size - seen.refused, 0]);
  ok(seen.whole.size >= 20 && seen.refused <= 1, JSON.stringify({ ...seen, whole: seen.whole.size }));
});

test('point in time: a moment of an unproven interruption is refused, or plan, record, event and history say so and nothing is deleted', async () => {
  await t.startCaptures({ 'users/a': text('1') });
  t.nextSecond();
  await t.put({ 'users/brief': text('not seen') });
  const second = t.nextSecond();
  await t.put({ 'users/brief': undefined });
  t.nextSecond();
  await uncounted(() => t.runCycle());
  await t.put({ 'users/b': text('later') });
  const { from, to } = windowsOf(t.pitr, t.clock.now()).sampled[0]!;
  await rejects(planAt(second), (error: { code?: string; details?: object }) => {
    deepEqual([error.code, (error.details as { sampled?: object }).sampled], ['CONFLICT', { from, to }]);
    return true;
  });
  const planned = await planAt(second, true);
  deepEqual([planned.partial!.sampled, planned.delete], [{ from, to }, 0]);
  match(planned.partial!.reason, /^sampled: /);
  const options = { allowPartial: true };
  const { id } = await t.startPointInTimeRestore({ pointInTime: second, targetProjectId: t.projectId, options });
  const ended = await t.runRestore(id);
  deepEqual([ended.status, ended.deleted], ['completed', 0]);
  const { restore } = t.events('restore.completed')[0]!.data as { restore: ReturnType<typeof restoreData> };
  for (const shown of [restoreData(ended), historyEntry(ended), restore]) deepEqual(shown.partial, planned.partial);
});

test('point in time: a document that lived only within an interruption is found in it, and restored', async () => {
  await t.startCaptures({ 'users/a': text('1') });
  t.nextSecond();
  await t.put({ 'users/brief': text('seen') });
  const second = t.nextSecond();
  await t.put({ 'users/brief': undefined });
  const after = t.nextSecond();
  await t.runCycle();
  for (const moment of [second, after]) {
    const { id } = await t.startPointInTimeRestore({ pointInTime: moment, targetProjectId: t.projectId });
    const ended = await t.runRestore(id);
    deepEqual([ended.status, restoreData(ended).partial], ['completed', null]);
    deepEqual(new Map(t.fieldsOf('source')), t.sourceAt(moment));
  }
});

test('point in time: a rollback to an uncounted time leaves documents that may have existed, in the plan, the restore and the undo', async () => {
  await t.startCaptures({ 'users/a': text('1'), 'users/a/notes/n': text('1'), 'users/a/notes/m': text('1') });
  t.nextSecond();
  await t.put({ 'users/a/deep/x': text('there'), 'users/a/notes/n': undefined, 'users/a/notes/m': undefined });
  const second = t.nextSecond();
  t.nextSecond();
  await uncounted(() => t.runCycle());
  // As if it had been listened to all the time.
  t.table.put({ ...t.pitr, sampled: [] });
  await t.put({
    'users/a': text('mistake'),
    'users/b': text('mistake'),
    'users/a/notes/o': text('mistake'),
    'fresh/f': text('mistake'),
  });
  const before = t.fieldsOf('source');
  await rejects(planAt(second), /not counted yet/);
  const planned = await planAt(second, true);
  deepEqual(planned.partial, {
    collections: [],
    count: null,
    complete: false,
    reason: 'it was not counted yet whether there were other collections',
  });
  deepEqual([planned.delete, planned.overwrite, planned.create, planned.skip], [3, 1, 0, 0]);
  const options = { allowPartial: true };
  const { id, backupId } = await t.startPointInTimeRestore({ pointInTime: second, targetProjectId: t.projectId, options });
  const ended = await t.runRestore(id);
  deepEqual([ended.status, ended.deleted, ended.written, ended.plan?.delete], ['completed', 3, 1, 3]);
  deepEqual([...t.fieldsOf('source').keys()].sort(), ['users/a', 'users/a/deep/x']);
  const [event] = t.events('restore.completed');
  const { restore } = event!.data as { restore: object };
  for (const shown of [restoreData(ended), historyEntry(ended), restore as ReturnType<typeof restoreData>])
    deepEqual(shown.partial, planned.partial);
  deepEqual([t.backupOf(backupId).mayLackCollections, t.backupOf(backupId).isPartial], [true, true]);
  deepEqual(t.backupOf(backupId).collectionCounts, [['users', 1]]);
  const { archive, close } = await openArchive(t.tenant, { backup: t.backupOf(backupId), deps: t.deps });
  close();
  equal(archive.manifest.notes.mayLackCollections, true);
  deepEqual(archive.manifest.collections, [
    { id: 'users', documents: 1 },
    { id: 'notes', documents: 0 },
  ]);
  const { restore: undo, change } = await undoRestore(t.tenant, { restore: ended, caller: t.caller, now: t.clock.now() });
  await commit(change.writes);
  equal((await t.runRestore(undo.id)).status, 'completed');
  deepEqual(t.fieldsOf('source'), before);
});
