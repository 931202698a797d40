import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type Firestore, startFirestore } from '../../../../../../infra/local/engines/firestore/index.ts';
import { clientOf, failure, ownerOf } from '../../../../../harness/firestore/firestore-client.ts';

type Json = { [key: string]: Json } & Json[] & string;

describe('REST on documents', () => {
  let server: Firestore;
  beforeAll(async () => {
    server = await startFirestore();
  });
  afterAll(() => server.stop());

  const root = 'projects/web/databases/(default)/documents';
  const call = async (method: string, path: string, body?: unknown) => {
    const answer = await fetch(
      `${server.url}/v1/${root}${path}`,
      body === undefined ? { method } : { method, body: JSON.stringify(body) },
    );
    return { status: answer.status, body: (await answer.json()) as Json };
  };
  const fields = {
    s: { stringValue: 'é' },
    i: { integerValue: '9007199254740993' },
    d: { doubleValue: 1.5 },
    nan: { doubleValue: 'NaN' },
    n: { nullValue: null },
    b: { booleanValue: false },
    t: { timestampValue: '2024-02-29T23:59:59.123456Z' },
    y: { bytesValue: 'AP8=' },
    r: { referenceValue: `${root}/a/b` },
    g: { geoPointValue: { latitude: 1, longitude: -2.5 } },
    a: { arrayValue: { values: [{ integerValue: '1' }, { mapValue: {} }, { arrayValue: {} }] } },
    m: { mapValue: { fields: { x: { stringValue: '' }, toString: { integerValue: '1' } } } },
  };
  // Arrays inside arrays are not allowed in documents.
  fields.a.arrayValue.values.pop();

  it('creates, reads, updates and deletes a document, all types as proto3 JSON', async () => {
    const made = await call('POST', '/c?documentId=x', { fields });
    assert.equal(made.status, 200);
    assert.equal(made.body.name, `${root}/c/x`);
    const read = await call('GET', '/c/x');
    assert.deepEqual(read.body.fields, JSON.parse(JSON.stringify(fields)));
    assert.match(read.body.createTime as string, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
    const masked = await call('GET', '/c/x?mask.fieldPaths=s&mask.fieldPaths=m.x');
    assert.deepEqual(masked.body.fields, { s: { stringValue: 'é' }, m: { mapValue: { fields: { x: { stringValue: '' } } } } });
    const patched = await call('PATCH', '/c/x?updateMask.fieldPaths=s&currentDocument.exists=true', {
      fields: { s: { stringValue: 'new' } },
    });
    assert.equal(patched.body.fields?.s?.stringValue, 'new');
    assert.equal(Object.keys(patched.body.fields!).length, 12);
    assert.deepEqual((await call('DELETE', '/c/x')).body, {});
    const gone = await call('GET', '/c/x');
    assert.equal(gone.status, 404);
    assert.deepEqual(gone.body, {
      error: { code: 404, message: `Document "${root}/c/x" not found.`, status: 'NOT_FOUND' },
    } as unknown);
  });

  it('distinguishes -0 from 0 in both directions', async () => {
    await call('PATCH', '/c/zero', { fields: { text: { doubleValue: '-0' }, plus: { doubleValue: 0 } } });
    const answer = await fetch(`${server.url}/v1/${root}/c/zero`);
    const text = await answer.text();
    assert.match(text, /"doubleValue": -0\b/);
    const { fields: read } = JSON.parse(text) as Json;
    assert.ok(Object.is(read?.text?.doubleValue, -0) && Object.is(read?.plus?.doubleValue, 0));
    await call('DELETE', '/c/zero');
  });

  it('lists with pages, commits, queries, batch gets and begins transactions', async () => {
    const writes = Array.from({ length: 25 }, (_, i) => ({
      update: { name: `${root}/list/d${String(i).padStart(2, '0')}`, fields: { i: { integerValue: String(i) } } },
    }));
    const commit = await call('POST', ':commit', { writes });
    assert.equal(commit.body.writeResults?.length, 25);
    const first = await call('GET', '/list?pageSize=20');
    assert.equal(first.body.documents?.length, 20);
    const second = await call('GET', `/list?pageSize=20&pageToken=${first.body.nextPageToken}`);
    assert.equal(second.body.documents?.length, 5);
    const query = {
      structuredQuery: {
        from: [{ collectionId: 'list' }],
        where: { fieldFilter: { field: { fieldPath: 'i' }, op: 'LESS_THAN', value: { integerValue: 3 } } },
      },
    };
    const found = await call('POST', ':runQuery', query);
    assert.deepEqual(
      found.body.map(({ document }) => document?.name),
      [0, 1, 2].map((i) => `${root}/list/d0${i}`),
    );
    const batch = await call('POST', ':batchGet', { documents: [`${root}/list/d00`, `${root}/list/none`] });
    assert.equal(batch.body[0]?.found?.name, `${root}/list/d00`);
    assert.equal(batch.body[1]?.missing, `${root}/list/none`);
    const begun = await call('POST', ':beginTransaction', {});
    assert.ok(begun.body.transaction);
    assert.equal((await call('POST', ':rollback', { transaction: begun.body.transaction })).status, 200);
    assert.deepEqual((await call('POST', ':listCollectionIds', {})).body.collectionIds, ['list']);
    const counted = await call('POST', ':runAggregationQuery', {
      structuredAggregationQuery: { ...query, aggregations: [{ alias: 'n', count: {} }] },
    });
    assert.equal(counted.body[0]?.result?.aggregateFields?.n?.integerValue, '3');
  });

  it('rejects unknown fields, wrong types, broken JSON and unknown paths', async () => {
    const unknown = await call('POST', '/c', { fields: {}, colour: 1 });
    assert.equal(unknown.status, 400);
    assert.equal(
      unknown.body.error?.message,
      `Invalid JSON payload received. Unknown name "colour" at 'document': Cannot find field.`,
    );
    assert.equal((await call('POST', '/c', { fields: { a: { integerValue: 'x' } } })).status, 400);
    assert.equal((await call('POST', '/c', { fields: { a: { integerValue: '9223372036854775808' } } })).status, 400);
    assert.equal((await call('POST', '/c', { fields: { a: { timestampValue: 'noon' } } })).status, 400);
    assert.equal((await call('POST', '/c', { fields: { a: { integerValue: 1, stringValue: '' } } })).status, 400);
    const broken = await fetch(`${server.url}/v1/${root}/c`, { method: 'POST', body: '{"fields":' });
    assert.equal(broken.status, 400);
    assert.equal((await call('PUT', '/c/x', {})).status, 404);
    assert.equal((await fetch(`${server.url}/v2/nothing`)).status, 404);
  });

  it('answers a pipeline with the error that gRPC gives', async () => {
    const db = clientOf(server, 'web');
    const { details } = await failure(db.pipeline().collection('c').limit(1).execute());
    await db.terminate();
    const pipeline = { stages: [{ name: 'collection', args: [{ referenceValue: '/c' }] }] };
    const { status, body } = await call('POST', ':executePipeline', { structuredPipeline: { pipeline } });
    assert.equal(status, 400);
    assert.equal(body[0]?.error?.status, 'FAILED_PRECONDITION');
    assert.match(body[0]?.error?.message ?? '', /^Pipeline Operations are only available/);
    assert.ok(details.includes(body[0]?.error?.message ?? '-'), details);
  });

  const field = (op: string, value: unknown, fieldPath = 'a') => ({ fieldFilter: { field: { fieldPath }, op, value } });
  const all = (...filters: unknown[]) => ({ compositeFilter: { op: 'AND', filters } });
  const list = (...values: unknown[]) => ({ arrayValue: { values } });
  const one = { integerValue: '1' };
  const write = (value: unknown) => ({ writes: [{ update: { name: `${root}/c/x`, fields: { a: value } } }] });
  const elsewhere = 'projects/web/databases/other';
  const exclusions = "Only a single 'NOT_EQUAL', 'NOT_IN', 'IS_NOT_NAN', or 'IS_NOT_NULL' filter allowed per query.";
  const timestamp = 'type.googleapis.com/google.protobuf.Timestamp';
  const operator = 'type.googleapis.com/google.firestore.v1.StructuredQuery.FieldFilter.Operator';
  const refusals: readonly (readonly [where: unknown, message: string])[] = [
    [field('OPERATOR_UNSPECIFIED', one), 'Unknown FieldFilter operator.'],
    [field('WHAT', one), `Invalid value at 'structured_query.where.field_filter.op' (${operator}), "WHAT"`],
    [{ compositeFilter: { filters: [field('EQUAL', one)] } }, 'Unsupported CompositeFilter operator.'],
    [field('EQUAL', one, ''), 'Invalid empty property path string.'],
    [all(field('NOT_IN', list(one)), field('NOT_IN', list(one))), exclusions],
    [all(field('NOT_EQUAL', one), field('NOT_IN', list(one))), exclusions],
    [
      all(field('NOT_IN', list(one)), field('IN', list(one))),
      "'NOT_IN' cannot be used in the same query with 'IN', 'ARRAY_CONTAINS_ANY' or 'OR'.",
    ],
    [
      field('EQUAL', { referenceValue: `${elsewhere}/documents/c/x` }, '__name__'),
      `The request was for database 'projects/web/databases/(default)' but was attempting to access database '${elsewhere}'`,
    ],
    [
      field('EQUAL', { timestampValue: '0000-01-01T00:00:00Z' }),
      `Invalid value at 'structured_query.where.field_filter.value.timestamp_value' (${timestamp}), Field 'timestampValue', Timestamp value exceeds limits`,
    ],
  ];
  for (const [where, message] of refusals)
    it(`rejects a query with production's recorded message, in a list: ${message}`, async () => {
      const { status, body } = await call('POST', ':runQuery', { structuredQuery: { from: [{ collectionId: 'c' }], where } });
      assert.equal(status, 400);
      assert.deepEqual(body, [{ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }] as unknown);
    });

  const refused: readonly (readonly [method: string, path: string, body: unknown, message: string])[] = [
    [
      'POST',
      ':commit',
      write({ bytesValue: '!!!' }),
      `Invalid value at 'writes[0].update.fields[0].value.bytes_value' (TYPE_BYTES), Base64 decoding failed for "!!!"`,
    ],
    [
      'POST',
      ':commit',
      { writes: [{ delete: `${root}/c/x`, verify: `${root}/c/x` }] },
      "Invalid value at 'writes[0]' (oneof), oneof field 'operation' is already set. Cannot set 'verify'",
    ],
    ['DELETE', '/c', undefined, `Document name "${root}/c" lacks "/" at index ${root.length + 2}.`],
    [
      'POST',
      ':beginTransaction',
      { options: { readOnly: { readTime: '2020-01-01T00:00:00Z' } } },
      "The requested 'read_time' cannot be before database creation time.",
    ],
  ];
  for (const [method, path, sent, message] of refused)
    it(`rejects with production's recorded message: ${message}`, async () => {
      const { status, body } = await call(method, path, sent);
      assert.deepEqual([status, body.error?.message], [400, message]);
    });

  it('truncates timestamps in documents to microseconds', async () => {
    const t = { timestampValue: '2024-02-29T12:34:56.123456789Z' };
    const last = { timestampValue: '9999-12-31T23:59:59.999999Z' };
    const limit = { timestampValue: '9999-12-31T23:59:59.999999999Z' };
    assert.equal((await call('POST', '/times?documentId=x', { fields: { t, last, limit } })).status, 200);
    assert.deepEqual((await call('GET', '/times/x')).body.fields, {
      t: { timestampValue: '2024-02-29T12:34:56.123456Z' },
      last,
      limit: last,
    } as unknown);
  });

  it('accepts known verbs only and treats no verb as a collection', async () => {
    assert.equal((await call('POST', ':doSomething', {})).status, 404);
  });

  it('accepts ids with colons, spaces, percent signs and slashes in other alphabets', async () => {
    for (const id of ['a:commit', 'a b', '100%', 'ä/ö'.replace('/', '∕'), 'x:y:z']) {
      const made = await call('PATCH', `/ids/${encodeURIComponent(id)}`, { fields: {} });
      assert.equal(made.body.name, `${root}/ids/${id}`, id);
    }
  });

  it('clears a database through the emulator’s endpoint', async () => {
    await call('PATCH', '/clear/x', {});
    const path = `/emulator/v1/projects/web/databases/(default)/documents`;
    assert.equal((await fetch(`${server.url}${path}`, { method: 'DELETE' })).status, 200);
    assert.equal((await call('GET', '/clear/x')).status, 404);
  });

  it('sends a response much larger than the socket buffer, without leaking listeners', async (t) => {
    const warnings: Error[] = [];
    const warned = (warning: Error): void => void warnings.push(warning);
    process.on('warning', warned);
    t.onTestFinished(() => void process.off('warning', warned));
    const text = { stringValue: 'x'.repeat(250_000) };
    const names = Array.from({ length: 24 }, (_, n) => `/long/${n}`);
    for (const name of names) await call('PATCH', name, { fields: { text } });
    const { body } = await call('POST', ':batchGet', { documents: names.map((name) => `${root}${name}`) });
    assert.equal(body.length, 24);
    assert.deepEqual(warnings, []);
  });

  it('serves the official client when it prefers REST', async () => {
    const db = clientOf(server, 'prefers-rest', { preferRest: true, authClient: ownerOf() });
    const reference = db.doc('rest/x');
    await reference.set({ a: 1, b: [1.5, { c: null }], at: new Date(5) });
    assert.deepEqual((await reference.get()).get('b'), [1.5, { c: null }]);
    assert.equal((await failure(reference.create({}))).code, 6);
    assert.equal((await db.collection('rest').where('a', '==', 1).get()).size, 1);
    await db.runTransaction(async (transaction) => {
      const read = await transaction.get(reference);
      transaction.update(reference, { a: read.get('a') + 1 });
    });
    assert.equal((await reference.get()).get('a'), 2);
    assert.deepEqual(
      (await db.listCollections()).map(({ id }) => id),
      ['rest'],
    );
    await db.terminate();
  });
});
