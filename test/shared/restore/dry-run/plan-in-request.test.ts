/** A dry run within one request: it returns what a restore would do, and does nothing. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { ApiError } from '../../../../shared/contract/errors.ts';
import { DryRun } from '../../../../shared/contract/models/restore.ts';
import { newId } from '../../../../shared/platform/index.ts';
import { type ProjectRecord, projectKey } from '../../../../shared/project/index.ts';
import { type PlanRequest, planInRequest } from '../../../../shared/restore/dry-run/plan-in-request.ts';
import type { BackupRecord } from '../../../../shared/stored-backup/index.ts';
import { createRestoreEnv, type Fields } from '../../../harness/env/restore-env.ts';

const t = await createRestoreEnv();

beforeEach(() => t.reset());

beforeEach(() => t.server.faults.clear());

const text = (stringValue: string): Fields => ({ text: { stringValue } });
const actor = { type: 'user', id: newId('user'), email: 'ada@example.com' } as const;
const caller = { tenant: t.tenant, actor, origin: { ip: null, userAgent: null, requestId: 'r' }, now: new Date() };
const targetNow = (): ProjectRecord => t.table.get<ProjectRecord>(projectKey.project(t.tenant, t.targetId))!;

type Options = PlanRequest['options'];
const plan = (backup: BackupRecord, more: Partial<Options> = {}, target = targetNow()) => {
  const options: Options = {
    mergeMode: 'overwrite',
    collections: ['*'],
    includeSubcollections: true,
    includeAuthUsers: false,
    ...more,
  };
  return planInRequest(caller, { backup, target, options }, t.deps);
};
const given = (...paths: string[]) => ({ documents: { paths, given: paths.map((path) => [path, [path]] as const) } });

/** Users are unchanged; orders were changed, removed and added. */
const shop = async () => {
  t.reset();
  await t.put({ 'users/ada': text('a'), 'users/bob': text('b'), 'orders/1': text('1'), 'orders/2': text('2') });
  const backup = await t.takeBackup();
  await t.putTarget({ 'users/ada': text('a'), 'users/bob': text('b'), 'orders/1': text('other'), 'orders/3': text('3') });
  return { backup };
};
const counts = ({ create, overwrite, skip, delete: deleted, unchanged }: NonNullable<Awaited<ReturnType<typeof plan>>>) => [
  create,
  overwrite,
  skip,
  deleted,
  unchanged,
];

test('dry run: it returns what each mode would do to the live target, by count and by path, and its cost', async () => {
  const { backup } = await shop();
  const planned = (await plan(backup))!;
  equal(DryRun.safeParse(planned).error, undefined);
  deepEqual(counts(planned), [1, 1, 0, 0, 2]);
  deepEqual(planned.changes, [
    { path: 'orders/1', action: 'overwrite' },
    { path: 'orders/2', action: 'create' },
  ]);
  deepEqual(
    [planned.dryRun, planned.backupId, planned.projectId, planned.targetProjectId],
    [true, backup.id, t.projectId, t.targetId],
  );
  // The read time, four documents, and the count of the target.
  deepEqual([planned.cost.reads, planned.notFound], [6, []]);
  deepEqual(counts((await plan(backup, { mergeMode: 'skip_existing' }))!), [1, 0, 3, 0, 0]);
  deepEqual(counts((await plan(backup, { mergeMode: 'merge' }))!), [1, 1, 0, 0, 2]);
  deepEqual(counts((await plan(backup, { mergeMode: 'rollback' }))!), [1, 1, 0, 1, 2]);
  deepEqual(counts((await plan(backup, { collections: ['users'], mergeMode: 'rollback' }))!), [0, 0, 0, 0, 2]);
});

test('dry run: requested names that the backup lacks are returned', async () => {
  const { backup } = await shop();
  const planned = (await plan(backup, { ...given('orders/2', 'orders/3', 'users/eve'), mergeMode: 'rollback' }))!;
  deepEqual(
    [planned.notFound, counts(planned)],
    [
      ['orders/3', 'users/eve'],
      [1, 0, 0, 1, 0],
    ],
  );
  const { unknownCollections, unknownCollectionsCount, notFoundCount } = (await plan(backup, {
    collections: ['users', 'staff'],
  }))!;
  deepEqual([unknownCollections, unknownCollectionsCount, notFoundCount], [['staff'], 1, 0]);
});

test('dry run: if the backup has none of the requested names, it is refused with them', async () => {
  const { backup } = await shop();
  const collections = ['staff', 'clients'];
  await rejects(plan(backup, { collections }), {
    code: 'COLLECTION_NOT_FOUND',
    status: 404,
    details: { names: collections, count: 2 },
  });
  await rejects(plan(backup, given('orders/7')), {
    code: 'DOCUMENT_NOT_FOUND',
    details: { names: ['orders/7'], count: 1 },
  });
});

test('dry run: a rollback may name what only the target has; names that neither has are refused', async () => {
  const { backup } = await shop();
  const mergeMode = 'rollback';
  deepEqual(counts((await plan(backup, { ...given('orders/3'), mergeMode }))!), [0, 0, 0, 1, 0]);
  await rejects(plan(backup, { ...given('orders/7'), mergeMode }), { code: 'DOCUMENT_NOT_FOUND' });
  await rejects(plan(backup, { collections: ['staff'], mergeMode }), { code: 'COLLECTION_NOT_FOUND' });
});

test('dry run: nothing is written to the target, the table or the bucket', async () => {
  const { backup } = await shop();
  const [live, items, objects] = [
    t.documentsIn(),
    structuredClone([...t.table.items]),
    [...t.stores].map(([path, { objects }]) => [path, objects.size]),
  ];
  t.server.faults.resetCalls();
  for (const mergeMode of ['overwrite', 'skip_existing', 'merge', 'rollback'] as const) ok(await plan(backup, { mergeMode }));
  equal(t.writesSent(), 0);
  deepEqual(t.documentsIn(), live);
  deepEqual([...t.table.items], items);
  deepEqual(
    [...t.stores].map(([path, { objects }]) => [path, objects.size]),
    objects,
  );
});

test('dry run: its plan equals the plan of the job', async () => {
  const { backup } = await shop();
  for (const mergeMode of ['skip_existing', 'merge', 'overwrite', 'rollback'] as const) {
    const planned = (await plan(backup, { mergeMode }))!;
    const { create, overwrite, skip, delete: deleted, unchanged } = planned;
    const done = await t.restore(backup, { mergeMode, dryRun: true });
    deepEqual(done.plan, { create, overwrite, skip, delete: deleted, unchanged });
  }
});

test('dry run: the users of a backup are planned beside its documents', async () => {
  await shop();
  t.users = ['ada', 'bob'].map((id) => ({ id, json: Buffer.from(JSON.stringify({ localId: id })) }));
  const backup = await t.takeBackup({ includeAuthUsers: true });
  deepEqual((await plan(backup, { includeAuthUsers: true }))!.authUsers, { create: 2, overwrite: 0, skip: 0 });
  equal((await plan(backup))!.authUsers, undefined);
});

test('dry run: the first 100 changes are listed, in the order of names', async () => {
  const paths = Array.from({ length: 250 }, (_, n) => `many/${String(n).padStart(4, '0')}`);
  await t.put(Object.fromEntries(paths.map((path) => [path, text('x')])));
  const planned = (await plan(await t.takeBackup()))!;
  equal(planned.create, 250);
  deepEqual(
    planned.changes.map(({ path }) => path),
    paths.slice(0, 100),
  );
});

const failing = (code: string, details?: object) => (error: unknown) => {
  ok(error instanceof ApiError, String(error));
  equal(error.code, code);
  if (details) deepEqual(error.details, details);
  return true;
};

test('dry run: more reads than the project allows are refused', async () => {
  const { backup } = await shop();
  const project = targetNow();
  const limited = { ...project, settings: { ...project.settings, maxReads: 4 } };
  await rejects(plan(backup, {}, limited), failing('CONFLICT', { maxReads: 4, reads: 5 }));
  ok(await plan(backup, {}, { ...project, settings: { ...project.settings, maxReads: 5 } }));
});

test('dry run: a target that did not send all its documents is read again', async () => {
  const { backup } = await shop();
  const { targetProjectId: project } = t;
  for (const mergeMode of ['overwrite', 'rollback'] as const) {
    const planned = (await plan(backup, { mergeMode }))!;
    t.server.faults.add({ method: 'RunQuery', project, end: { afterMessages: 1 } });
    const again = (await plan(backup, { mergeMode }))!;
    deepEqual(counts(again), counts(planned));
    ok(again.cost.reads > planned.cost.reads, 'what was read in vain is billed, too');
  }
  // A target that never does yields no plan.
  t.server.faults.add({ method: 'RunQuery', project, end: { afterMessages: 1 }, times: 100 });
  equal(await plan(backup), undefined);
});

test('dry run: a refusal of the target is returned to the caller, and its project is marked', async () => {
  const { backup } = await shop();
  t.server.faults.add({ method: 'RunQuery', status: 'PERMISSION_DENIED' });
  await rejects(plan(backup), failing('SOURCE_AUTH_ERROR'));
  equal(targetNow().status, 'unauthorized');
  equal(t.table.get<ProjectRecord>(projectKey.project(t.tenant, t.projectId))!.status, 'connected');
});

test('dry run: a plan that takes too long becomes a job', async () => {
  const { backup } = await shop();
  const many = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`users/${n}`, text('x')]));
  await t.putTarget(many);
  const begun = Date.now();
  let looks = 0;
  t.nowMs = () => begun + 1_000 * looks++;
  ok(await plan(backup, { mergeMode: 'rollback' }));
  t.nowMs = () => begun + 20_000 * looks++;
  equal(await plan(backup, { mergeMode: 'rollback' }), undefined);
});

test('dry run: the search for requested names ends with the time of the request', async () => {
  const { backup } = await shop();
  const many = Array.from({ length: 50 }, (_, n) => `users/${n}`);
  const begun = Date.now();
  let looks = 0;
  t.nowMs = () => begun + 1_000 * looks++;
  t.server.faults.resetCalls();
  equal(await plan(backup, given(...many)), undefined);
  ok(looks < 30, `${looks}`);
  deepEqual(t.server.faults.calls, {}, 'the target is not asked for a plan that comes too late');
});

test('dry run: a corrupt backup is reported with the object', async () => {
  const { backup } = await shop();
  const { objects } = t.stores.get(backup.path)!;
  const [name, bytes] = [...objects].find(([one]) => one.includes('chunk'))!;
  objects.set(
    name,
    bytes.map((byte, n) => (n > bytes.length - 30 ? byte ^ 1 : byte)),
  );
  await rejects(plan(backup), (error: unknown) => {
    ok(error instanceof ApiError && error.code === 'STORAGE_ERROR', String(error));
    equal((error.details as { object: string }).object, name);
    return true;
  });
});
