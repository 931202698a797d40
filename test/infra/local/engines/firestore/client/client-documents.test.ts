import assert from 'node:assert/strict';
import { type Firestore as Client, FieldPath, FieldValue, GeoPoint, Timestamp, type VectorValue } from '@google-cloud/firestore';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type Firestore, startFirestore } from '../../../../../../infra/local/engines/firestore/index.ts';
import { clientOf, failure } from '../../../../../harness/firestore/firestore-client.ts';

describe('documents through the official client', () => {
  let server: Firestore;
  let db: Client;
  beforeAll(async () => {
    server = await startFirestore();
    db = clientOf(server, 'demo', { ignoreUndefinedProperties: true, useBigInt: true });
  });
  afterAll(async () => {
    await db.terminate();
    await server.stop();
  });

  it('returns every type of value as it was set', async () => {
    const data = {
      null: null,
      no: false,
      small: -7n,
      large: 9_223_372_036_854_775_807n,
      least: -9_223_372_036_854_775_808n,
      double: 3.5,
      negativeZero: -0,
      infinite: Number.NEGATIVE_INFINITY,
      tiny: 5e-324,
      time: new Timestamp(-62_135_596_800, 0),
      later: new Timestamp(253_402_300_799, 999_999_000),
      text: 'Grüße 🚀 \u0000',
      bytes: Buffer.from([0, 255, 1]),
      reference: db.doc('a/b'),
      point: new GeoPoint(-90, 180),
      list: [1n, 'two', { three: [3n] }, null],
      emptyList: [],
      emptyMap: {},
      nested: { a: { b: { c: {} } } },
      vector: FieldValue.vector([1, -0.5, 1e300]),
      'a.b`c\\d': 1n,
      toString: 'x',
      constructor: 'y',
    };
    const reference = db.doc('types/all');
    await reference.set(data);
    const read = (await reference.get()).data();
    assert.ok(read);
    assert.ok(Object.is(read.negativeZero, -0));
    assert.ok((read.vector as VectorValue).isEqual(data.vector as unknown as VectorValue));
    assert.ok(read.reference.isEqual(data.reference));
    for (const key of ['vector', 'reference'] as const) delete read[key];
    const { vector: _vector, reference: _reference, ...rest } = data;
    assert.deepEqual(read, rest);
    await reference.set({ nan: Number.NaN });
    assert.deepEqual((await reference.get()).data(), { nan: Number.NaN });
  });

  it('creates once: the second create is ALREADY_EXISTS', async () => {
    const reference = db.doc('create/once');
    await reference.create({ a: 1 });
    const { code, details } = await failure(reference.create({ a: 2 }));
    assert.equal(code, 6);
    assert.match(details, /Document already exists: projects\/demo\/databases\/\(default\)\/documents\/create\/once/);
    assert.deepEqual((await reference.get()).data(), { a: 1n });
  });

  it('updates only what exists, and only the fields named', async () => {
    const reference = db.doc('update/it');
    const { code, details } = await failure(reference.update({ a: 1 }));
    assert.equal(code, 5);
    assert.match(details, /No document to update: projects\/demo\/databases\/\(default\)\/documents\/update\/it/);
    await reference.set({ a: { b: 1, c: 2 }, d: 3, 'x.y': 4 });
    await reference.update({ 'a.b': 10, d: FieldValue.delete() });
    await reference.update(new FieldPath('x.y'), 40, 'new.deep.field', true);
    assert.deepEqual((await reference.get()).data(), { a: { b: 10n, c: 2n }, 'x.y': 40n, new: { deep: { field: true } } });
  });

  it('merges maps deeply and replaces lists, and sets without merge replace all', async () => {
    const reference = db.doc('merge/it');
    await reference.set({ a: { b: 1, c: [1, 2] }, keep: true });
    await reference.set({ a: { c: [3], d: {} } }, { merge: true });
    assert.deepEqual((await reference.get()).data(), { a: { b: 1n, c: [3n], d: {} }, keep: true });
    await reference.set({ a: { b: 9, c: 9 }, keep: false }, { mergeFields: ['a.b'] });
    assert.deepEqual((await reference.get()).data(), { a: { b: 9n, c: [3n], d: {} }, keep: true });
    await reference.set({ only: 1 });
    assert.deepEqual((await reference.get()).data(), { only: 1n });
  });

  it('checks preconditions on update time and on deletes', async () => {
    const reference = db.doc('precondition/it');
    const { writeTime } = await reference.set({ a: 1 });
    await reference.update({ a: 2 }, { lastUpdateTime: writeTime });
    assert.equal((await failure(reference.update({ a: 3 }, { lastUpdateTime: writeTime }))).code, 9);
    assert.equal((await failure(reference.delete({ lastUpdateTime: writeTime }))).code, 9);
    await reference.delete({ exists: true });
    assert.equal((await failure(reference.delete({ exists: true }))).code, 5);
    await reference.delete();
    assert.equal((await reference.get()).exists, false);
  });

  it('gives each commit a later time with microseconds, and reads between two commits', async () => {
    const reference = db.doc('times/it');
    const times: Timestamp[] = [];
    for (let i = 0; i < 20; i++) times.push((await reference.set({ i })).writeTime);
    for (const [i, time] of times.entries()) {
      const earlier = times[i - 1];
      assert.ok(!earlier || earlier.valueOf() < time.valueOf(), `commit ${i} is not later`);
    }
    const micros = times.map(({ nanoseconds }) => (nanoseconds % 1_000_000) / 1000);
    assert.ok(micros.every(Number.isInteger));
    // A clock of milliseconds makes them 0, or 1 and 2 for commits of the same millisecond.
    assert.ok(micros.filter((part) => part > 10).length >= 10, `microseconds: ${micros}`);
    assert.ok((await reference.get()).updateTime?.isEqual(times[19]!));
    for (const i of [3, 9]) {
      const { seconds, nanoseconds } = times[i + 1]!;
      const readTime = nanoseconds === 0 ? new Timestamp(seconds - 1, 999_999_000) : new Timestamp(seconds, nanoseconds - 1000);
      const read = await db.runTransaction((transaction) => transaction.get(reference), { readOnly: true, readTime });
      assert.deepEqual([read.get('i'), read.updateTime], [BigInt(i), times[i]]);
    }
  });

  it('applies transforms at the server: time, numbers, lists', async () => {
    const reference = db.doc('transform/it');
    await reference.set({ n: 5, d: 1.5, list: [1, 2], big: 9_223_372_036_854_775_807n });
    const { writeTime } = await reference.set(
      {
        at: FieldValue.serverTimestamp(),
        n: FieldValue.increment(3),
        d: FieldValue.increment(2),
        missing: FieldValue.increment(7),
        big: FieldValue.increment(1),
        list: FieldValue.arrayUnion(2, 3, 3),
      },
      { merge: true },
    );
    const data = (await reference.get()).data();
    assert.ok(data?.at instanceof Timestamp);
    assert.ok(Math.abs(data.at.toMillis() - writeTime.toMillis()) < 1000);
    delete data.at;
    assert.deepEqual(data, { n: 8n, d: 3.5, missing: 7n, list: [1n, 2n, 3n], big: 9_223_372_036_854_775_807n });
    await reference.update({ list: FieldValue.arrayRemove(1, 3) });
    assert.deepEqual((await reference.get()).get('list'), [2n]);
  });

  it('commits a batch atomically', async () => {
    const batch = db.batch();
    for (let i = 0; i < 600; i++) batch.set(db.doc(`batch/d${i}`), { i });
    const times = new Set((await batch.commit()).map(({ writeTime }) => writeTime.valueOf()));
    assert.equal(times.size, 1);
    const failing = db.batch();
    failing.set(db.doc('batch/new'), { a: 1 });
    failing.create(db.doc('batch/d0'), { a: 1 });
    assert.equal((await failure(failing.commit())).code, 6);
    assert.equal((await db.doc('batch/new').get()).exists, false);
  });

  it('gets many documents at once, with masks, including missing ones', async () => {
    await db.doc('many/a').set({ x: 1, y: { z: 2, w: 3 } });
    const snapshots = await db.getAll(db.doc('many/a'), db.doc('many/none'), db.doc('many/a'), { fieldMask: ['y.z'] });
    assert.deepEqual(
      snapshots.map((snapshot) => snapshot.data()),
      [{ y: { z: 2n } }, undefined, { y: { z: 2n } }],
    );
    const [a, none] = snapshots;
    assert.ok(a?.readTime.isEqual(none!.readTime));
    const all = await db.getAll(...Array.from({ length: 600 }, (_, i) => db.doc(`batch/d${i}`)));
    assert.deepEqual(
      all.map((snapshot) => snapshot.get('i')),
      Array.from({ length: 600 }, (_, i) => BigInt(i)),
    );
  });

  it('lists collections and documents, including documents that only have descendants', async () => {
    const listed = clientOf(server, 'listing');
    await listed.doc('c/a').set({});
    await listed.doc('c/missing/sub/x').set({});
    await listed.doc('c/a/sub/y').set({});
    await listed.doc('c/a/sub2/deep/sub3/z').set({});
    await listed.doc('other/é').set({});
    await Promise.all(Array.from({ length: 350 }, (_, i) => listed.doc(`big/n${i}/below/x`).set({})));
    assert.deepEqual(
      (await listed.listCollections()).map(({ id }) => id),
      ['big', 'c', 'other'],
    );
    assert.deepEqual(
      (await listed.doc('c/a').listCollections()).map(({ id }) => id),
      ['sub', 'sub2'],
    );
    assert.deepEqual(
      (await listed.doc('c/missing').listCollections()).map(({ id }) => id),
      ['sub'],
    );
    assert.deepEqual(
      (await listed.collection('c').listDocuments()).map(({ id }) => id),
      ['a', 'missing'],
    );
    assert.deepEqual(
      (await listed.collection('c/a/sub2').listDocuments()).map(({ id }) => id),
      ['deep'],
    );
    assert.equal((await listed.collection('big').listDocuments()).length, 350);
    assert.deepEqual(await listed.collection('none').listDocuments(), []);
    await listed.terminate();
  });

  it('keeps projects and databases apart', async () => {
    const other = clientOf(server, 'other-project');
    const named = clientOf(server, 'demo', { databaseId: 'second' });
    await db.doc('apart/x').set({ in: 'demo' });
    await named.doc('apart/x').set({ in: 'second' });
    assert.equal((await other.doc('apart/x').get()).exists, false);
    assert.deepEqual((await named.doc('apart/x').get()).data(), { in: 'second' });
    assert.deepEqual((await db.doc('apart/x').get()).data(), { in: 'demo' });
    await Promise.all([other.terminate(), named.terminate()]);
  });
});
