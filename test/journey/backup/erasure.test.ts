/** Erasures: from the moment they are made, no reader of any backup shows the documents, with or without the service. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { mkdtempSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { backupContents } from '../../../shared/contract/endpoints/backup-contents.ts';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { encryption } from '../../../shared/contract/endpoints/encryption.ts';
import { projects } from '../../../shared/contract/endpoints/projects.ts';
import { erasures } from '../../../shared/contract/endpoints/protection/erasures.ts';
import { restores } from '../../../shared/contract/endpoints/restores.ts';
import { storageDestinations } from '../../../shared/contract/endpoints/storage-destinations.ts';
import { runArchive } from '../../harness/env/run-archive-command.ts';
import { endOf, seed, startBackup, takeBackup } from '../../harness/stage/backup.ts';
import { objectAt, objectsIn } from '../../harness/stage/bucket.ts';
import { call } from '../../harness/stage/client.ts';
import { logs } from '../../harness/stage/function-log.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { contentsOf, erase, planRestore, restore, undo } from '../../harness/stage/restore.ts';
import { itemsOf } from '../../harness/stage/table.ts';

const passphrase = 'a passphrase of the organization';
const secretMail = 'bob.hidden@example.com';
let organization: TestOrganization;
let first: Awaited<ReturnType<typeof takeBackup>>;
let second: typeof first;
let sourceProjectId: string;
let bucket: string;
const folder = mkdtempSync(join(tmpdir(), 'erasure-'));
const by = () => ({ token: organization.owner.accessToken, org: organization.id });
const another = (more: object = {}) =>
  startBackup(organization, { projectId: first.projectId, storageDestinationId: first.storageDestination.id, ...more });
const inProject = () => ({ ...by(), params: { projectId: first.projectId } });
const browse = (backupId: string, path: string) =>
  call(backupContents.documents, { ...by(), params: { backupId }, query: { path } });
const pathsIn = async (backupId: string, path: string) => (await browse(backupId, path)).body.data.map((entry) => entry.path);
const erasureOf = async (erasureId: string) =>
  (await call(erasures.get, { ...by(), params: { projectId: first.projectId, erasureId } })).body.data;
const create = (body: object) => call(erasures.create, { ...inProject(), body: { reason: 'Request 4711', ...body } as never });

beforeAll(async () => {
  organization = await newOrganization();
  const set = await call(encryption.set, { ...by(), body: { mode: 'customer', passphrase } as never });
  equal(set.status, 200, set.text);
  first = await takeBackup(organization);
  ({ sourceProjectId } = (await call(projects.get, inProject())).body.data);
  ({ bucket } = (await call(storageDestinations.get, { ...by(), params: { storageId: first.storageDestination.id } })).body.data);
  await seed(sourceProjectId, {
    'users/ada': { name: { stringValue: 'Ada' }, born: { integerValue: '1815' }, changed: { booleanValue: true } },
    'users/ada/orders/1': { total: { integerValue: '5' } },
    'people/bob': { email: { stringValue: secretMail } },
    'people/carol': { email: { stringValue: 'carol@example.com' } },
  });
  second = await endOf(organization, (await another()).id);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test('erasure: bad input is refused, and nothing changes', async () => {
  for (const body of [
    {},
    { paths: ['users/ada'], query: { field: 'email', value: 'x' } },
    { paths: [] },
    { paths: ['users'] },
    { paths: ['users/ada/'] },
    { paths: ['/users/ada'] },
    { paths: ['users//ada'] },
    { paths: ['users%2Fada'] },
    { query: { field: '', value: 1 } },
    { query: { field: 'a..b', value: 1 } },
    { query: { collection: 'users/ada/x', field: 'a', value: 1 } },
    { query: { field: 'a', value: { stringValue: 1 } } },
    { query: { field: 'a', value: { unknown: 1 } } },
    { paths: ['users/ada'], unknown: 1 },
  ]) {
    const { status, body: answer } = await create(body);
    deepEqual([status, answer.error?.code], [400, 'VALIDATION_ERROR'], JSON.stringify(body));
  }
  deepEqual((await call(erasures.list, inProject())).body.data, []);
});

test('erasure: documents given by path are hidden at once, in old backups, too', async () => {
  deepEqual((await browse(first.id, 'users/ada')).status, 200);
  const { status, body, text } = await create({ paths: ['users/ada', 'users/ada'] });
  equal(status, 201, text);
  const { pathCount, query, copies, reason, projectId, expiredAt } = body.data;
  deepEqual(
    { pathCount, query, copies, reason, projectId, expiredAt },
    { pathCount: 1, query: null, copies: 'pending', reason: 'Request 4711', projectId: first.projectId, expiredAt: null },
  );
  for (const backup of [first, second]) {
    deepEqual((await pathsIn(backup.id, 'users')).includes('users/ada'), false);
    const alone = await browse(backup.id, 'users/ada');
    deepEqual([alone.status, alone.body.error.code, alone.body.error.details.reason], [404, 'DOCUMENT_NOT_FOUND', 'erased']);
  }
  const imported = await call(backupContents.register, {
    ...by(),
    body: { projectId: first.projectId, storageDestinationId: first.storageDestination.id, path: first.path },
  });
  equal(imported.status, 201, imported.text);
  equal((await browse(imported.body.data.id, 'users/ada')).status, 404);
  equal((await call(backups.remove, { ...by(), params: { backupId: imported.body.data.id } })).status, 200);
  equal((await browse(second.id, 'users/ada/orders')).status, 404);
  equal((await browse(second.id, 'users/ada/orders/1')).status, 404);
  const diff = (against: string, path?: string) =>
    call(backupContents.diff, { ...by(), params: { backupId: second.id }, query: { against, ...(path && { path }) } });
  for (const against of [first.id, 'live']) {
    const changes = (await diff(against)).body.data.changes.map((change) => change.path);
    ok(!changes.some((path) => path.startsWith('users/ada')), changes.join());
    deepEqual((await diff(against, 'users/ada')).status, 404);
  }
});

test('erasure: documents given by a value are hidden, and the newest backup tells their paths', async () => {
  const { status, body, text } = await create({ query: { field: 'email', value: secretMail } });
  equal(status, 201, text);
  deepEqual(body.data.query, { collection: null, field: 'email' });
  ok(!text.includes(secretMail));
  deepEqual(await pathsIn(second.id, 'people'), ['people/carol']);
  await expect.poll(async () => (await erasureOf(body.data.id)).status, { timeout: 300_000 }).toBe('active');
  await expect.poll(async () => (await erasureOf(body.data.id)).copies, { timeout: 300_000 }).toBe('stored');
  const { documentsFound, lastHeldBackupId, pathCount } = await erasureOf(body.data.id);
  deepEqual({ documentsFound, lastHeldBackupId, pathCount }, { documentsFound: 1, lastHeldBackupId: second.id, pathCount: 1 });
});

test('erasure: a restore neither writes nor deletes erased documents, and says how many it left out', async () => {
  const plan = await planRestore(organization, { backupId: second.id, options: { mergeMode: 'rollback' } });
  deepEqual({ erased: plan.documentsErased, delete: plan.delete }, { erased: 4, delete: 0 });
  await erase(sourceProjectId, ['people/bob', 'people/carol']);
  const done = await restore(organization, { backupId: second.id, options: { mergeMode: 'rollback' } });
  deepEqual({ erased: done.documentsErased, restored: done.status }, { erased: 4, restored: 'completed' });
  const live = await contentsOf(sourceProjectId);
  ok('people/carol' in live && !('people/bob' in live) && 'users/ada' in live);
  const undone = await undo(organization, done.restoreJobId);
  equal(undone.status, 'completed');
  ok(!('people/carol' in (await contentsOf(sourceProjectId))));
  const named = await call(restores.create, {
    ...by(),
    body: { backupId: second.id, documentIds: ['users/ada', 'people/bob'] } as never,
  });
  const { code, details } = named.body.error;
  deepEqual([named.status, code, details.reason], [404, 'DOCUMENT_NOT_FOUND', 'erased']);
  const history = (await call(restores.list, { ...by(), query: { backupId: second.id } })).body.data;
  equal(history.find(({ restoreJobId }) => restoreJobId === done.restoreJobId)?.documentsErased, 4);
});

test('erasure: a verification knows the copy of the ledger', async () => {
  const params = { backupId: first.id };
  equal((await call(backups.verify, { ...by(), params, body: { depth: 'structure' } })).status, 202);
  await expect
    .poll(async () => (await call(backups.get, { ...by(), params })).body.data.verification, { timeout: 60_000 })
    .toMatchObject({ status: 'passed', findings: [] });
});

test('erasure: the archive reader applies the ledger beside the backup, and notices if it is missing', async () => {
  await seed(sourceProjectId, { 'users/ada': { name: { stringValue: 'Ada again' } } });
  const third = await endOf(organization, (await another({ type: 'full' })).id);
  for (const { id, path } of [first, third]) {
    for (const key of Object.keys(await objectsIn(bucket, `${path}/`))) {
      const file = join(folder, id, key.slice(path.length + 1));
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, await objectAt(bucket, key));
    }
    const env = { ARCHIVE_PASSPHRASE: passphrase };
    const exported = await runArchive(['export', join(folder, id)], env);
    equal(exported.code, 0, exported.err);
    ok(exported.out.includes('/documents/users/grace') && !exported.out.includes('users/ada'), exported.out);
    const cat = await runArchive(['cat', join(folder, id), 'users/ada'], env);
    deepEqual([cat.code, cat.out], [2, '']);
    equal((await runArchive(['verify', join(folder, id)], env)).code, 0);
  }
  await rm(join(folder, third.id, 'erasures'), { recursive: true });
  const env = { ARCHIVE_PASSPHRASE: passphrase };
  const missing = await runArchive(['export', join(folder, third.id)], env);
  deepEqual([missing.code, missing.out], [1, '']);
  const forced = await runArchive(['export', join(folder, third.id), '--show-erased-documents-if-ledger-is-missing'], env);
  deepEqual([forced.code, forced.err.includes('WARNING')], [0, true]);
  equal((await call(backups.remove, { ...by(), params: { backupId: third.id } })).status, 200);
});

test('erasure: when the last backup that holds the documents is gone, the entry says so', async () => {
  const entries = (await call(erasures.list, inProject())).body.data;
  equal(entries.length, 2);
  await erase(sourceProjectId, ['users/ada', 'users/ada/notes/g', 'users/ada/orders/1']);
  const clean = await endOf(organization, (await another({ type: 'full' })).id);
  const all = (await call(backups.list, { ...by(), query: { projectId: first.projectId } })).body.data;
  for (const { id } of all) if (id !== clean.id) await call(backups.remove, { ...by(), params: { backupId: id } });
  const remaining = (await call(backups.list, { ...by(), query: { projectId: first.projectId } })).body.data;
  for (const { id } of remaining) if (id !== clean.id) await call(backups.remove, { ...by(), params: { backupId: id } });
  for (const { id } of entries) {
    await expect.poll(async () => (await erasureOf(id)).status, { timeout: 300_000, interval: 1_000 }).toBe('expired');
    ok((await erasureOf(id)).expiredAt !== null);
  }
});

test('erasure: paths and values are in no item of the table and in no log', async () => {
  const text = JSON.stringify(await itemsOf(`ORG#${organization.id}`));
  ok(text.includes('ERASURE#'));
  ok(!text.includes(secretMail) && !logs().includes(secretMail));
});
