/** Restores from the request to the restored documents, and their undo. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { Firestore } from '@google-cloud/firestore';
import { beforeAll, describe, test } from 'vitest';
import { alerts } from '../../../shared/contract/endpoints/alerts.ts';
import { auditLogs } from '../../../shared/contract/endpoints/audit-logs.ts';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { restores } from '../../../shared/contract/endpoints/restores.ts';
import { restorePhases } from '../../../shared/contract/job-enums.ts';
import { endOf, newDestination, newProject, seed, startBackup } from '../../harness/stage/backup.ts';
import { bucketClient, objectAt, objectsIn } from '../../harness/stage/bucket.ts';
import { call, stageVariable } from '../../harness/stage/client.ts';
import { addFault } from '../../harness/stage/firestore-faults.ts';
import { logs } from '../../harness/stage/function-log.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import {
  contentsOf,
  endOfRestore,
  erase,
  planRestore,
  type RestoreData,
  readRestore,
  restore,
  startRestore,
  undo,
} from '../../harness/stage/restore.ts';
import { itemsOf } from '../../harness/stage/table.ts';

let organization: TestOrganization;
const by = () => ({ token: organization.owner.accessToken, org: organization.id });
beforeAll(async () => {
  organization = await newOrganization();
});

/** Creates a project with these documents, and a backup of it. */
const backedUp = async (documents: Readonly<Record<string, object>>, more: object = {}) => {
  const [project, destination] = await Promise.all([newProject(organization), newDestination(organization)]);
  await seed(project.sourceProjectId, documents);
  const { id } = await startBackup(organization, { projectId: project.id, storageDestinationId: destination.id, ...more });
  const backup = await endOf(organization, id);
  equal(backup.status, 'completed', JSON.stringify(backup.error));
  return { project, destination, backup };
};

const text = (stringValue: string) => ({ stringValue });
const eventsOf = async (restoreJobId: string) => {
  const items = await itemsOf(`ORG#${organization.id}`);
  return items
    .filter(({ sk }) => sk.startsWith('EVENT#'))
    .map((item) => item as unknown as { type: string; data: { restore?: RestoreData; progress?: RestoreData['progress'] } })
    .filter(({ data }) => data.restore?.restoreJobId === restoreJobId);
};

describe('a collection deleted by mistake', () => {
  const canary = 'canary-5d20e7aa';
  const documents = Object.fromEntries([
    ...Array.from({ length: 250 }, (_, n) => [`orders/${n}`, { total: { integerValue: String(n) }, note: text(canary) }]),
    ...Array.from({ length: 20 }, (_, n) => [`orders/${n}/lines/1`, { item: text(`item ${n}`) }]),
    ['ghosts/missing/notes/1', { at: { timestampValue: '2026-01-01T00:00:00.123456Z' } }],
    ['users/ada', { name: text('Ada') }],
  ]);
  let project: Awaited<ReturnType<typeof backedUp>>['project'];
  let backupId: string;
  let bucket: string;
  let done: RestoreData;
  let mistake: Record<string, unknown>;

  beforeAll(async () => {
    const made = await backedUp(documents);
    project = made.project;
    backupId = made.backup.id;
    bucket = made.destination.bucket;
    // With the official client, as a user would.
    const client = new Firestore({ projectId: project.sourceProjectId, host: stageVariable('STAGE_FIRESTORE'), ssl: false });
    await client.recursiveDelete(client.collection('orders'));
    await client.doc('orders/new').set({ total: 1 });
    await client.doc('users/ada').set({ name: 'Countess' });
    await client.terminate();
    mistake = await contentsOf(project.sourceProjectId);
    equal(Object.keys(mistake).length, 3);
  });

  test('the dry run reports what a restore would do, and writes nothing', async () => {
    const plan = await planRestore(organization, { backupId, collections: ['orders'] });
    const { create, overwrite, skip, unchanged, notFound, delete: removed } = plan;
    deepEqual(
      { create, overwrite, skip, removed, unchanged, notFound },
      { create: 270, overwrite: 0, skip: 0, removed: 0, unchanged: 0, notFound: [] },
    );
    equal(plan.changes.length, 100);
    deepEqual(plan.changes[0], { path: 'orders/0', action: 'create' });
    const rollback = await planRestore(organization, { backupId, options: { mergeMode: 'Rollback' } });
    deepEqual(
      {
        create: rollback.create,
        overwrite: rollback.overwrite,
        delete: rollback.delete,
        unchanged: rollback.unchanged,
        mergeMode: rollback.mergeMode,
      },
      { create: 270, overwrite: 1, delete: 1, unchanged: 1, mergeMode: 'rollback' },
    );
    deepEqual(await contentsOf(project.sourceProjectId), mistake);
  });

  test('is restored, and nothing else changes', async () => {
    done = await restore(organization, { backupId, collections: ['orders'] });
    const { phase, documentsRestored, documentsSkipped, documentsFailed, failures, documentsDeleted, plan } = done;
    deepEqual(
      { phase, documentsRestored, documentsSkipped, documentsFailed, documentsDeleted, failures },
      { phase: 'Completed', documentsRestored: 270, documentsSkipped: 0, documentsFailed: 0, documentsDeleted: 0, failures: [] },
    );
    const { deleteDigest, ...counts } = plan!;
    match(deleteDigest!, /^0{64}$/);
    deepEqual(counts, {
      create: 270,
      overwrite: 0,
      skip: 0,
      delete: 0,
      unchanged: 0,
      notFound: [],
      documentsErased: 0,
      deletions: [],
    });
    deepEqual(
      {
        collectionsRestored: done.collectionsRestored,
        mergeMode: done.mergeMode,
        targetProjectId: done.targetProjectId,
        projectId: done.projectId,
      },
      { collectionsRestored: 2, mergeMode: 'overwrite', targetProjectId: project.id, projectId: project.id },
    );
    deepEqual(done.progress, { percent: 100, documents: 270, totalDocuments: 270 });
    ok(done.duration !== null && done.duration >= 0);
    equal(Math.round((Date.parse(done.undoUntil!) - Date.parse(done.completedAt!)) / 1_000), 7 * 24 * 3_600);
    deepEqual(await contentsOf(project.sourceProjectId), { ...documents, ...mistake });
  });

  test('progress events come once per 10 % in order, and the start is audited before the first write', async () => {
    const events = await eventsOf(done.restoreJobId);
    const percents = events.filter(({ type }) => type === 'restore.progress').map(({ data }) => data.progress!.percent);
    deepEqual(percents, [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
    deepEqual([events[0]?.type, events.filter(({ type }) => type === 'restore.completed').length], ['restore.started', 1]);
    const { body } = await call(auditLogs.list, { ...by(), query: { limit: '100' } });
    const actions = body.data.filter(({ resource }) => resource?.id === done.restoreJobId).map(({ action }) => action);
    deepEqual(actions.toSorted(), ['restore.completed', 'restore.created', 'restore.started'].toSorted());
  });

  test('the overwritten documents are kept in a safety backup, and undo restores them byte for byte', async () => {
    const { body } = await call(backups.get, { ...by(), params: { backupId: done.safetyBackupId! } });
    deepEqual(
      { status: body.data.status, trigger: body.data.trigger, expiresAt: body.data.expiresAt },
      { status: 'completed', trigger: 'safety', expiresAt: done.undoUntil },
    );
    const undone = await undo(organization, done.restoreJobId);
    deepEqual(
      { undoOf: undone.undoOf, documentsDeleted: undone.documentsDeleted, documentsFailed: undone.documentsFailed },
      { undoOf: done.restoreJobId, documentsDeleted: 270, documentsFailed: 0 },
    );
    deepEqual(await contentsOf(project.sourceProjectId), mistake);
    equal((await readRestore(organization, done.restoreJobId)).undoneBy, undone.restoreJobId);
    const again = await call(restores.undo, { ...by(), params: { restoreJobId: done.restoreJobId }, body: {} });
    deepEqual([again.status, again.body.error.code], [409, 'CONFLICT']);
    // An undo can be undone, which applies the first restore again.
    await undo(organization, undone.restoreJobId);
    equal((await readRestore(organization, done.restoreJobId)).undoneBy, null);
    deepEqual(await contentsOf(project.sourceProjectId), { ...documents, ...mistake });
  });

  test('the history lists all of it, newest first', async () => {
    const { body } = await call(restores.list, { ...by(), query: { projectId: project.id } });
    deepEqual(
      body.data.map(({ status, targetProject, documents: count }) => [status, targetProject.id, count]),
      [
        ['Success', project.id, 270],
        ['Success', project.id, 270],
        ['Success', project.id, 270],
      ],
    );
  });

  test('no document content is in logs, events or the audit log, nor unencrypted in the bucket', async () => {
    ok(!JSON.stringify(await itemsOf(`ORG#${organization.id}`)).includes(canary));
    ok(!(await logs()).includes(canary));
    for (const name of Object.keys(await objectsIn(bucket))) ok(!(await objectAt(bucket, name)).includes(canary), name);
  });
});

test('restore: a rollback returns the database to the backup, and its undo to the state before', async () => {
  const documents = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`things/${n}`, { n: { integerValue: String(n) } }]));
  const { project, backup } = await backedUp(documents);
  await seed(project.sourceProjectId, { 'things/3': { n: text('three') }, 'things/extra': { n: text('new') }, 'other/1': {} });
  await erase(project.sourceProjectId, ['things/7', 'things/8']);
  const edited = await contentsOf(project.sourceProjectId);
  const done = await restore(organization, { backupId: backup.id, options: { mergeMode: 'rollback' } });
  const { deleteDigest, ...plan } = done.plan!;
  match(deleteDigest!, /^[0-9a-f]{64}$/);
  deepEqual(plan, {
    ...{ create: 2, overwrite: 1, skip: 0, delete: 2, unchanged: 37, notFound: [], documentsErased: 0 },
    deletions: ['other/1', 'things/extra'],
  });
  deepEqual(
    {
      documentsRestored: done.documentsRestored,
      documentsDeleted: done.documentsDeleted,
      documentsUnchanged: done.documentsUnchanged,
    },
    { documentsRestored: 40, documentsDeleted: 2, documentsUnchanged: 37 },
  );
  deepEqual(await contentsOf(project.sourceProjectId), documents);
  await undo(organization, done.restoreJobId);
  deepEqual(await contentsOf(project.sourceProjectId), edited);
});

test('restore: into another project, all documents arrive with rewritten references and the source is unchanged', async () => {
  const [target] = await Promise.all([newProject(organization)]);
  const source = await newProject(organization);
  const destination = await newDestination(organization);
  const own = (path: string) => `projects/${source.sourceProjectId}/databases/(default)/documents/${path}`;
  const documents = {
    'users/ada': {
      friend: { referenceValue: own('users/grace') },
      far: { referenceValue: 'projects/else/databases/(default)/documents/a/b' },
    },
    'users/grace': { list: { arrayValue: { values: [{ mapValue: { fields: { at: { referenceValue: own('users/ada') } } } }] } } },
    'ghost/none/deep/leaf': { big: { bytesValue: Buffer.alloc(900_000, 7).toString('base64') } },
  };
  await seed(source.sourceProjectId, documents);
  const begun = await startBackup(organization, { projectId: source.id, storageDestinationId: destination.id });
  const backup = await endOf(organization, begun.id);
  const done = await restore(organization, { backupId: backup.id, targetProjectId: target.id });
  deepEqual(
    { projectId: done.projectId, targetProjectId: done.targetProjectId, documentsRestored: done.documentsRestored },
    { projectId: source.id, targetProjectId: target.id, documentsRestored: 3 },
  );
  const there = (path: string) => own(path).replace(source.sourceProjectId, target.sourceProjectId);
  deepEqual(await contentsOf(target.sourceProjectId), {
    ...documents,
    'users/ada': { ...documents['users/ada'], friend: { referenceValue: there('users/grace') } },
    'users/grace': {
      list: { arrayValue: { values: [{ mapValue: { fields: { at: { referenceValue: there('users/ada') } } } }] } },
    },
  });
  deepEqual(await contentsOf(source.sourceProjectId), documents);
  const again = await planRestore(organization, { backupId: backup.id, targetProjectId: target.id });
  deepEqual(
    { create: again.create, overwrite: again.overwrite, unchanged: again.unchanged },
    { create: 0, overwrite: 0, unchanged: 3 },
  );
});

test('restore: single documents by path or id; documents missing in the backup are reported', async () => {
  const { project, backup } = await backedUp({
    'users/ada': { v: text('old') },
    'users/ada/notes/g': { v: text('old') },
    'users/grace': { v: text('old') },
  });
  const edited = { 'users/ada': { v: text('new') }, 'users/ada/notes/g': { v: text('new') }, 'users/grace': { v: text('new') } };
  await seed(project.sourceProjectId, edited);
  const options = { includeSubcollections: false };
  const one = await restore(organization, { backupId: backup.id, documentIds: ['users/ada', 'users/nobody'], options });
  deepEqual([one.documentsRestored, one.plan?.notFound], [1, ['users/nobody']]);
  deepEqual(await contentsOf(project.sourceProjectId), { ...edited, 'users/ada': { v: text('old') } });
  const below = await restore(organization, { backupId: backup.id, collections: ['users'], documentIds: ['ada'] });
  deepEqual([below.documentsRestored, below.documentsUnchanged], [2, 1]);
  deepEqual(await contentsOf(project.sourceProjectId), {
    ...edited,
    'users/ada': { v: text('old') },
    'users/ada/notes/g': { v: text('old') },
  });
});

test('restore: a corrupt chunk fails it before the first write and names the object', async () => {
  const { project, destination, backup } = await backedUp({ 'a/1': { v: text('old') }, 'a/2': { v: text('old') } });
  await seed(project.sourceProjectId, { 'a/1': { v: text('new') } });
  const chunk = Object.keys(await objectsIn(destination.bucket)).find((name) => name.includes('/chunk/'))!;
  const bytes = Buffer.from(await objectAt(destination.bucket, chunk));
  bytes[bytes.length >> 1]! ^= 1;
  await bucketClient().send(new PutObjectCommand({ Bucket: destination.bucket, Key: chunk, Body: bytes }));
  const ended = await endOfRestore(organization, (await startRestore(organization, { backupId: backup.id })).restoreJobId);
  deepEqual(
    { status: ended.status, phase: ended.phase, code: ended.error?.code, documentsRestored: ended.documentsRestored },
    { status: 'failed', phase: 'Validating', code: 'CHUNK_CORRUPT', documentsRestored: 0 },
  );
  match(JSON.stringify(ended.error), /chunk/);
  deepEqual(await contentsOf(project.sourceProjectId), { 'a/1': { v: text('new') }, 'a/2': { v: text('old') } });
  const failed = (await eventsOf(ended.restoreJobId)).filter(({ type }) => type === 'restore.failed');
  equal(failed.length, 1);
});

test('restore: what would fail a verification is reported although the restore is exact, until a verification passes', async () => {
  const { project, destination, backup } = await backedUp({ 'a/1': { v: text('old') }, 'a/2': { v: text('old') } });
  await seed(project.sourceProjectId, { 'a/1': { v: text('new') } });
  const names = Object.keys(await objectsIn(destination.bucket));
  const [chunk, key] = [names.find((name) => name.includes('/chunk/'))!, names.find((name) => name.endsWith('/key'))!];
  const stored = { chunk: await objectAt(destination.bucket, chunk), key: await objectAt(destination.bucket, key) };
  const put = (Key: string, Body: Uint8Array) =>
    bucketClient().send(new PutObjectCommand({ Bucket: destination.bucket, Key, Body }));
  await put(chunk, Buffer.concat([stored.chunk, Buffer.from('more')]));
  await bucketClient().send(new DeleteObjectCommand({ Bucket: destination.bucket, Key: key }));
  const ended = await endOfRestore(organization, (await startRestore(organization, { backupId: backup.id })).restoreJobId);
  deepEqual([ended.status, ended.findingsCount], ['completed', 2]);
  deepEqual(
    ended.findings.map(({ object, problem }) => `${problem} ${object}`),
    [`size ${chunk.slice(chunk.indexOf('/chunk/') + 1)}`, 'missing key'],
  );
  deepEqual(await contentsOf(project.sourceProjectId), { 'a/1': { v: text('old') }, 'a/2': { v: text('old') } });
  const [event] = (await eventsOf(ended.restoreJobId)).filter(({ type }) => type === 'restore.completed');
  deepEqual(event?.data.restore?.findings, ended.findings);
  const incidentIs = async (wanted: 'open' | 'recovered'): Promise<void> => {
    for (;;) {
      const { body } = await call(alerts.incidents, { ...by(), query: {} });
      const incident = body.data.find(({ kind, subject }) => kind === 'verification_failed' && subject.id === backup.id);
      if (incident?.status === wanted) return;
      await pause(100);
    }
  };
  await incidentIs('open');
  await put(chunk, stored.chunk);
  await put(key, stored.key);
  await call(backups.verify, { ...by(), params: { backupId: backup.id }, body: { depth: 'structure' } });
  await incidentIs('recovered');
});

test('restore: one runs per target project; it can be cancelled and resumed to completion', async () => {
  const documents = Object.fromEntries(Array.from({ length: 24 }, (_, n) => [`a/${n}`, { n: { integerValue: String(n) } }]));
  const { project, backup } = await backedUp(documents);
  await erase(project.sourceProjectId, Object.keys(documents));
  // Nothing is written after the first request, so that the restore runs until it is cancelled.
  const fault = { method: 'BatchWrite', call: 2, status: 'UNAVAILABLE', delayMs: 500, times: 1_000 };
  const mend = await addFault({ project: project.sourceProjectId, ...fault });
  const request = { backupId: backup.id, options: { maxWritesPerSecond: 6 } };
  const { restoreJobId } = await startRestore(organization, request);
  const second = await call(restores.create, { ...by(), body: request });
  deepEqual([second.status, second.body.error.code], [409, 'JOB_IN_PROGRESS']);
  const removal = await call(backups.remove, { ...by(), params: { backupId: backup.id } });
  deepEqual([removal.status, removal.body.error.code], [409, 'JOB_IN_PROGRESS']);
  for (let seen = await readRestore(organization, restoreJobId); seen.phase !== 'Restoring'; ) {
    ok(restorePhases.indexOf(seen.phase) < restorePhases.indexOf('Restoring') && seen.documentsRestored === 0);
    await pause(50);
    seen = await readRestore(organization, restoreJobId);
  }
  while (Object.keys(await contentsOf(project.sourceProjectId)).length === 0) await pause(50);
  const cancelled = await call(restores.cancel, { ...by(), params: { restoreJobId }, body: {} });
  deepEqual(
    { httpStatus: cancelled.status, status: cancelled.body.data.status, cancelling: cancelled.body.data.cancelling },
    { httpStatus: 200, status: 'running', cancelling: true },
  );
  // Once it is cancelled no write happens, and the record has the number of writes.
  const stopped = await endOfRestore(organization, restoreJobId);
  const there = Object.keys(await contentsOf(project.sourceProjectId)).length;
  deepEqual([stopped.status, stopped.cancelling, stopped.error?.code], ['cancelled', false, 'CANCELLED']);
  ok(there > 0 && there < 24, `${there} documents`);
  equal(stopped.documentsRestored, there);
  const isLocked = async () => (await itemsOf(`ORG#${organization.id}`)).some(({ sk }) => sk === `JOB#${project.id}`);
  while (await isLocked()) await pause(100);
  equal(Object.keys(await contentsOf(project.sourceProjectId)).length, there);
  await mend();
  const resumed = await call(restores.resume, { ...by(), params: { restoreJobId }, body: {} });
  deepEqual([resumed.status, resumed.body.data.attempts], [202, 2]);
  const ended = await endOfRestore(organization, restoreJobId);
  deepEqual(
    { status: ended.status, documentsRestored: ended.documentsRestored, documentsFailed: ended.documentsFailed },
    { status: 'completed', documentsRestored: 24, documentsFailed: 0 },
  );
  deepEqual(await contentsOf(project.sourceProjectId), documents);
});
