import assert from 'node:assert/strict';
import { afterAll, beforeAll, test } from 'vitest';
import { type Firestore, startFirestore } from '../../../../../../infra/local/engines/firestore/index.ts';

let server: Firestore;
beforeAll(async () => {
  server = await startFirestore();
});
afterAll(() => server.stop());

const root = 'projects/limits/databases/(default)/documents';
type Json = { [key: string]: Json } & Json[] & string;
const post = async (verb: string, body: object): Promise<{ status: number; body: Json }> => {
  const answer = await fetch(`${server.url}/v1/${root}:${verb}`, { method: 'POST', body: JSON.stringify(body) });
  return { status: answer.status, body: (await answer.json()) as Json };
};
const messageOf = ({ body }: { body: Json }): string => String(body[0]?.error?.message ?? body.error?.message);

const put = (path: string, fields: object) => ({ update: { name: `${root}/${path}`, fields } });

test('explain: with analyze the last document carries the metrics', async () => {
  await post('commit', { writes: [1, 2, 3].map((n) => put(`explained/${n}`, { n: { integerValue: n } })) });
  const structuredQuery = { from: [{ collectionId: 'explained' }] };
  const { body } = await post('runQuery', { structuredQuery, explainOptions: { analyze: true } });
  assert.deepEqual(
    body.map(({ document, explainMetrics }) => ({
      document: document?.name?.split('/').at(-1),
      results: explainMetrics?.executionStats?.resultsReturned,
    })),
    [
      { document: '1', results: undefined },
      { document: '2', results: undefined },
      { document: '3', results: '3' },
    ],
  );
});

test('explain: a query without results has one response with the metrics', async () => {
  const structuredQuery = { from: [{ collectionId: 'none' }], offset: 0 };
  const { body } = await post('runQuery', { structuredQuery, explainOptions: { analyze: true } });
  assert.equal(body.length, 1);
  assert.ok(body[0]?.readTime);
  assert.equal(body[0]?.explainMetrics?.executionStats?.readOperations, '1');
});

test('explain: the metrics of a query that skips all documents follow the skipped results', async () => {
  const structuredQuery = { from: [{ collectionId: 'explained' }], offset: 5 };
  const { body } = await post('runQuery', { structuredQuery, explainOptions: { analyze: true } });
  assert.equal(body.at(0)?.skippedResults, 3 as unknown);
  assert.ok(body.at(-1)?.explainMetrics?.executionStats);
});

const unequal = (count: number) => ({
  from: [{ collectionId: 'c' }],
  where: {
    compositeFilter: {
      op: 'AND',
      filters: Array.from({ length: count }, (_, n) => ({
        fieldFilter: { field: { fieldPath: `f${n}` }, op: 'GREATER_THAN', value: { integerValue: '0' } },
      })),
    },
  },
});

test('limits: a query has inequality filters on at most 10 fields', async () => {
  assert.equal((await post('runQuery', { structuredQuery: unequal(10) })).status, 200);
  const refused = await post('runQuery', { structuredQuery: unequal(11) });
  assert.equal(refused.status, 400);
  assert.equal(messageOf(refused), 'Too many fields with inequality filters. The maximum number of fields is 10, got 11.');
});

test('limits: a read time has microsecond precision', async () => {
  const { body } = await post('runQuery', { structuredQuery: { from: [{ collectionId: 'c' }] } });
  const now = String(body[0]?.readTime).replace(/(\.\d+)?Z$/, '');
  const structuredQuery = { from: [{ collectionId: 'c' }] };
  assert.equal((await post('runQuery', { structuredQuery, readTime: `${now}.000000Z` })).status, 200);
  const message = "The requested 'read_time' must have microsecond precision.";
  for (const refused of [
    await post('runQuery', { structuredQuery, readTime: `${now}.000000001Z` }),
    await post('batchGet', { documents: [`${root}/c/x`], readTime: `${now}.000000500Z` }),
    await post('beginTransaction', { options: { readOnly: { readTime: `${now}.000000999Z` } } }),
  ]) {
    assert.equal(refused.status, 400);
    assert.equal(messageOf(refused), message);
  }
});

const pathOf = (levels: number): string => Array.from({ length: levels }, (_, n) => `c${n}/d`).join('/');

test('limits: a document is in at most 100 nested collections', async () => {
  assert.equal((await post('commit', { writes: [put(pathOf(100), {})] })).status, 200);
  const refused = await post('commit', { writes: [put(pathOf(101), {})] });
  assert.equal(refused.status, 400);
  assert.equal(messageOf(refused), 'The key path has more than 100 elements.');
});

const numbers = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, { integerValue: String(n) }]));
const list = (count: number, value = (n: number) => n) => ({
  arrayValue: { values: Array.from({ length: count }, (_, n) => ({ integerValue: String(value(n)) })) },
});

test('limits: a document has at most 40,000 index entries', async () => {
  // Two of each value, one of each different element of an array.
  for (const [fields, status] of [
    [numbers(20_000), 200],
    [numbers(20_001), 400],
    [{ map: { mapValue: { fields: numbers(20_001) } } }, 400],
    [{ list: list(40_000) }, 200],
    [{ list: list(40_001) }, 400],
    [{ list: list(40_001, (n) => n % 100) }, 200],
    [{ list: list(39_999), one: { booleanValue: true } }, 400],
  ] as const) {
    const answer = await post('commit', { writes: [put('c/large', fields)] });
    assert.equal(answer.status, status, Object.keys(fields).slice(0, 2).join());
    if (status === 400) assert.equal(messageOf(answer), 'too many index entries for entity');
  }
});
