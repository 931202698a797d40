import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { count, getAll, type Item, query, walk } from '../../../../shared/platform/index.ts';
import { Fault, scriptAws } from '../../../harness/aws/scripted-aws.ts';
import { InMemoryTable } from '../../../harness/table/in-memory-table.ts';

const aws = await scriptAws();
afterAll(aws.stop);

const key = (name: string) => ({ pk: name, sk: name });
const tableOf = (names: readonly string[]): InMemoryTable => {
  const table = new InMemoryTable();
  for (const name of names) table.put({ ...key(name), value: name });
  return table;
};
const valuesOf = (items: readonly (Item | undefined)[]) => items.map((item) => item?.value);

test('getAll: items are in the order of their keys, with undefined for a missing item and duplicates for duplicate keys', async () => {
  aws.play(tableOf(['A', 'B']).script);
  deepEqual(valuesOf(await getAll([key('B'), key('X'), key('A'), key('B')])), ['B', undefined, 'A', 'B']);
  equal(aws.calls.length, 1);
});

test('getAll: without keys nothing is sent', async () => {
  aws.play({});
  deepEqual(await getAll([]), []);
  equal(aws.calls.length, 0);
});

test('getAll: more than a hundred keys are several requests', async () => {
  const names = Array.from({ length: 250 }, (_, n) => `K${n}`);
  aws.play(tableOf(names).script);
  deepEqual(valuesOf(await getAll(names.map(key))), names);
  equal(aws.calls.length, 3);
});

test('getAll: unprocessed keys are requested again until they are returned', async () => {
  const table = tableOf(['A', 'B', 'C']);
  // One key per call; the others are unprocessed.
  aws.play({
    BatchGetItem: (input) => {
      const [first, ...rest] = (input.RequestItems as { Table: { Keys: object[] } }).Table.Keys;
      const answer = table.script.BatchGetItem!({ RequestItems: { Table: { Keys: [first] } } }) as object;
      return { ...answer, UnprocessedKeys: rest.length > 0 ? { Table: { Keys: rest } } : {} };
    },
  });
  deepEqual(valuesOf(await getAll([key('A'), key('B'), key('C')])), ['A', 'B', 'C']);
  equal(aws.calls.length, 3);
});

test('getAll: keys that stay unprocessed are SERVICE_UNAVAILABLE, never missing items', async () => {
  aws.play({ BatchGetItem: (input) => ({ Responses: {}, UnprocessedKeys: input.RequestItems as object }) });
  await rejects(getAll([key('A')]), { code: 'SERVICE_UNAVAILABLE' });
});

const rows = ['P#1', 'P#2', 'P#3', 'P#4', 'Q#5'];
const partition = (): InMemoryTable => {
  const table = new InMemoryTable();
  for (const sk of rows) table.put({ pk: 'X', sk, value: sk, inner: { kind: Number(sk.slice(2)) % 2 ? 'odd' : 'even' } });
  return table;
};
const read = async (range: Omit<Parameters<typeof query>[0], 'pk' | 'prefix'>) =>
  valuesOf((await query({ pk: 'X', prefix: 'P#', ...range })).items);

test('query: a range has a prefix, a direction and a start position', async () => {
  aws.play(partition().script);
  deepEqual(await read({}), ['P#1', 'P#2', 'P#3', 'P#4']);
  deepEqual(await read({ newestFirst: true, after: 'P#3' }), ['P#2', 'P#1']);
  deepEqual(await read({ after: 'P#3' }), ['P#4']);
  deepEqual(await read({ from: 'P#2', to: 'P#3' }), ['P#2', 'P#3']);
});

// DynamoDB rejects a start outside the bounds; a client may send a cursor together with other dates.
test('query: a start outside the bounds means the whole range or nothing', async () => {
  aws.play(partition().script);
  deepEqual(await read({ from: 'P#2', to: 'P#3', after: 'P#1' }), ['P#2', 'P#3']);
  deepEqual(await read({ from: 'P#2', to: 'P#3', after: 'P#4' }), []);
  deepEqual(await read({ from: 'P#2', to: 'P#3', after: 'P#4', newestFirst: true }), ['P#3', 'P#2']);
  deepEqual(await read({ from: 'P#2', to: 'P#3', after: 'P#1', newestFirst: true }), []);
  deepEqual(await read({ from: 'P#3', to: 'P#2' }), []);
  for (const { ExclusiveStartKey } of aws.sent('Query')) equal(ExclusiveStartKey, undefined);
});

test('query: `where` compares attributes by path', async () => {
  aws.play(partition().script);
  deepEqual(await read({ where: { 'inner.kind': 'even' } }), ['P#2', 'P#4']);
  deepEqual(await read({ where: { 'inner.kind': 'even', value: 'P#4' } }), ['P#4']);
});

test('walk: it reads all pages', async () => {
  const table = partition();
  table.pageMax = 2;
  aws.play(table.script);
  const seen: unknown[] = [];
  for await (const item of walk({ pk: 'X', prefix: 'P#' })) seen.push(item.value);
  deepEqual(seen, ['P#1', 'P#2', 'P#3', 'P#4']);
  ok(aws.calls.length >= 2);
});

test('getAll, query: reads are strongly consistent', async () => {
  aws.play(partition().script);
  await read({});
  await getAll([key('A')]);
  equal(aws.sent('Query')[0]!.ConsistentRead, true);
  equal((aws.sent('BatchGetItem')[0]!.RequestItems as { Table: { ConsistentRead: boolean } }).Table.ConsistentRead, true);
});

test('count: it returns the new value and sets the TTL', async () => {
  aws.play(new InMemoryTable().script);
  equal(await count(key('R'), 120), 1);
  equal(await count(key('R'), 120), 2);
  deepEqual((aws.sent('UpdateItem')[0]!.ExpressionAttributeValues as Record<string, object>)[':ttl'], { N: '120' });
});

test('getAll: throttling is retried by the SDK', async () => {
  let n = 0;
  const table = tableOf(['A']);
  aws.play({ BatchGetItem: (input) => (n++ === 0 ? new Fault('InternalServerError', 500) : table.script.BatchGetItem!(input)) });
  deepEqual(valuesOf(await getAll([key('A')])), ['A']);
  equal(aws.calls.length, 2);
});
