/** A document is found in backups and live, with bounded reads; erased ones say so. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { test } from 'vitest';
import { listDeleted, locateDocument } from '../../../shared/document/index.ts';
import { newId } from '../../../shared/platform/index.ts';
import { type ProjectRecord, projectKey } from '../../../shared/project/index.ts';
import type { Fields } from '../../harness/env/archive-env.ts';
import { createErasureEnv, eraseDocuments } from '../../harness/env/erasure-env.ts';

const t = await createErasureEnv();
const actor = { type: 'user', id: newId('user'), email: 'ada@example.com' } as const;
const caller = { tenant: t.tenant, actor, origin: { ip: null, userAgent: null, requestId: 'r' } };
const text = (stringValue: string): Fields => ({ text: { stringValue } });

const locate = (
  path: string,
  more: { role?: 'viewer' | 'member'; limit?: number; after?: string; projectId?: string | undefined } = {},
) => {
  const { role = 'member', limit = 50, after, ...rest } = more;
  const projectId = 'projectId' in rest ? rest.projectId : t.projectId;
  return locateDocument(
    { ...caller, now: t.clock.now(), role, query: { projectId, path }, page: { limit, after } },
    { deps: t.deps },
  );
};

test('locate: says where a document exists, when it changed and vanished, and what to restore', async () => {
  t.reset();
  await t.put({ 'a/x': text('one'), 'a/y': text('same'), 'b/x': text('other') });
  const first = await t.takeBackup();
  await t.put({ 'a/x': text('two') });
  const second = await t.takeBackup({ type: 'incremental' });
  const third = await t.takeBackup({ type: 'incremental' });
  await t.put({ 'a/x': undefined });
  const fourth = await t.takeBackup({ collections: ['b'] });

  const { data, next, change } = await locate('a/x');
  equal(next, undefined);
  deepEqual([data.live!.exists, data.examined, data.moments, data.candidates], [false, 4, null, []]);
  // The backup of other collections says nothing about it.
  deepEqual(
    data.backups.map(({ id, exists, changed, document }) => [
      id,
      exists,
      changed,
      (document?.fields as Fields | undefined)?.text,
    ]),
    [
      [third.id, true, false, undefined],
      [second.id, true, true, { stringValue: 'two' }],
      [first.id, true, true, { stringValue: 'one' }],
    ],
  );
  equal(data.backups[0]!.contentHash, data.backups[1]!.contentHash);
  deepEqual([data.recommended!.backupId, data.recommended!.pointInTime], [third.id, null]);
  ok(data.summary.found && data.summary.vanishedBetween!.from === data.summary.lastSeen);
  deepEqual(change.audit[0], {
    scope: t.tenant.organizationId,
    resource: { type: 'project', id: t.projectId },
    details: { path: 'a/x' },
  });

  // Reads: a manifest, a page of the index and a leaf of each backup, however many documents it has.
  const store = t.storeOf(first);
  const { get } = store;
  let reads = 0;
  store.get = (...args: Parameters<typeof get>) => {
    reads += 1;
    return get.apply(store, args);
  };
  await locate('a/x', { limit: 4 });
  ok(reads > 0 && reads <= 10, `${reads} reads`);

  // Pages: the next older state of the last one is not known yet.
  const page = await locate('a/x', { limit: 2 });
  deepEqual(
    page.data.backups.map(({ id, changed }) => [id, changed]),
    [[third.id, null]],
  );
  const rest = await locate('a/x', { limit: 2, after: page.next! });
  deepEqual([rest.data.backups.map(({ id }) => id), rest.next], [[second.id, first.id], undefined]);
  void fourth;
});

test('locate: a document that exists is compared, a viewer does not read the database, and nothing found is no error', async () => {
  t.reset();
  await t.put({ 'a/x': text('one') });
  const first = await t.takeBackup();
  equal((await locate('a/x')).data.recommended, null);
  await t.put({ 'a/x': text('two') });
  const { data } = await locate('a/x');
  deepEqual([data.live!.exists, data.recommended!.backupId, data.summary.vanishedBetween], [true, first.id, null]);
  const viewed = (await locate('a/x', { role: 'viewer' })).data;
  deepEqual([viewed.live!.exists, viewed.live!.reason, viewed.recommended!.backupId], [null, 'role', first.id]);
  const nothing = (await locate('a/nothing')).data;
  deepEqual([nothing.summary.found, nothing.recommended, nothing.backups[0]!.exists], [false, null, false]);
});

test('locate: a backup that cannot be read does not hide the others', async () => {
  t.reset();
  await t.put({ 'a/x': text('one') });
  const first = await t.takeBackup();
  await t.put({ 'a/x': text('two') });
  const second = await t.takeBackup();
  t.storeOf(second).objects.clear();
  const { data } = await locate('a/x');
  deepEqual(
    data.backups.map(({ id, exists, reason }) => [id, exists, reason]),
    [
      [second.id, null, 'unreadable'],
      [first.id, true, null],
    ],
  );
});

test('locate: a bare id is found in its collection; of several, the person chooses', async () => {
  t.reset();
  await t.put({ 'a/x': text('1'), 'b/x': text('2'), 'b/only': text('3'), 'c/z/x/x': text('4') });
  await t.takeBackup();
  deepEqual((await locate('x')).data.candidates, ['a/x', 'b/x']);
  equal((await locate('only')).data.path, 'b/only');
  const nothing = (await locate('nothing')).data;
  deepEqual([nothing.path, nothing.summary.found, nothing.candidates], [null, false, []]);
});

test('locate: a bare id is found live, in the newest backup of its own, and despite one that cannot be read', async () => {
  t.reset();
  await t.put({ 'a/old': text('1') });
  await t.takeBackup();
  await t.put({ 'a/x': text('2') });
  const broken = await t.takeBackup();
  await t.put({ 'b/new': text('3'), 'b/old': text('4') });
  equal((await locate('new')).data.path, 'b/new', 'it exists in the live database only');
  equal((await locate('new', { role: 'viewer' })).data.path, null, 'a viewer does not read the database');
  t.storeOf(broken).objects.clear();
  const { candidates, notSearched } = (await locate('old')).data;
  deepEqual(candidates, ['a/old', 'b/old']);
  deepEqual(
    notSearched.map(({ place, backupId }) => [place, backupId]),
    [['backup', broken.id]],
  );
});

test('locate: an address of Google names the project; without one it is required', async () => {
  t.reset();
  await t.put({ 'a/x': text('1') });
  const at = (project: string) => `https://console.firebase.google.com/project/${project}/firestore/data/~2Fa~2Fx`;
  equal((await locate(at(t.sourceProjectId), { projectId: undefined })).data.path, 'a/x');
  for (const [path, projectId] of [
    ['a/x', undefined],
    [at('another'), undefined],
    [at('another'), t.projectId],
  ] as const)
    await rejects(locate(path, { projectId }), { code: 'VALIDATION_ERROR' });
});

test('locate: an erased document is erased in every backup, without its fields or hash', async () => {
  t.reset();
  await t.put({ 'a/x': text('secret') });
  await t.takeBackup();
  await t.put({ 'a/x': undefined });
  await eraseDocuments(t, { paths: ['a/x'] });
  const { data } = await locate('a/x');
  deepEqual(
    data.backups.map(({ exists, erased, reason, contentHash, document }) => [exists, erased, reason, contentHash, document]),
    [[null, true, 'erased', null, null]],
  );
  equal(data.recommended, null);
});

const project = () => t.table.get<ProjectRecord>(projectKey.project(t.tenant, t.projectId))!;

test('locate: captured changes say to the second when a document changed and vanished; deleted ones are listed', async () => {
  await t.startCaptures({ 'a/x': text('one'), 'a/y': text('same'), 'b/z': text('stays') });
  t.nextSecond();
  await t.put({ 'a/x': text('two') });
  t.nextSecond();
  t.pass(2);
  const before = Date.parse(t.nextSecond());
  await t.put({ 'a/x': undefined, 'a/y': undefined });
  t.nextSecond();
  await t.put({ 'a/y': text('again') });
  t.nextSecond();
  await t.runCycle();
  await t.runCycle();

  const { moments, summary, recommended, live } = (await locate('a/x')).data;
  equal(live!.exists, false);
  deepEqual(
    moments!.changes.map(({ change, document }) => [change, (document?.fields as Fields | undefined)?.text?.stringValue]),
    [
      ['deleted', undefined],
      ['written', 'two'],
    ],
  );
  ok(moments!.complete && moments!.windows.length > 0);
  const [deletion, written] = moments!.changes;
  ok(Math.abs(Date.parse(deletion!.at) - before) <= 1_500, `${deletion!.at} ${new Date(before).toISOString()}`);
  equal(summary.vanishedBetween!.from, written!.restorableAt);
  deepEqual([recommended!.backupId, recommended!.pointInTime], [null, written!.restorableAt]);
  // That moment has the document.
  equal(t.sourceAt(recommended!.pointInTime!).has('a/x'), true);

  // Not changed since the base, and deleted: the backup has the state.
  const created = (await locate('a/y')).data;
  deepEqual([created.live!.exists, created.recommended!.backupId], [true, t.base.id]);

  // Neither the base nor the live database has it: an id is found in captured changes.
  await t.put({ 'a/short': text('lived') });
  t.nextSecond();
  await t.runCycle();
  await t.put({ 'a/short': undefined });
  t.nextSecond();
  await t.runCycle();
  equal((await locate('short')).data.path, 'a/short');

  const { data, change } = await listDeleted(t.tenant, { project: project(), deps: t.deps });
  deepEqual([data.captured, data.documents.map(({ path }) => path)], [true, ['a/short', 'a/x']]);
  equal(change.audit.length, 1);

  // Its search has not begun: only a version before the deletion has the value.
  await eraseDocuments(t, { query: { collection: 'a', field: 'text', value: 'two' } });
  const { data: hidden } = await listDeleted(t.tenant, { project: project(), deps: t.deps });
  deepEqual(
    hidden.documents.map(({ path }) => path),
    ['a/short'],
  );
});

test('locate: without captures no deletions are listed, and the answer says so', async () => {
  t.reset();
  const { data } = await listDeleted(t.tenant, { project: project(), deps: t.deps });
  deepEqual([data.captured, data.documents], [false, []]);
});
