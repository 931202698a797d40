import assert from 'node:assert/strict';
import type { BulkWriterError, Firestore as Client } from '@google-cloud/firestore';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type Firestore, startFirestore } from '../../../../../../infra/local/engines/firestore/index.ts';
import { clientOf } from '../../../../../harness/firestore/firestore-client.ts';

describe('bulk work through the official client', () => {
  let server: Firestore;
  let db: Client;
  beforeAll(async () => {
    server = await startFirestore();
    db = clientOf(server);
  });
  afterAll(async () => {
    await db.terminate();
    await server.stop();
  });

  it('writes 3,000 documents with a BulkWriter', async () => {
    const writer = db.bulkWriter({ throttling: false });
    for (let i = 0; i < 3000; i++) void writer.set(db.doc(`bulk/d${i}`), { i, text: 'x'.repeat(200) });
    await writer.close();
    assert.equal((await db.collection('bulk').count().get()).data().count, 3000);
  });

  it('reports each failed write of a BulkWriter with its own code, and performs the others', async () => {
    await db.doc('mixed/there').set({});
    const writer = db.bulkWriter();
    const failed: BulkWriterError[] = [];
    writer.onWriteError((error) => {
      failed.push(error);
      return false;
    });
    const codeOf = (error: BulkWriterError): number => error.code;
    const outcomes = [
      writer.create(db.doc('mixed/new'), {}).then(() => 0),
      writer.create(db.doc('mixed/there'), {}).then(() => 0, codeOf),
      writer.update(db.doc('mixed/none'), { a: 1 }).then(() => 0, codeOf),
      writer.delete(db.doc('mixed/none2')).then(() => 0),
    ];
    await writer.close();
    assert.deepEqual(await Promise.all(outcomes), [0, 6, 5, 0]);
    assert.deepEqual(failed.map(({ operationType }) => operationType).sort(), ['create', 'update']);
  });

  it('is retried by a BulkWriter when the server is unavailable or aborts', async () => {
    server.faults.add({ method: 'BatchWrite', status: 'UNAVAILABLE', times: 2 });
    server.faults.add({ method: 'BatchWrite', call: 4, status: 'ABORTED' });
    const writer = db.bulkWriter({ throttling: false });
    for (let i = 0; i < 300; i++) void writer.set(db.doc(`away/d${i}`), { i });
    await writer.close();
    server.faults.clear();
    assert.equal((await db.collection('away').count().get()).data().count, 300);
  });

  it('deletes a whole tree, including below missing documents', async () => {
    await Promise.all([
      ...Array.from({ length: 120 }, (_, i) => db.doc(`tree/d${i}`).set({})),
      ...Array.from({ length: 120 }, (_, i) => db.doc(`tree/m${i}/sub/x/deeper/y`).set({})),
      db.doc('tree2/stays').set({}),
    ]);
    await db.recursiveDelete(db.collection('tree'));
    assert.deepEqual(await db.collection('tree').listDocuments(), []);
    assert.deepEqual(
      (await db.listCollections()).map(({ id }) => id).filter((id) => id.startsWith('tree')),
      ['tree2'],
    );
    await db.doc('tree2/stays/sub/x').set({});
    await db.recursiveDelete(db.doc('tree2/stays'));
    assert.deepEqual(await db.collection('tree2').listDocuments(), []);
  });
});
