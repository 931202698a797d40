import assert from 'node:assert/strict';
import { AggregateField, FieldValue, Firestore } from '@google-cloud/firestore';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type Firestore as Server, startFirestore } from '../../../../../../infra/local/engines/firestore/index.ts';

let server: Server;
let db: Firestore;

beforeAll(async () => {
  server = await startFirestore();
  process.env.FIRESTORE_EMULATOR_HOST = server.address;
  db = new Firestore({ projectId: 'nearest' });
});
afterAll(async () => {
  await db.terminate();
  await server.stop();
});

const vector = FieldValue.vector;

describe('the nearest vectors', () => {
  beforeAll(async () => {
    const items = db.collection('items');
    await Promise.all([
      items.doc('same').set({ v: vector([1, 2, 3]), color: 'red' }),
      items.doc('near').set({ v: vector([2, 2, 3]), color: 'red' }),
      items.doc('far').set({ v: vector([3, 4, 5]), color: 'yellow', nested: { v: vector([1, 1]) } }),
      items.doc('other-length').set({ v: vector([1, 2]) }),
      items.doc('no-vector').set({ v: [1, 2, 3] }),
      items.doc('without').set({ color: 'red' }),
    ]);
  });

  type Options = Parameters<FirebaseFirestore.Query['findNearest']>[0];
  const search = async (options: Partial<Options> = {}, query: FirebaseFirestore.Query = db.collection('items')) => {
    const found = await query
      .findNearest({ vectorField: 'v', queryVector: [1, 2, 3], limit: 10, distanceMeasure: 'EUCLIDEAN', ...options } as Options)
      .get();
    return found.docs;
  };
  const idsOf = (docs: readonly FirebaseFirestore.DocumentSnapshot[]) => docs.map(({ id }) => id);

  test('are returned nearest first, from documents with such a vector', async () => {
    assert.deepEqual(idsOf(await search()), ['same', 'near', 'far']);
    assert.deepEqual(idsOf(await search({ distanceMeasure: 'COSINE' })), ['same', 'far', 'near']);
    assert.deepEqual(idsOf(await search({ distanceMeasure: 'DOT_PRODUCT' })), ['far', 'near', 'same']);
    assert.deepEqual(idsOf(await search({ limit: 2 })), ['same', 'near']);
    assert.deepEqual(idsOf(await search({ vectorField: 'nested.v', queryVector: [0, 0] })), ['far']);
    assert.deepEqual(idsOf(await search({}, db.collection('items').where('color', '==', 'red'))), ['same', 'near']);
  });

  test('end at a threshold: a maximum distance, or a minimum dot product', async () => {
    assert.deepEqual(idsOf(await search({ distanceThreshold: 1 })), ['same', 'near']);
    assert.deepEqual(idsOf(await search({ distanceMeasure: 'COSINE', distanceThreshold: 0.02 })), ['same', 'far']);
    assert.deepEqual(idsOf(await search({ distanceMeasure: 'DOT_PRODUCT', distanceThreshold: 15 })), ['far', 'near']);
  });

  test('return their distance in a field, replacing a field of that name, before a projection', async () => {
    const [first, second] = await search({ distanceResultField: 'color', distanceMeasure: 'COSINE' });
    assert.equal(first?.get('color'), 0);
    assert.equal(second?.get('color'), 0.017292370176009153);
    assert.deepEqual(second?.get('v'), vector([3, 4, 5]));
    const [selected] = await search({ distanceResultField: 'd' }, db.collection('items').select('color', 'd'));
    assert.deepEqual(selected?.data(), { color: 'red', d: 0 });
  });

  test('are rejected with the service’s messages', async () => {
    await assert.rejects(search({ limit: 1001 }), (error: { code?: number; message: string }) => {
      assert.equal(error.code, 3);
      assert.match(error.message, /FindNearest\.limit must be a positive integer of no more than 1000/);
      return true;
    });
  });

  test('are explained as a read of a vector index', async () => {
    const query = db
      .collectionGroup('items')
      .where('color', '==', 'red')
      .findNearest({ vectorField: 'v', queryVector: [1, 2, 3], limit: 1, distanceMeasure: 'EUCLIDEAN' });
    // The client has it, its types do not.
    const { metrics, snapshot } = await (query as unknown as FirebaseFirestore.Query).explain({ analyze: true });
    assert.deepEqual(metrics.planSummary.indexesUsed, [
      { query_scope: 'Collection group', properties: '(color ASC, __name__ ASC, v VECTOR<3>)' },
    ]);
    assert.equal(snapshot?.size, 1);
    assert.equal(metrics.executionStats?.resultsReturned, 1);
    assert.equal(metrics.executionStats?.readOperations, 2);
  });
});

describe('an explained query', () => {
  beforeAll(async () => {
    await Promise.all([1.5, 2.5, 3.5].map((weight, i) => db.doc(`w/${i}`).set({ weight, model: 'A', size: 1 })));
  });

  const properties = ({ planSummary }: { planSummary: { indexesUsed: Record<string, unknown>[] } }) =>
    planSummary.indexesUsed.map((index) => index.properties);

  test('returns the indexes the service would use, and runs only with analyze', async () => {
    const all = db.collection('w');
    const planned = await all.explain();
    assert.deepEqual(properties(planned.metrics), ['(__name__ ASC)']);
    assert.ok(planned.snapshot === null);
    assert.equal(planned.metrics.executionStats, null);
    const ordered = await all.where('model', '==', 'A').orderBy('weight', 'desc').explain();
    assert.deepEqual(properties(ordered.metrics), ['(model ASC, weight DESC, __name__ DESC)']);
    const joined = await all.where('model', '==', 'A').where('size', '==', 1).explain({ analyze: true });
    assert.deepEqual(properties(joined.metrics), ['(model ASC, __name__ ASC)', '(size ASC, __name__ ASC)']);
    assert.equal(joined.snapshot?.size, 3);
    assert.equal(joined.metrics.executionStats?.readOperations, 3);
    assert.equal(joined.metrics.executionStats?.debugStats.documents_scanned, '3');
  });

  test('of an aggregation reads index entries and no documents', async () => {
    const sums = db.collection('w').aggregate({ total: AggregateField.sum('weight') });
    const { metrics, snapshot } = await sums.explain({ analyze: true });
    assert.deepEqual(properties(metrics), ['(weight ASC, __name__ ASC)']);
    assert.equal(snapshot?.data().total, 7.5);
    assert.equal(metrics.executionStats?.debugStats.documents_scanned, '0');
    assert.equal(metrics.executionStats?.debugStats.index_entries_scanned, '3');
    assert.ok((await sums.explain()).snapshot === null);
  });
});

test('a sum with a limit reads in the order of the field', async () => {
  const parts = db.collection('parts');
  await Promise.all([5, 1, 4, 2, 3].map((n, i) => parts.doc(`p${i}`).set({ n, group: i % 2 })));
  const total = async (query: FirebaseFirestore.Query) => {
    const sums = await query.aggregate({ sum: AggregateField.sum('n'), mean: AggregateField.average('n') }).get();
    return sums.data();
  };
  assert.deepEqual(await total(parts.limit(3)), { sum: 6, mean: 2 });
  assert.deepEqual(await total(parts.offset(1).limit(2)), { sum: 5, mean: 2.5 });
  assert.deepEqual(await total(parts.orderBy('group', 'desc').limit(1)), { sum: 2, mean: 2 });
});

test('a sum of doubles does not depend on their order', async () => {
  const weights = [4.8, 5.9, 6.0, 7.1, 8.2];
  await Promise.all(weights.map((w, i) => db.doc(`d/${i}`).set({ w })));
  const sums = await db
    .collection('d')
    .aggregate({ sum: AggregateField.sum('w'), mean: AggregateField.average('w') })
    .get();
  assert.deepEqual(sums.data(), { sum: 32, mean: 6.4 });
});
