import assert from 'node:assert/strict';
import { AggregateField, FieldValue, Filter, type Query } from '@google-cloud/firestore';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type Firestore, startFirestore } from '../../../../../../infra/local/engines/firestore/index.ts';
import { clientOf, failure } from '../../../../../harness/firestore/firestore-client.ts';

/** As the Firebase CLI writes it, with comments. */
const file = `{
  // "indexes" of several fields
  "indexes": [
    { "collectionGroup": "posts", "queryScope": "COLLECTION", "fields": [
      { "fieldPath": "author", "order": "ASCENDING" }, { "fieldPath": "date", "order": "DESCENDING" } ] },
    { "collectionGroup": "posts", "queryScope": "COLLECTION", "fields": [
      { "fieldPath": "tags", "arrayConfig": "CONTAINS" }, { "fieldPath": "date", "order": "DESCENDING" } ] },
    { "collectionGroup": "posts", "queryScope": "COLLECTION_GROUP", "fields": [
      { "fieldPath": "author", "order": "ASCENDING" }, { "fieldPath": "likes", "order": "ASCENDING" } ] },
    { "collectionGroup": "posts", "queryScope": "COLLECTION", "fields": [
      { "fieldPath": "title", "order": "ASCENDING" }, { "fieldPath": "__name__", "order": "DESCENDING" } ] },
    { "collectionGroup": "beans", "queryScope": "COLLECTION", "fields": [
      { "fieldPath": "taste", "vectorConfig": { "dimension": 2, "flat": {} } } ] }
  ],
  "fieldOverrides": [
    { "collectionGroup": "posts", "fieldPath": "body", "indexes": [] },
    { "collectionGroup": "posts", "fieldPath": "likes", "indexes": [
      { "order": "ASCENDING", "queryScope": "COLLECTION" }, { "order": "ASCENDING", "queryScope": "COLLECTION_GROUP" } ] }
  ]
}`;

let server: Firestore;
let db: ReturnType<typeof clientOf>;
beforeAll(async () => {
  server = await startFirestore({ indexes: file });
  db = clientOf(server, 'shop');
  await db.doc('posts/1').set({ author: 'ada', date: 1, tags: ['a', 'b'], likes: 3, title: 't', body: 'long', views: 1 });
});
afterAll(async () => {
  await db.terminate();
  await server.stop();
});

const posts = () => db.collection('posts') as unknown as Query;
const group = () => db.collectionGroup('posts') as unknown as Query;
const code = async (query: Query) => (await failure(query.get())).code;

describe('indexes: a query that an index serves runs', () => {
  const served: Readonly<Record<string, () => Query>> = {
    'without conditions': () => posts(),
    'by one field': () => posts().orderBy('date', 'desc'),
    'with a range of one field': () => posts().where('date', '>', 0),
    'with equalities only, by joined single-field indexes': () =>
      posts().where('author', '==', 'ada').where('views', '==', 1).where('tags', 'array-contains', 'a'),
    'with a disjunction': () => posts().where(Filter.or(Filter.where('author', '==', 'ada'), Filter.where('views', '==', 5))),
    'with in': () => posts().where('author', 'in', ['ada', 'bob']),
    'by a composite index': () => posts().where('author', '==', 'ada').orderBy('date', 'desc'),
    'by a composite index with an array': () => posts().where('tags', 'array-contains', 'a').orderBy('date', 'desc'),
    'by two composite indexes that are joined': () =>
      posts().where('author', '==', 'ada').where('tags', 'array-contains', 'a').orderBy('date', 'desc'),
    'ordered by a field that is fixed': () => posts().where('author', '==', 'ada').orderBy('author'),
    'by name in the other direction, with its index': () => posts().orderBy('title').orderBy('__name__', 'desc'),
    'of a group by name': () => group().orderBy('__name__'),
    'of a group with an index of the field': () => group().where('likes', '>', 1),
    'of a group by a composite index': () => group().where('author', '==', 'ada').orderBy('likes'),
  };
  for (const [what, query] of Object.entries(served))
    test(what, async () => {
      assert.ok((await query().get()).docs.length <= 1);
    });
});

describe('indexes: a query without its index fails', () => {
  const missing: Readonly<Record<string, () => Query>> = {
    'an equality and an order': () => posts().where('views', '==', 1).orderBy('date'),
    'the other direction of a composite index': () => posts().where('author', '==', 'ada').orderBy('date', 'asc'),
    'ranges of two fields': () => posts().where('date', '>', 0).where('views', '>', 0),
    'two orders': () => posts().orderBy('author').orderBy('views'),
    'one of two equalities is not in an index with the order': () =>
      posts().where('author', '==', 'ada').where('views', '==', 1).orderBy('date', 'desc'),
    'the name in the other direction': () => posts().orderBy('date', 'desc').orderBy('__name__', 'asc'),
    'a composite index of the other scope': () => group().where('author', '==', 'ada').orderBy('date', 'desc'),
    'a field of a group': () => group().where('author', '==', 'ada'),
    'a field that is exempt': () => posts().where('body', '==', 'long'),
    'a direction that is exempt': () => posts().orderBy('likes', 'desc'),
    'a range in a disjunction orders all its parts': () =>
      posts().where(Filter.or(Filter.where('author', '==', 'ada'), Filter.where('views', '>', 5))),
    'a part of a disjunction': () =>
      posts().where(Filter.or(Filter.where('author', '==', 'ada'), Filter.where('body', '==', 'long'))),
  };
  for (const [what, query] of Object.entries(missing)) test(what, async () => assert.equal(await code(query()), 9));
});

test('indexes: the error of a missing composite index has the link of the console', async () => {
  const { code: failed, details } = await failure(posts().where('author', '==', 'ada').orderBy('views', 'desc').get());
  assert.equal(failed, 9);
  const [, link = ''] = /^The query requires an index\. You can create it here: (\S+)$/.exec(details) ?? [];
  const url = new URL(link);
  assert.equal(`${url.origin}${url.pathname}`, 'https://console.firebase.google.com/v1/r/project/shop/firestore/indexes');
  const index = Buffer.from(url.searchParams.get('create_composite') ?? '', 'base64').toString('latin1');
  assert.equal(
    index,
    '\n\x42projects/shop/databases/(default)/collectionGroups/posts/indexes/_' +
      '\x10\x01\x1a\x0a\n\x06author\x10\x01\x1a\x09\n\x05views\x10\x02\x1a\x0c\n\x08__name__\x10\x02',
  );
});

test('indexes: the error of a missing single-field index names scope, collection and field', async () => {
  const { details } = await failure(group().where('author', '==', 'ada').get());
  assert.match(
    details,
    /^The query requires a COLLECTION_GROUP_ASC index for collection posts and field author\. You can create it here: https:\S+create_exemption=\S+$/,
  );
});

test('indexes: aggregations need an index of their field', async () => {
  const total = { total: AggregateField.sum('views') };
  assert.equal((await posts().aggregate(total).get()).data().total, 1);
  assert.equal((await failure(posts().where('author', '==', 'ada').aggregate(total).get())).code, 9);
  assert.equal((await posts().where('author', '==', 'ada').count().get()).data().count, 1);
});

test('indexes: a vector search needs a vector index of its dimension', async () => {
  const search = (queryVector: number[]) =>
    (db.collection('beans') as unknown as Query)
      .findNearest({ vectorField: 'taste', queryVector: FieldValue.vector(queryVector), limit: 1, distanceMeasure: 'EUCLIDEAN' })
      .get();
  await search([1, 2]);
  const { code: failed, details } = await failure(search([1, 2, 3]));
  assert.equal(failed, 9);
  assert.match(details, /^Missing vector index configuration\. .*--collection-group=beans .*"dimension":"3"/);
});

test('indexes: a listener without its index gets the error', async () => {
  const error = await new Promise<Error>((resolve) =>
    posts()
      .where('views', '==', 1)
      .orderBy('date')
      .onSnapshot(() => undefined, resolve as (error: Error) => void),
  );
  assert.match(error.message, /^Error 9: The query requires an index\. You can create it here: https:/);
});

test('indexes: without a file every query runs, and an invalid file is one line', async () => {
  const open = await startFirestore();
  const client = clientOf(open, 'shop');
  await (client.collection('posts') as unknown as Query).where('a', '==', 1).orderBy('b').orderBy('c').get();
  await client.terminate();
  await open.stop();
  for (const indexes of ['{', '{"indexes": [{"collectionGroup": "posts"}]}', '[]'])
    await assert.rejects(startFirestore({ indexes }), (error: Error) =>
      /^invalid index definitions: [^\n]+$/.test(error.message),
    );
});

test('indexes: exempt fields have no entries, and composite indexes add theirs', async () => {
  const tags = Array.from({ length: 20_001 }, (_, n) => `t${n}`);
  assert.equal((await failure(db.doc('posts/2').set({ tags, date: 1 }))).details, 'too many index entries for entity');
  await db.doc('posts/2').set({ tags });
  const body = Object.fromEntries(tags.map((tag) => [tag, 1]));
  await db.doc('posts/3').set({ body });
  assert.equal((await failure(db.doc('others/3').set({ body }))).details, 'too many index entries for entity');
});
