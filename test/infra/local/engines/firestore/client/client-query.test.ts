import assert from 'node:assert/strict';
import { AggregateField, FieldPath, Filter, Firestore, Timestamp } from '@google-cloud/firestore';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type Firestore as Server, startFirestore } from '../../../../../../infra/local/engines/firestore/index.ts';
import { proto } from '../../../../../../infra/local/engines/firestore/proto/codecs.ts';
import { RawGrpc } from '../../../../../harness/firestore/raw-grpc.ts';

let server: Server;
let db: Firestore;

beforeAll(async () => {
  server = await startFirestore();
  process.env.FIRESTORE_EMULATOR_HOST = server.address;
  db = new Firestore({ projectId: 'queries' });
});
afterAll(async () => {
  await db.terminate();
  await server.stop();
});

const ids = async (query: FirebaseFirestore.Query): Promise<string[]> => (await query.get()).docs.map(({ id }) => id);

describe('the official client asks', () => {
  beforeAll(async () => {
    const cities = db.collection('cities');
    await Promise.all([
      cities.doc('SF').set({ name: 'San Francisco', state: 'CA', population: 860_000, regions: ['west_coast', 'norcal'] }),
      cities.doc('LA').set({ name: 'Los Angeles', state: 'CA', population: 3_900_000, regions: ['west_coast', 'socal'] }),
      cities.doc('DC').set({ name: 'Washington', state: null, population: 680_000, regions: ['east_coast'] }),
      cities.doc('TOK').set({ name: 'Tokyo', population: 9_000_000, regions: ['kanto', 'honshu'] }),
      cities.doc('BJ').set({ name: 'Beijing', population: 21_500_000.5, regions: ['jingjinji', 'hebei'], capital: true }),
      cities.doc('SF').collection('landmarks').doc('gg').set({ name: 'Golden Gate', type: 'bridge' }),
      cities.doc('ghost').collection('landmarks').doc('x').set({ name: 'Nowhere', type: 'bridge' }),
    ]);
  });

  test('equality, ranges and orders', async () => {
    const cities = db.collection('cities');
    assert.deepEqual(await ids(cities.where('state', '==', 'CA')), ['LA', 'SF']);
    assert.deepEqual(await ids(cities.where('population', '>', 860_000).orderBy('population', 'desc')), ['BJ', 'TOK', 'LA']);
    assert.deepEqual(await ids(cities.orderBy('population').limitToLast(2)), ['TOK', 'BJ']);
    assert.deepEqual(await ids(cities.orderBy('population').startAfter(860_000).endAt(9_000_000)), ['LA', 'TOK']);
    assert.deepEqual(await ids(cities.orderBy('population').offset(1).limit(2)), ['SF', 'LA']);
  });

  test('null matches == only, and not != or not-in', async () => {
    const cities = db.collection('cities');
    assert.deepEqual(await ids(cities.where('state', '==', null)), ['DC']);
    assert.deepEqual(await ids(cities.where('state', '!=', 'NY')), ['LA', 'SF']);
    assert.deepEqual(await ids(cities.where('state', 'not-in', ['NY'])), ['LA', 'SF']);
  });

  test('arrays, in and or', async () => {
    const cities = db.collection('cities');
    assert.deepEqual(await ids(cities.where('regions', 'array-contains', 'west_coast')), ['LA', 'SF']);
    assert.deepEqual(await ids(cities.where('regions', 'array-contains-any', ['kanto', 'hebei'])), ['BJ', 'TOK']);
    assert.deepEqual(await ids(cities.where(FieldPath.documentId(), 'in', ['SF', 'DC'])), ['DC', 'SF']);
    const either = Filter.or(Filter.where('capital', '==', true), Filter.where('population', '<', 700_000));
    assert.deepEqual((await ids(cities.where(either))).sort(), ['BJ', 'DC']);
  });

  test('collection groups include descendants of missing documents', async () => {
    const found = await db.collectionGroup('landmarks').where('type', '==', 'bridge').get();
    assert.deepEqual(
      found.docs.map(({ ref }) => ref.path),
      ['cities/SF/landmarks/gg', 'cities/ghost/landmarks/x'],
    );
  });

  test('select returns the requested fields, and listing shows missing parents', async () => {
    const [first] = (await db.collection('cities').select('name').where('capital', '==', true).get()).docs;
    assert.deepEqual(first?.data(), { name: 'Beijing' });
    const listed = await db.collection('cities').listDocuments();
    assert.deepEqual(listed.map(({ id }) => id).sort(), ['BJ', 'DC', 'LA', 'SF', 'TOK', 'ghost']);
  });

  test('aggregations', async () => {
    const result = await db
      .collection('cities')
      .aggregate({
        count: AggregateField.count(),
        sum: AggregateField.sum('population'),
        average: AggregateField.average('population'),
      })
      .get();
    const { count, sum, average } = result.data();
    assert.equal(count, 5);
    assert.equal(sum, 860_000 + 3_900_000 + 680_000 + 9_000_000 + 21_500_000.5);
    assert.equal(average, (sum as number) / 5);
    assert.equal((await db.collection('cities').where('state', '==', 'CA').count().get()).data().count, 2);
    // Only documents that have every aggregated field count.
    const some = await db
      .collection('cities')
      .aggregate({ count: AggregateField.count(), sum: AggregateField.sum('capital') })
      .get();
    assert.deepEqual({ ...some.data() }, { count: 1, sum: 0 });
    const none = await db
      .collection('nothing')
      .aggregate({ average: AggregateField.average('x'), sum: AggregateField.sum('x') })
      .get();
    assert.deepEqual({ ...none.data() }, { average: null, sum: 0 });
  });

  test('of two transactions that count and then add, one is retried and sees the other’s document', async () => {
    const race = db.collection('race');
    let attempts = 0;
    const add = (id: string) =>
      db.runTransaction(async (transaction) => {
        attempts++;
        const found = await transaction.get(race.where('n', '>=', 0));
        transaction.set(race.doc(id), { n: found.size });
      });
    await Promise.all([add('a'), add('b')]);
    assert.ok(attempts >= 2);
    const sizes = (await race.get()).docs.map((document) => document.get('n') as number);
    assert.deepEqual(sizes.sort(), [0, 1]);
  });

  test('invalid queries are rejected like in production', async () => {
    const cities = db.collection('cities');
    const many = Array.from({ length: 31 }, (_, i) => i);
    await assert.rejects(cities.where('n', 'in', many).get(), { code: 3 });
    await assert.rejects(cities.where('n', 'not-in', many.slice(0, 11)).get(), { code: 3 });
    await assert.rejects(cities.where('a', 'array-contains', 1).where('b', 'array-contains', 2).get(), { code: 3 });
    await assert.rejects(cities.where('a', '!=', 1).where('b', '!=', 2).get(), { code: 3 });
    const reserved = /Collection id "__bad__" is invalid because it is reserved\./;
    await assert.rejects(db.collection('__bad__').get(), reserved);
    await assert.rejects(db.collection('__bad__').count().get(), reserved);
    await assert.rejects(db.collectionGroup('__bad__').get(), reserved);
    await assert.rejects(cities.aggregate({}).get(), /Aggregations can not be empty\./);
    const sum = cities.select('name').aggregate({ sum: AggregateField.sum('population') });
    await assert.rejects(sum.get(), /Cannot apply property masks when aggregation fields are present\./);
  });
});

describe('reading a whole database', () => {
  const count = 400;
  beforeAll(async () => {
    const writer = db.bulkWriter();
    for (let i = 0; i < count; i++) void writer.set(db.doc(`big/${String(i).padStart(4, '0')}`), { i });
    await writer.close();
  });

  test('partitions tile a collection group', async () => {
    const partitions: FirebaseFirestore.QueryPartition[] = [];
    for await (const partition of db.collectionGroup('big').getPartitions(3)) partitions.push(partition);
    assert.equal(partitions.length, 3);
    const all = (await Promise.all(partitions.map((partition) => ids(partition.toQuery())))).flat();
    assert.equal(all.length, count);
    assert.equal(new Set(all).size, count);
  });

  test('a kindless scan at a read time sees the past, and recursiveDelete empties a collection', async () => {
    const raw = new RawGrpc(server.url);
    const parent = 'projects/queries/databases/(default)/documents';
    const scan = async (readTime?: Timestamp): Promise<string[]> => {
      const request = proto.RunQueryRequest.encode({
        parent,
        structuredQuery: { from: [{ allDescendants: true }], orderBy: [{ field: { fieldPath: '__name__' } }] },
        readTime: readTime && { seconds: BigInt(readTime.seconds), nanos: readTime.nanoseconds },
      });
      const { messages, status } = await raw.call('RunQuery', [request]);
      if (status !== 0) throw Object.assign(new Error('RunQuery failed'), { code: status });
      return messages
        .map((message) => proto.RunQueryResponse.decode(message).document)
        .flatMap((document) => (document ? [proto.Document.decode(document).name] : []));
    };
    const everything = await scan();
    assert.ok(everything.includes(`${parent}/cities/ghost/landmarks/x`));
    assert.equal(everything.filter((name) => name.startsWith(`${parent}/big/`)).length, count);
    const { readTime } = await db.doc('big/0000').get();
    await db.recursiveDelete(db.collection('big'));
    assert.equal((await db.collection('big').get()).size, 0);
    assert.deepEqual(await scan(readTime), everything);
    await assert.rejects(scan(new Timestamp(readTime.seconds - 7_200, 0)), { code: 9 });
    raw.close();
  });
});
