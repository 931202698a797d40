/** Exports through the service: every format in the bucket of a destination, judged by readers of that format. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { Decrypter, generateIdentity, identityToRecipient } from 'age-encryption';
import { parquetReadObjects } from 'hyparquet';
import { afterAll, beforeAll, test } from 'vitest';
import { auditLogs } from '../../../shared/contract/endpoints/audit-logs.ts';
import { exports as rows } from '../../../shared/contract/endpoints/exports.ts';
import { erasures } from '../../../shared/contract/endpoints/protection/erasures.ts';
import { storageDestinations } from '../../../shared/contract/endpoints/storage-destinations.ts';
import { webhooks } from '../../../shared/contract/endpoints/webhooks.ts';
import { parseCsv } from '../../harness/builders/parse-csv.ts';
import { endOf, newDestination, newProject, seed, startBackup } from '../../harness/stage/backup.ts';
import { objectsIn, startOutage } from '../../harness/stage/bucket.ts';
import { call } from '../../harness/stage/client.ts';
import { endOfExport, exportAll, filesOf, planExport, startExport } from '../../harness/stage/export.ts';
import { newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';
import { startReceiver } from '../../harness/stage/receiver.ts';
import { getItem } from '../../harness/stage/table.ts';
import { lookUntil } from '../../harness/time/look-until.ts';

let organization: TestOrganization;
let backup: Awaited<ReturnType<typeof endOf>>;
/** The destination of the exports; the backup is in another one. */
let target: Awaited<ReturnType<typeof newDestination>>;
const by = () => ({ token: organization.owner.accessToken, org: organization.id });
const create = (body: object) => call(rows.create, { ...by(), body });

const users = 40;
const receiver = await startReceiver();
afterAll(() => receiver.stop());
beforeAll(async () => {
  organization = await newOrganization();
  const [project, destination, other] = await Promise.all([
    newProject(organization),
    newDestination(organization),
    newDestination(organization, { name: 'Lake', prefix: 'lake' }),
  ]);
  target = other;
  const documents: Record<string, object> = {
    'users/ada/orders/1': { price: { integerValue: '10' }, note: { stringValue: '=HYPERLINK("x")' } },
    'users/ada/orders/2': {
      price: { doubleValue: 9.5 },
      by: { referenceValue: `projects/${project.sourceProjectId}/databases/(default)/documents/users/ada` },
    },
  };
  for (let n = 0; n < users; n++)
    documents[`users/${n === 0 ? 'ada' : `u${n}`}`] = {
      email: { stringValue: `u${n}@shop.test` },
      age: { integerValue: String(n) },
      address: { mapValue: { fields: { city: { stringValue: `City ${n}` } } } },
    };
  await seed(project.sourceProjectId, documents);
  const started = await startBackup(organization, { projectId: project.id, storageDestinationId: destination.id });
  backup = await endOf(organization, started.id);
  equal(backup.status, 'completed');
});

const exported = async (body: object) => {
  const ended = await exportAll(organization, { backupId: backup.id, storageDestinationId: target.id, ...body });
  return { ended, ...(await filesOf(target.bucket, ended)) };
};
const linesOf = (text: Buffer): readonly Record<string, unknown>[] =>
  text
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

test('exports: a dry run says what an export would write, and writes nothing', async () => {
  const plan = await planExport(organization, { backupId: backup.id, storageDestinationId: target.id, format: 'csv' });
  deepEqual([plan.documents, plan.files, plan.cost.reads], [users + 2, 2, 0]);
  ok(plan.bytes > 1_000);
  deepEqual(await objectsIn(target.bucket, 'lake/exports'), {});
  const part = await planExport(organization, { backupId: backup.id, collections: ['users/ada/orders'], format: 'ndjson' });
  deepEqual([part.documents, part.unknownCollections], [2, []]);
});

test('exports: a dry run names collections that the backup lacks, and counts the files as the export does', async () => {
  const body = { backupId: backup.id, storageDestinationId: target.id, format: 'google', collections: ['users', 'nobody'] };
  const plan = await planExport(organization, body);
  deepEqual([plan.documents, plan.unknownCollections, plan.unknownCollectionsCount], [users + 2, ['nobody'], 1]);
  const ended = await exportAll(organization, body);
  deepEqual([ended.documents, ended.files, ended.unknownCollections], [plan.documents, plan.files, ['nobody']]);
});

test('exports: NDJSON, plain and typed, has every document once, with its events and audit entries', async () => {
  const hook = { name: 'Hook', url: receiver.url(), events: ['export.*'] };
  equal((await call(webhooks.create, { ...by(), body: hook })).status, 201);
  const { ended, files, manifest } = await exported({ format: 'ndjson' });
  deepEqual(Object.keys(files), ['part-00001.ndjson']);
  const plain = linesOf(files['part-00001.ndjson'] ?? Buffer.alloc(0));
  equal(plain.length, users + 2);
  equal(new Set(plain.map(({ __path__ }) => __path__)).size, users + 2);
  const order = plain.find(({ __path__ }) => __path__ === 'users/ada/orders/2');
  deepEqual([order?.price, order?.by], [9.5, 'users/ada']);
  deepEqual(
    [ended.documents, ended.files, ended.progress.percent, ended.documentsErased, manifest.documents],
    [users + 2, 1, 100, 0, users + 2],
  );
  ok(ended.path.startsWith('lake/exports/'), ended.path);
  const typed = await exported({ format: 'ndjson-typed', collections: ['users/ada/orders'] });
  const [first] = linesOf(typed.files['part-00001.ndjson'] ?? Buffer.alloc(0));
  match(String(first?.name), /\/documents\/users\/ada\/orders\/1$/);
  deepEqual((first as { fields?: { price?: unknown } } | undefined)?.fields?.price, { integerValue: '10' });
  equal(typed.ended.documents, 2);
  const received = await lookUntil(
    async () =>
      receiver.requests.map(({ body }) => JSON.parse(body.toString()) as { type: string; data: { export: { id: string } } }),
    (events) => events.filter(({ data }) => data.export.id === ended.id).length >= 2,
  );
  deepEqual(
    received
      .filter(({ data }) => data.export.id === ended.id)
      .map(({ type }) => type)
      .sort(),
    ['export.completed', 'export.started'],
  );
  const { data: entries } = (await call(auditLogs.list, { ...by(), query: { resourceId: ended.id } })).body;
  deepEqual(entries.map(({ action }) => action).sort(), ['export.completed', 'export.created', 'export.started']);
  const { data: timeline } = (await call(rows.timeline, { ...by(), params: { exportId: ended.id } })).body;
  deepEqual(
    timeline.entries.map(({ kind, phase }) => phase ?? kind),
    ['created', 'started', 'planning', 'writing', 'finishing', 'ended'],
  );
});

test('exports: csv and parquet have a table for each collection id, with columns from all documents', async () => {
  const csv = await exported({ format: 'csv' });
  deepEqual(Object.keys(csv.files).sort(), ['orders/part-00001.csv', 'users/part-00001.csv']);
  const [header = [], ...lines] = parseCsv(String(csv.files['orders/part-00001.csv']));
  deepEqual(header.slice(4).sort(), ['by', 'note', 'price']);
  const note = lines.map((cells) => cells[header.indexOf('note')]);
  deepEqual(note, ['\'=HYPERLINK("x")', '']);
  const given = await exported({ format: 'csv', columns: ['__id__', 'address.city'], exactText: true, collections: ['users'] });
  deepEqual(parseCsv(String(given.files['users/part-00001.csv'])).slice(0, 2), [
    ['__id__', 'address.city'],
    ['ada', 'City 0'],
  ]);
  const { files } = await exported({ format: 'parquet' });
  deepEqual(Object.keys(files).sort(), ['orders/part-00001.parquet', 'users/part-00001.parquet']);
  const file = Uint8Array.from(files['users/part-00001.parquet'] ?? []).buffer;
  const read = (await parquetReadObjects({ file })) as { age: bigint; address: { city: string } }[];
  deepEqual(
    read.map(({ age }) => Number(age)).sort((a, b) => a - b),
    Array.from({ length: users }, (_, n) => n),
  );
  ok(read.every(({ age, address }) => address.city === `City ${age}`));
});

test("exports: google's format has output files, and metadata that points to them", async () => {
  const { files, manifest } = await exported({ format: 'google' });
  const kinds = ['orders', 'users'].flatMap((id) => [
    `firestore_export/all_namespaces/kind_${id}/all_namespaces_kind_${id}.export_metadata`,
    `firestore_export/all_namespaces/kind_${id}/output-0`,
  ]);
  deepEqual(
    Object.keys(files).sort(),
    ['firebase-export-metadata.json', ...kinds, 'firestore_export/firestore_export.overall_export_metadata'].sort(),
  );
  equal(manifest.files.find(({ name }) => name.endsWith('kind_users/output-0'))?.documents, users);
  ok(String(files['firestore_export/all_namespaces/kind_users/output-0']).includes('u39@shop.test'));
});

test('exports: rules mask every document, and a rule that finds nothing fails the export and deletes its files', async () => {
  const rules = [{ collection: 'users', field: 'email', transform: 'hash' }];
  const { ended, files } = await exported({ format: 'ndjson', transform: rules });
  const text = String(files['part-00001.ndjson']);
  ok(!text.includes('@shop.test') && text.includes('City 3'));
  deepEqual([ended.transform?.documentsTransformed, ended.transform?.rules], [users, 1]);
  // The key is destroyed once everything is written.
  equal(await getItem({ pk: `ORG#${organization.id}`, sk: `MASK#${ended.id}` }), undefined);
  const wrong = [{ collection: 'users', field: 'emial', transform: 'hash' }];
  const started = await startExport(organization, {
    backupId: backup.id,
    storageDestinationId: target.id,
    format: 'csv',
    transform: wrong,
  });
  const failed = await endOfExport(organization, started.id);
  deepEqual([failed.status, failed.error?.code, failed.manifest], ['failed', 'TRANSFORM_INVALID', null]);
  match(failed.error?.message ?? '', /emial/);
  await lookUntil(
    () => objectsIn(target.bucket, failed.path),
    (objects) => Object.keys(objects).length === 0,
  );
});

test('exports: files are encrypted for the owner of a public key, also those that are downloaded', async () => {
  const identity = await generateIdentity();
  const recipient = await identityToRecipient(identity);
  const { ended, files } = await exported({ format: 'ndjson', recipients: [recipient, recipient] });
  deepEqual([ended.status, ended.recipients, ended.documents], ['completed', [recipient], users + 2]);
  const [[name, stored] = ['', Buffer.of()]] = Object.entries(files);
  equal(name, 'part-00001.ndjson.age');
  const decrypter = new Decrypter();
  decrypter.addIdentity(identity);
  const lines = linesOf(Buffer.from(await decrypter.decrypt(stored)));
  equal(lines.length, users + 2);
  ok(!stored.includes('shop.test'));
  const { data: entries } = (await call(auditLogs.list, { ...by(), query: { resourceId: ended.id, action: 'export.created' } }))
    .body;
  deepEqual(
    entries.map(({ details }) => details?.recipients),
    [[recipient]],
  );
  const content = await call(rows.content, { ...by(), params: { exportId: ended.id }, query: { file: name } });
  deepEqual(Buffer.from(content.body.data.content, 'base64'), stored);
  const mistyped = `${recipient.slice(0, 30)}${recipient[30] === 'q' ? 'p' : 'q'}${recipient.slice(31)}`;
  for (const [recipients, field] of [
    [[recipient, mistyped], 'recipients.1'],
    [[identity], 'recipients.0'],
    [[], 'recipients'],
  ] as const) {
    const refused = await create({ backupId: backup.id, format: 'ndjson', recipients });
    deepEqual([refused.status, refused.body.error.code], [400, 'VALIDATION_ERROR']);
    ok(refused.text.includes(`"${field}"`), refused.text);
    ok(!refused.text.includes(identity));
  }
});

test('exports: an outage of the bucket is waited for, and cancelling ends the export without files', async () => {
  const endOutage = await startOutage(target.bucket);
  const body = { backupId: backup.id, storageDestinationId: target.id, format: 'ndjson' };
  const [waiting, cancelled] = await Promise.all([startExport(organization, body), startExport(organization, body)]);
  const shown = await lookUntil(
    async () => (await call(rows.get, { ...by(), params: { exportId: waiting.id } })).body.data,
    ({ waitingFor }) => waitingFor !== null,
  );
  equal(shown.waitingFor?.reason, 'storage');
  const answer = await call(rows.cancel, { ...by(), params: { exportId: cancelled.id }, body: {} });
  deepEqual([answer.status, answer.body.data.cancelling], [200, true]);
  await endOutage();
  const ended = await endOfExport(organization, cancelled.id);
  deepEqual([ended.status, ended.error?.code, ended.manifest], ['cancelled', 'CANCELLED', null]);
  await lookUntil(
    () => objectsIn(target.bucket, ended.path),
    (objects) => Object.keys(objects).length === 0,
  );
  const completed = await endOfExport(organization, waiting.id);
  deepEqual([completed.status, completed.documents, completed.waitingFor], ['completed', users + 2, null]);
  equal((await call(rows.cancel, { ...by(), params: { exportId: completed.id }, body: {} })).body.error?.code, 'CONFLICT');
  const { data: entries } = (await call(auditLogs.list, { ...by(), query: { resourceId: ended.id } })).body;
  ok(entries.some(({ action }) => action === 'export.cancelled'));
});

test('exports: one whose bucket refused is resumed once it accepts files', async () => {
  const lake = await newDestination(organization, { name: 'Refusing' });
  const allow = await startOutage(lake.bucket, 'denied');
  const body = { backupId: backup.id, storageDestinationId: lake.id, format: 'ndjson' };
  const failed = await endOfExport(organization, (await startExport(organization, body)).id);
  deepEqual([failed.status, failed.error?.code], ['failed', 'STORAGE_UPLOAD_ERROR']);
  ok(failed.resumableUntil !== null);
  const remove = () => call(storageDestinations.remove, { ...by(), params: { storageId: lake.id } });
  const refused = await remove();
  deepEqual([refused.status, refused.body.error?.details], [409, { exportId: failed.id }]);
  await allow();
  const answer = await call(rows.resume, { ...by(), params: { exportId: failed.id }, body: {} });
  deepEqual([answer.status, answer.body.data.resumableUntil], [202, null]);
  const ended = await endOfExport(organization, failed.id);
  deepEqual([ended.status, ended.documents, ended.error], ['completed', users + 2, null]);
  equal(linesOf((await filesOf(lake.bucket, ended)).files['part-00001.ndjson'] ?? Buffer.of()).length, users + 2);
  const again = await call(rows.resume, { ...by(), params: { exportId: failed.id }, body: {} });
  deepEqual([again.status, again.body.error.code], [409, 'CONFLICT']);
  const { data: entries } = (await call(auditLogs.list, { ...by(), query: { resourceId: ended.id } })).body;
  ok(entries.some(({ action }) => action === 'export.resumed'));
  equal((await remove()).status, 200);
});

test('exports: one that is only to be downloaded is beside the backup, for a day', async () => {
  const ended = await exportAll(organization, { backupId: backup.id, format: 'ndjson', download: true });
  deepEqual(
    [ended.status, ended.download, ended.retention, ended.storageDestination.id],
    ['completed', true, 1, backup.storageDestination.id],
  );
  equal(ended.readTime, backup.readTime);
  equal(Date.parse(ended.expiresAt ?? '') - Date.parse(ended.completedAt ?? ''), 24 * 3_600_000);
  const listed = await call(rows.files, { ...by(), params: { exportId: ended.id }, query: {} });
  const [file] = listed.body.data;
  const read = await call(rows.content, { ...by(), params: { exportId: ended.id }, query: { file: file?.name ?? '' } });
  equal(Buffer.from(read.body.data.content, 'base64').toString().trim().split('\n').length, users + 2);
});

test('exports: what was erased is in no file', async () => {
  const body = { paths: ['users/u7'], reason: 'Request of a customer' };
  const erased = await call(erasures.create, { ...by(), params: { projectId: backup.projectId }, body });
  equal(erased.status, 201, erased.text);
  const { ended, files } = await exported({ format: 'ndjson' });
  deepEqual([ended.documents, ended.documentsErased], [users + 1, 1]);
  ok(!String(files['part-00001.ndjson']).includes('u7@shop.test'));
});

test('exports: bad requests are refused with a clear error, and nothing starts', async () => {
  const count = async (): Promise<number> => (await call(rows.list, { ...by(), query: {} })).body.data.length;
  const before = await count();
  const cases = [
    [{ format: 'xml', backupId: backup.id }, 400, /format/],
    [{ format: 'csv' }, 400, /backupId/],
    [{ format: 'csv', backupId: backup.id, pointInTime: '2026-01-01T00:00:00Z' }, 400, /pointInTime/],
    [{ format: 'ndjson', backupId: backup.id, columns: ['a'] }, 400, /columns/],
    [{ format: 'parquet', backupId: backup.id, exactText: true }, 400, /exactText/],
    [{ format: 'csv', backupId: backup.id, columns: ['a..b'] }, 400, /columns\.0/],
    [{ format: 'csv', backupId: backup.id, collections: ['nowhere'] }, 404, /nowhere/],
    [{ format: 'csv', backupId: backup.id, storageDestinationId: 'dst_01JZ8Q4V0M6T3X9C2B7N5K1HRD' }, 404, /STORAGE_NOT_FOUND/],
    [{ format: 'csv', backupId: backup.id, storageDestinationId: target.id, download: true }, 400, /download/],
    [{ format: 'csv', backupId: 'bkp_01JZ8Q4V0M6T3X9C2B7N5K1HRD' }, 404, /BACKUP_NOT_FOUND/],
    [
      { format: 'csv', backupId: backup.id, transform: [{ collection: 'users', field: '[', transform: 'hash' }] },
      400,
      /transform\.rules\.0/,
    ],
  ] as const;
  for (const [body, status, message] of cases) {
    const answer = await create(body);
    equal(answer.status, status, answer.text);
    match(answer.text, message);
    ok(!answer.text.includes('options.transform'));
  }
  equal(await count(), before);
});
