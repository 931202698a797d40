/** Browsing, comparing and verifying backups in the customer's bucket. */
import { deepEqual, equal, match, ok } from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { beforeAll, describe, test } from 'vitest';
import { encodeKeyFile, parseKeyFile } from '../../../shared/archive/index.ts';
import { auditLogs } from '../../../shared/contract/endpoints/audit-logs.ts';
import { backupContents } from '../../../shared/contract/endpoints/backup-contents.ts';
import { backups } from '../../../shared/contract/endpoints/backups.ts';
import { endOf, newDestination, newProject, seed, startBackup } from '../../harness/stage/backup.ts';
import { bucketClient, objectAt, objectsIn } from '../../harness/stage/bucket.ts';
import { api, call, stageVariable } from '../../harness/stage/client.ts';
import { logs } from '../../harness/stage/function-log.ts';
import { addMember, newOrganization, type TestOrganization } from '../../harness/stage/organization.ts';

const canary = 'canary-5d0f9a31';
const text = (stringValue: string) => ({ text: { stringValue } });
/** Every value type, in the exact JSON form. */
const kinds = `{
  "null": {"nullValue": null}, "yes": {"booleanValue": true}, "max": {"integerValue": "9223372036854775807"},
  "three": {"doubleValue": 3}, "minusZero": {"doubleValue": -0}, "nan": {"doubleValue": "NaN"}, "far": {"doubleValue": "-Infinity"},
  "when": {"timestampValue": "1815-12-10T00:00:00.123456Z"}, "text": {"stringValue": "${canary} \\u0000 \\ud83d\\ude00"},
  "bytes": {"bytesValue": "AP8="}, "point": {"geoPointValue": {"latitude": 51.5, "longitude": -0.1}},
  "list": {"arrayValue": {"values": [{"integerValue": "1"}, {"mapValue": {"fields": {"constructor": {"stringValue": "x"}}}}]}},
  "none": {"arrayValue": {}}, "empty": {"mapValue": {}}, "hasOwnProperty": {"stringValue": "a field"},
  "vector": {"mapValue": {"fields": {"__type__": {"stringValue": "__vector__"}, "value": {"arrayValue": {"values": [{"doubleValue": 1}]}}}}}
}`;

let organization: TestOrganization;
let sourceProjectId: string;
let projectId: string;
let bucket: string;
let backup: Awaited<ReturnType<typeof endOf>>;
const by = () => ({ token: organization.owner.accessToken, org: organization.id });

const firestore = async (method: string, path: string, body?: string): Promise<string> => {
  const root = `http://${stageVariable('STAGE_FIRESTORE')}/v1/projects/${sourceProjectId}/databases/(default)/documents`;
  const headers = { authorization: 'Bearer owner', 'content-type': 'application/json' };
  const answer = await fetch(`${root}/${path}`, { method, headers, ...(body !== undefined && { body }) });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.text();
};

const take = async (destinationId: string) => {
  const { id } = await startBackup(organization, { projectId, storageDestinationId: destinationId });
  const ended = await endOf(organization, id);
  equal(ended.status, 'completed', JSON.stringify(ended.error));
  return ended;
};

beforeAll(async () => {
  organization = await newOrganization();
  const [project, destination] = await Promise.all([newProject(organization), newDestination(organization)]);
  ({ sourceProjectId, id: projectId } = project);
  bucket = destination.bucket;
  await seed(sourceProjectId, {
    ...Object.fromEntries(Array.from({ length: 7 }, (_, n) => [`users/u${n}`, text(`${canary} ${n}`)])),
    'users/u1/orders/o1': text('one'),
    'users/u1/orders/o1/lines/l1': text('deep'),
    'gone/g1/kept/k1': text('kept'),
  });
  await firestore('PATCH', 'kinds/all', `{"fields": ${kinds}}`);
  backup = await take(destination.id);
});

const look = (path: string, more: Record<string, string> = {}) =>
  call(backupContents.documents, { ...by(), params: { backupId: backup.id }, query: { path, ...more } });

describe('browsing a backup', () => {
  test('from the root to one document', async () => {
    const roots = await call(backupContents.documents, { ...by(), params: { backupId: backup.id } });
    deepEqual(
      roots.body.data.map(({ type, path, documents }) => [type, path, documents]),
      [
        ['collection', 'gone', 0],
        ['collection', 'kinds', 1],
        ['collection', 'users', 7],
      ],
    );
    const document = await look('users/u1');
    const [itself, orders] = document.body.data;
    deepEqual(
      { type: itself!.type, path: itself!.path, fields: itself!.fields },
      { type: 'document', path: 'users/u1', fields: text(`${canary} 1`) },
    );
    match(itself!.updateTime!, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    deepEqual(orders, { type: 'collection', path: 'users/u1/orders', id: 'orders', documents: 1 });
    const phantom = await look('gone/g1');
    deepEqual(phantom.body.data, [{ type: 'collection', path: 'gone/g1/kept', id: 'kept', documents: 1 }]);
    deepEqual((await look('gone', { showMissing: 'true' })).body.data, [
      { type: 'document', path: 'gone/g1', id: 'g1', missing: true },
    ]);
  });

  test('returns every value type exactly as the source returns it', async () => {
    const [{ fields, name, createTime, updateTime }] = JSON.parse(`[${await firestore('GET', 'kinds/all')}]`);
    const answer = await look('kinds/all');
    equal(answer.status, 200);
    const [entry] = answer.body.data;
    deepEqual(
      { name: entry!.name, createTime: entry!.createTime, updateTime: entry!.updateTime },
      { name, createTime, updateTime },
    );
    equal(sorted(entry!.fields), sorted(fields));
    for (const exact of ['"minusZero":{"doubleValue":-0}', '"hasOwnProperty":{"stringValue":"a field"}', '"9223372036854775807"'])
      ok(answer.text.includes(exact), exact);
  });

  test('lists a collection page by page in name order', async () => {
    const paths: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof look>> = await look('users', { limit: '3', ...(cursor !== null && { cursor }) });
      equal(page.status, 200, page.text);
      paths.push(...page.body.data.map(({ path }) => path));
      cursor = page.body.pagination.nextCursor;
    } while (cursor !== null);
    deepEqual(
      paths,
      Array.from({ length: 7 }, (_, n) => `users/u${n}`),
    );
  });

  test('refuses missing documents and invalid paths', async () => {
    for (const path of ['nobody', 'users/nobody', 'users/u1/none']) {
      const answer = await look(path);
      deepEqual([answer.status, answer.body.error.code], [404, 'NOT_FOUND'], path);
    }
    for (const path of ['/users', 'users/', 'users//u1', 'users/..', '__x__', '..']) {
      const answer = await look(path);
      deepEqual(
        { status: answer.status, code: answer.body.error.code, field: answer.body.error.details.field },
        { status: 400, code: 'VALIDATION_ERROR', field: 'path' },
        path,
      );
    }
  });
});

/** Canonical text of fields, for comparison. */
const sorted = (json: unknown): string =>
  JSON.stringify(json, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value)
            .map(([name, one]) => [`.${name}`, one])
            .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
        )
      : Object.is(value, -0)
        ? 'minus zero'
        : value,
  );

describe('comparing a backup', () => {
  const compare = (of: string, against: string, more: Record<string, string> = {}) =>
    call(backupContents.diff, { ...by(), params: { backupId: of }, query: { against, ...more } });

  test('with the live database requires the member role, because it bills reads', async () => {
    const { accessToken: token } = await addMember(organization, 'viewer');
    const params = { backupId: backup.id };
    const asked = (against: string) => call(backupContents.diff, { token, org: organization.id, params, query: { against } });
    const { status, body } = await asked('live');
    deepEqual(
      { status, code: body.error.code, details: body.error.details },
      { status: 403, code: 'PERMISSION_DENIED', details: { requiredRole: 'member', currentRole: 'viewer' } },
    );
    equal((await asked(backup.id)).status, 200);
  });

  test('with the live database and with another backup', async () => {
    const same = await compare(backup.id, 'live');
    equal(same.status, 200, same.text);
    deepEqual(same.body.data.counts, { added: 0, changed: 0, removed: 0, unchanged: 11 });
    deepEqual([same.body.data.complete, same.body.data.changes], [true, []]);
    equal(same.body.data.cost!.reads, 12);
    await seed(sourceProjectId, { 'users/u2': text('another'), 'users/u3': text(`${canary} 3`), 'added/a1': text('new') });
    await firestore('DELETE', 'users/u4');
    const changes = [
      { path: 'added/a1', change: 'added' },
      { path: 'users/u2', change: 'changed' },
      { path: 'users/u4', change: 'removed' },
    ];
    const counts = { added: 1, changed: 1, removed: 1, unchanged: 9 };
    const live = await compare(backup.id, 'live');
    deepEqual([live.body.data.counts, live.body.data.changes], [counts, changes]);
    const later = await take(backup.storageDestination.id);
    const between = await compare(later.id, backup.id, { limit: '2' });
    deepEqual(
      { against: between.body.data.against, counts: between.body.data.counts, changes: between.body.data.changes },
      { against: backup.id, counts, changes: changes.slice(0, 2) },
    );
    equal(between.body.pagination.hasMore, true);
    const rest = await compare(later.id, backup.id, { limit: '2', cursor: between.body.pagination.nextCursor! });
    deepEqual([rest.body.data.changes, rest.body.pagination.hasMore], [changes.slice(2), false]);
    const backwards = await compare(backup.id, later.id);
    deepEqual(backwards.body.data.counts, { ...counts, added: 1, removed: 1 });
    equal(backwards.body.data.changes[0]!.change, 'removed');
  });

  test('with something that cannot be compared is refused', async () => {
    for (const [against, status, code] of [
      ['bkp_01ARZ3NDEKTSV4RRFFQ69G5FAV', 404, 'BACKUP_NOT_FOUND'],
      ['yesterday', 400, 'VALIDATION_ERROR'],
      ['', 400, 'VALIDATION_ERROR'],
    ] as const) {
      const answer = await compare(backup.id, against);
      deepEqual([answer.status, answer.body.error.code], [status, code], against);
    }
    equal((await api('GET', `/api/v1/backups/${backup.id}/diff`, by())).status, 400);
  });
});

test('browse: every read is audited without the content that was read', async () => {
  const { body, text: all } = await call(auditLogs.list, { ...by(), query: { limit: '100' } });
  const actions = body.data.map(({ action, details }) => `${action} ${details.path ?? details.against ?? ''}`);
  for (const action of ['backup.browsed users/u1', 'backup.browsed ', 'backup.compared live'])
    ok(actions.includes(action), action);
  ok(!all.includes(canary));
  ok(!logs().includes(canary));
});

describe('verifying a backup', () => {
  const verify = async (depth: string) => {
    const asked = await call(backups.verify, { ...by(), params: { backupId: backup.id }, body: { depth } });
    equal(asked.status, 202, asked.text);
    for (;;) {
      const { body } = await call(backups.get, { ...by(), params: { backupId: backup.id } });
      const { verification, verifiedAt } = body.data;
      if (verification!.status !== 'running') return { ...verification!, verifiedAt };
      await pause(100);
    }
  };
  const put = (name: string, Body: Buffer) =>
    bucketClient().send(new PutObjectCommand({ Bucket: bucket, Key: `${backup.path}/${name}`, Body }));

  test('passes at every depth when nothing was changed', async () => {
    for (const depth of ['structure', 'sample', 'full']) {
      const { status, objects, findings, verifiedAt, checkedAt } = await verify(depth);
      deepEqual({ status, findings, verifiedAt }, { status: 'passed', findings: [], verifiedAt: checkedAt });
      equal(objects, Object.keys(await objectsIn(bucket, `${backup.path}/`)).length);
    }
  });

  test('finds and names damage in the bucket, and passes again after the repair', async () => {
    const [chunk] = Object.keys(await objectsIn(bucket, `${backup.path}/chunk/`));
    const name = chunk!.slice(backup.path.length + 1);
    const bytes = await objectAt(bucket, chunk!);
    await put('left-over', Buffer.from('x'));
    await put(name, Buffer.from(bytes.map((byte, n) => (n === bytes.length >> 1 ? byte ^ 1 : byte))));
    const corrupt = await verify('full');
    deepEqual(
      [corrupt.status, corrupt.findings.map(({ object, problem }) => [object, problem])],
      [
        'failed',
        [
          [name, 'corrupt'],
          ['left-over', 'orphan'],
        ],
      ],
    );
    const damaged = await look('users/u1');
    deepEqual(
      { status: damaged.status, code: damaged.body.error.code, reason: damaged.body.error.details.reason },
      { status: 422, code: 'STORAGE_ERROR', reason: 'corrupt' },
    );
    await bucketClient().send(new DeleteObjectCommand({ Bucket: bucket, Key: chunk! }));
    const missing = await verify('structure');
    deepEqual(
      { status: missing.status, object: missing.findings[0]!.object, problem: missing.findings[0]!.problem },
      { status: 'failed', object: name, problem: 'missing' },
    );
    await put(name, bytes);
    await bucketClient().send(new DeleteObjectCommand({ Bucket: bucket, Key: `${backup.path}/left-over` }));
    equal((await verify('full')).status, 'passed');
  });

  test('finds a key file that does not open the backup, even if it claims to belong to it', async () => {
    const bytes = await objectAt(bucket, `${backup.path}/key`);
    const { identity } = parseKeyFile(bytes);
    const useless = { kind: 'kms', keyId: 'key', blob: Buffer.from('not a key') } as const;
    for (const garbage of [Buffer.from('garbage'), encodeKeyFile({ identity, wraps: [useless] })]) {
      await put('key', garbage);
      const { status, findings } = await verify('structure');
      deepEqual([status, findings.map(({ object, problem }) => [object, problem])], ['failed', [['key', 'corrupt']]]);
    }
    await bucketClient().send(new DeleteObjectCommand({ Bucket: bucket, Key: `${backup.path}/key` }));
    const { findings } = await verify('structure');
    deepEqual(
      findings.map(({ object, problem }) => [object, problem]),
      [['key', 'missing']],
    );
    await put('key', bytes);
    equal((await verify('structure')).status, 'passed');
  });

  test('refuses an unknown depth', async () => {
    const bad = await call(backups.verify, { ...by(), params: { backupId: backup.id }, body: { depth: 'deep' } });
    deepEqual([bad.status, bad.body.error.details.allowedValues], [400, ['structure', 'sample', 'full']]);
  });
});

test('browse: a deleted backup cannot be read', async () => {
  equal((await call(backups.remove, { ...by(), params: { backupId: backup.id } })).status, 200);
  for (const answer of [
    await look(''),
    await call(backupContents.diff, { ...by(), params: { backupId: backup.id }, query: { against: 'live' } }),
  ])
    deepEqual([answer.status, answer.body.error.code], [404, 'BACKUP_NOT_FOUND']);
});
