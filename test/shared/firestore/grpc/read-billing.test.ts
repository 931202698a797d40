import { deepEqual, equal } from 'node:assert/strict';
import { afterAll, beforeAll, test } from 'vitest';
import { type Firestore, startFirestore } from '../../../../infra/local/engines/firestore/index.ts';
import {
  countRange,
  FirestoreDatabase,
  getDocuments,
  getWithin,
  readBilling,
  readRange,
} from '../../../../shared/firestore/index.ts';

let server: Firestore;
beforeAll(async () => {
  server = await startFirestore();
});
afterAll(() => server.stop());

const name = { projectId: 'billed', databaseId: '(default)' };
const write = (id: string, bytes: number) =>
  fetch(`${server.url}/v1/projects/billed/databases/(default)/documents/users?documentId=${id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ fields: { text: { stringValue: 'x'.repeat(bytes) } } }),
  });

test('the examples of the published price lists', () => {
  const { standard, enterprise } = readBilling;
  deepEqual([standard.query(100, 102_400), enterprise.query(100, 102_400)], [100, 25]);
  deepEqual([standard.document(1 << 20), enterprise.document(1 << 20)], [1, 256]);
  deepEqual([standard.count(1_000), enterprise.count(1_000)], [1, 8]);
  deepEqual([standard.query(0, 0), enterprise.query(0, 0), standard.document(0), enterprise.document(0)], [1, 1, 1, 1]);
});

for (const edition of ['standard', 'enterprise'] as const)
  test(`${edition}: scans, look-ups and counts cost what the source meters`, async () => {
    for (const [id, bytes] of [
      ['a', 10],
      ['b', 5_000],
      ['c', 9_000],
    ] as const)
      await write(id, bytes);
    const { meter } = server.databases.open(name);
    meter.reset();
    const source = new FirestoreDatabase({
      ...{ endpoint: server.url, ...name, edition, random: () => 0.5 },
      token: async () => 'owner',
    });
    const signal = AbortSignal.timeout(20_000);
    const readTime = new Date().toISOString();
    const reader = readRange(source, { range: {}, readTime, signal });
    for await (const _ of reader);
    const got = await getWithin(source, ['users/b', 'users/none'], { signal, maxBytes: 1e6 });
    const counted = await countRange(source, { range: {}, readTime, signal });
    const billed = edition === 'standard' ? meter.reads : meter.readUnits;
    deepEqual([reader.reads, got.reads, counted.reads], [billed.queries, billed.lookups, billed.counts]);
    equal((await getDocuments(source, ['users/a'], { signal })).size, 1);
    source.close();
  });
