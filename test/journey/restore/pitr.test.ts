/** Point-in-time recovery from enabling it to a restore of the second before a mistake. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { Firestore } from '@google-cloud/firestore';
import { beforeAll, test } from 'vitest';
import { auditLogs } from '../../../shared/contract/endpoints/audit-logs.ts';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { documents } from '../../../shared/contract/endpoints/documents.ts';
import { pitr } from '../../../shared/contract/endpoints/pitr.ts';
import { erasures } from '../../../shared/contract/endpoints/protection/erasures.ts';
import { restoreTests } from '../../../shared/contract/endpoints/protection/restore-tests.ts';
import { restores } from '../../../shared/contract/endpoints/restores.ts';
import { endOf, newDestination, newProject, seed, startBackup } from '../../harness/stage/backup.ts';
import { call, stageVariable } from '../../harness/stage/client.ts';
import { exportAll, filesOf, planExport } from '../../harness/stage/export.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { contentsOf, erase, planRestore, restore, undo } from '../../harness/stage/restore.ts';
import { endOfTestRun } from '../../harness/stage/restore-test.ts';

let organization: TestOrganization;
let project: Awaited<ReturnType<typeof newProject>>;
let destination: Awaited<ReturnType<typeof newDestination>>;
const by = () => ({ token: organization.owner.accessToken, org: organization.id, params: { projectId: project.id } });

type Contents = Awaited<ReturnType<typeof contentsOf>>;
/** The second before the mistake, its documents, and those after the mistake. */
let second: string;
let there: Contents;
let left: Contents;

const until = async (isSo: () => Promise<boolean>): Promise<void> => {
  while (!(await isSo())) await pause(500);
};
const usersOf = (contents: Contents): Contents =>
  Object.fromEntries(Object.entries(contents).filter(([path]) => path.startsWith('users/')));

beforeAll(async () => {
  organization = await newOrganization();
  [project, destination] = await Promise.all([newProject(organization), newDestination(organization)]);
  const { sourceProjectId } = project;
  const client = new Firestore({ projectId: sourceProjectId, host: stageVariable('STAGE_FIRESTORE'), ssl: false });
  try {
    // Names that no fake value has.
    await client.doc('users/ada').set({ name: 'Ottilie', visits: 1 });
    await client.doc('users/ada/notes/g').set({ text: 'Note G' });
    await client.doc('shops/one').set({ name: 'One' });
    const body = { storageDestinationId: destination.id, captureIntervalSeconds: 10 };
    equal((await call(pitr.enable, { ...by(), body })).status, 202);
    await until(async () => (await call(pitr.get, by())).body.data.status === 'active');
    // Captured but not in the base. A document that is created and deleted between two captures is unknown.
    await client.doc('users/grace').set({ name: 'Wilhelmina' });
    await until(async () => (await call(pitr.get, by())).body.data.changesCaptured > 0);
    await client.doc('users/ada').update({ visits: 2, seen: new Date(1_700_000_000_000) });
    there = await contentsOf(sourceProjectId);
    await pause(1_000 - (Date.now() % 1_000) + 50);
    second = new Date(Math.floor(Date.now() / 1_000) * 1_000).toISOString();
    await client.recursiveDelete(client.collection('users'));
    left = await contentsOf(sourceProjectId);
    await until(async () => {
      const { windows } = (await call(pitr.windows, by())).body.data;
      return windows.some(({ from, to, complete }) => complete && from <= second && second < to);
    });
  } finally {
    await client.terminate();
  }
});

test('pitr: a dry run reports what a restore to the previous second would do', async () => {
  deepEqual(Object.keys(left), ['shops/one']);
  const plan = await planRestore(organization, { projectId: project.id, pointInTime: second, collections: ['users'] });
  deepEqual(
    { create: plan.create, overwrite: plan.overwrite, delete: plan.delete, unchanged: plan.unchanged },
    { create: 3, overwrite: 0, delete: 0, unchanged: 0 },
  );
  equal(plan.pointInTime, second);
  deepEqual(await contentsOf(project.sourceProjectId), left);
});

test('pitr: the deleted documents are listed, and one that is located by its address has a plan for what is recommended', async () => {
  const { data: deleted } = (await call(documents.deleted, { ...by(), query: { projectId: project.id } })).body;
  deepEqual(deleted.documents.map(({ path }) => path).sort(), Object.keys(usersOf(there)).sort());
  const path = `https://console.cloud.google.com/firestore/databases/-default-/data/panel/users/ada?project=${project.sourceProjectId}`;
  const { data } = (await call(documents.locate, { ...by(), query: { path } })).body;
  deepEqual([data.projectId, data.path, data.live?.exists], [project.id, 'users/ada', false]);
  deepEqual(
    data.moments?.changes.map(({ change }) => change),
    ['deleted', 'written'],
  );
  deepEqual(
    data.backups.map(({ exists }) => exists),
    [true],
  );
  // The base has an older version, so that the second before the deletion is recommended.
  const pointInTime = data.recommended?.pointInTime ?? '';
  const body = { projectId: project.id, pointInTime, documentIds: ['users/ada'], options: { includeSubcollections: false } };
  deepEqual((await planRestore(organization, body)).changes, [{ path: 'users/ada', action: 'create' }]);
  const { data: audited } = (await call(auditLogs.list, { ...by(), query: { action: 'document.located' } })).body;
  deepEqual(
    audited.map(({ details }) => details),
    [{ path: 'users/ada' }],
  );
});

test('pitr: a collection restored to the previous second is exact, and the restore can be undone', async () => {
  const body = { projectId: project.id, pointInTime: second, collections: ['users'] };
  const done = await restore(organization, body);
  deepEqual(
    { pointInTime: done.pointInTime, create: done.plan?.create, writes: done.cost.writes },
    { pointInTime: second, create: 3, writes: 3 },
  );
  deepEqual(await contentsOf(project.sourceProjectId), there);
  const { body: listed } = await call(restores.list, { ...by(), query: { projectId: project.id } });
  deepEqual(
    listed.data.map(({ restoreJobId, pointInTime }) => [restoreJobId, pointInTime]),
    [[done.restoreJobId, second]],
  );
  // The moment is stored as a backup, built from the base without reading the source.
  const { data: point } = (await call(backups.get, { ...by(), params: { backupId: done.backupId } })).body;
  deepEqual(
    {
      type: point.type,
      trigger: point.trigger,
      readTime: point.readTime,
      documentCount: point.documentCount,
      reads: point.cost.reads,
    },
    { type: 'incremental', trigger: 'pitr-base', readTime: second.replace('.000Z', '.000000Z'), documentCount: 4, reads: 0 },
  );
  const { status } = await call(backups.remove, { ...by(), params: { backupId: String(point.parentBackupId) } });
  equal(status, 409);
  await undo(organization, done.restoreJobId);
  deepEqual(await contentsOf(project.sourceProjectId), left);
});

test('pitr: restoring one document restores it and its subcollections only', async () => {
  const body = { projectId: project.id, pointInTime: second, documentIds: ['users/ada'] };
  const done = await restore(organization, body);
  equal(done.plan?.create, 2);
  const now = usersOf(await contentsOf(project.sourceProjectId));
  deepEqual(now, Object.fromEntries(Object.entries(usersOf(there)).filter(([path]) => path.startsWith('users/ada'))));
  await undo(organization, done.restoreJobId);
});

test('pitr: an export has the documents of the moment', async () => {
  const body = { projectId: project.id, pointInTime: second, format: 'ndjson-typed' };
  const plan = await planExport(organization, body);
  equal(plan.pointInTime, second);
  const ended = await exportAll(organization, body);
  const { files } = await filesOf(destination.bucket, ended);
  const lines = String(files['part-00001.ndjson']).trimEnd().split('\n');
  const found = lines.map((line) => JSON.parse(line) as { readonly name: string; readonly fields: object });
  const root = `projects/${project.sourceProjectId}/databases/(default)/documents/`;
  deepEqual(Object.fromEntries(found.map(({ name, fields }) => [name.slice(root.length), fields])), there);
  equal(ended.pointInTime, second);
  ok(ended.backupId);
  const job = (await call(restores.list, { ...by(), query: { projectId: project.id } })).body.data[0];
  deepEqual([job?.backupId, job?.dryRun, job?.status], [ended.backupId, true, 'Success']);
});

test('pitr: a masked copy of a moment has what the moment had, masked, and leaves out what was erased', async () => {
  const target = await newProject(organization, { name: 'Staging' });
  const rules = [
    { collection: 'users', field: 'name', transform: 'fake', type: 'name' },
    { collection: 'users', field: 'visits', transform: 'hash' },
    { collection: 'users/*/notes', field: '*', transform: 'redact' },
  ];
  const body = { projectId: project.id, pointInTime: second, targetProjectId: target.id, collections: ['users'] };
  const plan = await planRestore(organization, { ...body, options: { transform: rules } });
  deepEqual([plan.create, plan.transform?.documentsTransformed, plan.transformPreview?.length], [3, 3, 3]);
  const unmatched = await call(restores.create, {
    ...by(),
    body: { ...body, options: { dryRun: true, transform: [{ collection: 'users', field: 'nmae', transform: 'null' }] } } as never,
  });
  deepEqual([unmatched.status, unmatched.body.error?.code], [400, 'VALIDATION_ERROR'], unmatched.text);
  await restore(organization, { ...body, options: { transform: rules } });
  const copy = new Firestore({ projectId: target.sourceProjectId, host: stageVariable('STAGE_FIRESTORE'), ssl: false });
  try {
    const ada = (await copy.doc('users/ada').get()).data();
    ok(ada && !/Ottilie|Wilhelmina|Note G/.test(JSON.stringify(await contentsOf(target.sourceProjectId))));
    match(ada.name, /^\w+ \w+$/);
    deepEqual([typeof ada.visits, ada.visits === 2, ada.seen.toMillis()], ['number', false, 1_700_000_000_000]);
    deepEqual((await copy.doc('users/ada/notes/g').get()).data(), { text: '[redacted]' });
    // An erasure applies to every moment, and to a copy that is masked.
    const query = { collection: 'users', field: 'name', value: 'Wilhelmina' };
    const erased = await call(erasures.create, { ...by(), body: { query, reason: 'Request 4711' } as never });
    equal(erased.status, 201, erased.text);
    await copy.recursiveDelete(copy.collection('users'));
    const again = await restore(organization, { ...body, options: { transform: rules } });
    deepEqual([again.documentsRestored, again.documentsErased], [2, 1]);
    equal((await copy.doc('users/grace').get()).exists, false);
  } finally {
    await copy.terminate();
  }
});

test('pitr: times before it was enabled and in the future are refused with the available windows', async () => {
  const ask = (pointInTime: string) => call(restores.create, { ...by(), body: { projectId: project.id, pointInTime } });
  const { windows } = (await call(pitr.windows, by())).body.data;
  const early = await ask(new Date(Date.parse(windows[0]!.from) - 60_000).toISOString());
  deepEqual(
    { status: early.status, code: early.body.error?.code, earliest: early.body.error?.details?.earliest },
    { status: 409, code: 'CONFLICT', earliest: windows[0]!.from },
  );
  match(String(early.body.error?.message), /earliest moment/);
  const late = await ask(new Date(Date.now() + 60_000).toISOString());
  deepEqual([late.status, late.body.error?.code], [400, 'VALIDATION_ERROR']);
  ok(windows.length > 0);
});

test('pitr: a restore test of a random moment builds it, compares it with the source at that moment, and passes', async () => {
  const { token, org } = by();
  const body = { name: 'Any second', projectId: project.id, cron: '@yearly', backup: 'moment' };
  const plan = await call(restoreTests.create, { token, org, body });
  equal(plan.status, 201, plan.text);
  const started = await call(restoreTests.run, { token, org, params: { restoreTestId: plan.body.data.id } });
  const run = await endOfTestRun(organization, started.body.data.runId);
  // The erased document is no difference.
  deepEqual([run.status, run.error], ['passed', null]);
  const { windows } = (await call(pitr.windows, by())).body.data;
  ok(windows.some(({ from, to }) => from <= (run.pointInTime ?? '') && (run.pointInTime ?? '') <= to));
  deepEqual([run.choice?.seed, run.comparisons?.source.compared], [run.id, true]);
  deepEqual(await contentsOf(project.sourceProjectId), left);
});

test('pitr: a full and an incremental backup are built without reading; verified byte by byte, they restore what the source has', async () => {
  const { sourceProjectId } = project;
  await seed(sourceProjectId, { 'users/zoe': { name: { stringValue: 'Zoe' } }, 'shops/one': { name: { stringValue: 'Uno' } } });
  const request = { projectId: project.id, storageDestinationId: destination.id };
  const planned = (await call(backups.create, { ...by(), body: { ...request, dryRun: true } })).body.data;
  deepEqual([planned.builtFrom, (planned.costIfRead?.reads ?? 0) > 1], ['changes', true]);
  const full = await endOf(organization, (await startBackup(organization, request)).id);
  deepEqual([full.status, full.builtFrom, full.builtFromReason, full.readsBilled], ['completed', 'changes', undefined, 1]);
  ok((full.auditedSince ?? '') < (full.readTime ?? ''));
  await erase(sourceProjectId, ['users/zoe']);
  const next = await endOf(organization, (await startBackup(organization, { ...request, type: 'incremental' })).id);
  deepEqual([next.type, next.builtFrom, next.documentCount], ['incremental', 'changes', full.documentCount - 1]);
  const read = await endOf(organization, (await startBackup(organization, { ...request, source: 'read' })).id);
  deepEqual([read.builtFrom, read.readsBilled > read.documentCount], ['source', true]);
  for (const { id: backupId } of [full, next]) {
    equal((await call(backups.verify, { ...by(), params: { backupId }, body: { depth: 'full' } })).status, 202);
    await until(async () => {
      const { data } = (await call(backups.get, { ...by(), params: { backupId } })).body;
      equal(data.verification?.findings.length, 0);
      return data.verification?.status === 'passed';
    });
  }
  const copy = await newProject(organization);
  await restore(organization, { backupId: next.id, targetProjectId: copy.id });
  deepEqual(await contentsOf(copy.sourceProjectId), await contentsOf(sourceProjectId));
});
