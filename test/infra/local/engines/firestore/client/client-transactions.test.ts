import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Firestore as Client, Timestamp } from '@google-cloud/firestore';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { type Firestore, startFirestore } from '../../../../../../infra/local/engines/firestore/index.ts';
import { clientOf, failure } from '../../../../../harness/firestore/firestore-client.ts';

describe('transactions through the official client', () => {
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

  it('loses no update when many increment at once', async () => {
    const counter = db.doc('counters/hot');
    await counter.set({ n: 0 });
    await Promise.all(
      Array.from({ length: 12 }, () =>
        db.runTransaction(
          async (transaction) => {
            const n = (await transaction.get(counter)).get('n') as number;
            transaction.update(counter, { n: n + 1 });
          },
          { maxAttempts: 50 },
        ),
      ),
    );
    assert.equal((await counter.get()).get('n'), 12);
  });

  it('moves an amount between two documents without any reader seeing the sum change', async () => {
    const [a, b] = [db.doc('sum/a'), db.doc('sum/b')];
    await a.set({ n: 50 });
    await b.set({ n: 50 });
    let isRunning = true;
    const readers = (async () => {
      while (isRunning) {
        const [x, y] = await db.getAll(a, b);
        assert.equal(x!.get('n') + y!.get('n'), 100);
      }
    })();
    for (let i = 0; i < 30; i++)
      await db.runTransaction(async (transaction) => {
        const [x, y] = await transaction.getAll(a, b);
        transaction.update(a, { n: x!.get('n') - 1 });
        transaction.update(b, { n: y!.get('n') + 1 });
      });
    isRunning = false;
    await readers;
    assert.equal((await a.get()).get('n'), 20);
  });

  it('locks what it has read, including the absence of a document', async () => {
    const target = db.doc('held/target');
    const absent = db.doc('held/absent');
    let attempts = 0;
    let outside: Promise<unknown> | undefined;
    await db.runTransaction(async (transaction) => {
      attempts += 1;
      await transaction.get(absent);
      outside ??= clientOf(server).doc('held/absent').set({ came: true });
      await sleep(100);
      const again = await transaction.get(absent);
      transaction.set(target, { sawIt: again.exists });
    });
    await outside;
    assert.equal(attempts, 1);
    assert.equal((await target.get()).get('sawIt'), false);
    assert.equal((await absent.get()).get('came'), true);
  });

  it('writes nothing when the function throws', async () => {
    await assert.rejects(
      db.runTransaction(async (transaction) => {
        await transaction.get(db.doc('rollback/x'));
        transaction.set(db.doc('rollback/x'), { a: 1 });
        throw new Error('changed my mind');
      }),
      /changed my mind/,
    );
    assert.equal((await db.doc('rollback/x').get()).exists, false);
  });

  it('fails as a whole when one of its writes does', async () => {
    await db.doc('whole/there').set({});
    const { code } = await failure(
      db.runTransaction(async (transaction) => {
        transaction.set(db.doc('whole/new'), {});
        transaction.create(db.doc('whole/there'), {});
      }),
    );
    assert.equal(code, 6);
    assert.equal((await db.doc('whole/new').get()).exists, false);
  });

  it('reads a single snapshot in a read-only transaction, also of the past', async () => {
    const document = db.doc('past/x');
    const { writeTime } = await document.set({ v: 1 });
    await document.set({ v: 2 });
    const read = (options: { readOnly: true; readTime?: Timestamp }) =>
      db.runTransaction(async (transaction) => (await transaction.get(document)).get('v') as number, options);
    assert.equal(await read({ readOnly: true }), 2);
    assert.equal(await read({ readOnly: true, readTime: writeTime }), 1);
    const longAgo = Timestamp.fromMillis(Date.now() - 2 * 3_600_000);
    assert.equal((await failure(read({ readOnly: true, readTime: longAgo }))).code, 9);
  });

  it('detects a change of its query results as a conflict', async () => {
    const rooms = db.collection('bookings');
    const book = (who: string) =>
      db.runTransaction(
        async (transaction) => {
          const taken = await transaction.get(rooms.where('room', '==', 7));
          if (taken.empty) transaction.set(rooms.doc(who), { room: 7 });
        },
        { maxAttempts: 20 },
      );
    await Promise.all(['a', 'b', 'c', 'd'].map(book));
    assert.equal((await rooms.where('room', '==', 7).get()).size, 1);
  });
});
