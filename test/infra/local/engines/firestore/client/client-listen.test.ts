import assert from 'node:assert/strict';
import { Firestore } from '@google-cloud/firestore';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { type Firestore as Server, startFirestore } from '../../../../../../infra/local/engines/firestore/index.ts';

let server: Server;
let db: Firestore;

beforeAll(async () => {
  server = await startFirestore();
  process.env.FIRESTORE_EMULATOR_HOST = server.address;
  db = new Firestore({ projectId: 'listening' });
});
afterAll(async () => {
  await db.terminate();
  await server.stop();
});

/** Collects snapshots and returns them one by one. */
const watch = (query: FirebaseFirestore.Query) => {
  const seen: FirebaseFirestore.QuerySnapshot[] = [];
  let wake = (): void => {};
  let failed: Error | undefined;
  const stop = query.onSnapshot(
    (snapshot) => {
      seen.push(snapshot);
      wake();
    },
    (error) => {
      failed = error;
      wake();
    },
  );
  const next = async (): Promise<FirebaseFirestore.QuerySnapshot> => {
    while (seen.length === 0) {
      if (failed) throw failed;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return seen.shift() as FirebaseFirestore.QuerySnapshot;
  };
  return { next, stop };
};

const changes = (snapshot: FirebaseFirestore.QuerySnapshot): string[] =>
  snapshot.docChanges().map(({ type, doc }) => `${type} ${doc.id}`);

describe('the official client listens', () => {
  test('a query reports its initial results, then every change, deletion and mismatch', async () => {
    const rooms = db.collection('rooms');
    await rooms.doc('a').set({ open: true, n: 1 });
    const { next, stop } = watch(rooms.where('open', '==', true));
    assert.deepEqual(changes(await next()), ['added a']);
    await rooms.doc('b').set({ open: true, n: 2 });
    assert.deepEqual(changes(await next()), ['added b']);
    await rooms.doc('a').update({ n: 5 });
    assert.deepEqual(changes(await next()), ['modified a']);
    await rooms.doc('a').update({ open: false });
    assert.deepEqual(changes(await next()), ['removed a']);
    await rooms.doc('b').delete();
    assert.deepEqual(changes(await next()), ['removed b']);
    stop();
  });

  test('one commit of several documents is one snapshot', async () => {
    const items = db.collection('items');
    const { next, stop } = watch(items);
    assert.equal((await next()).size, 0);
    const batch = db.batch();
    for (const id of ['x', 'y', 'z']) batch.set(items.doc(id), { id });
    await batch.commit();
    assert.deepEqual(changes(await next()).sort(), ['added x', 'added y', 'added z']);
    stop();
  });

  test('with a limit, a new document displaces another, and its deletion restores it', async () => {
    const scores = db.collection('scores');
    await Promise.all([1, 2, 3].map((n) => scores.doc(`s${n}`).set({ n })));
    const { next, stop } = watch(scores.orderBy('n').limit(2));
    assert.deepEqual(changes(await next()), ['added s1', 'added s2']);
    await scores.doc('s0').set({ n: 0 });
    assert.deepEqual(changes(await next()).sort(), ['added s0', 'removed s2']);
    await scores.doc('s0').delete();
    assert.deepEqual(changes(await next()).sort(), ['added s2', 'removed s0']);
    stop();
  });

  test('a missing document is reported when it is created and deleted', async () => {
    const ref = db.doc('alone/doc');
    const seen: boolean[] = [];
    let wake = (): void => {};
    const stop = ref.onSnapshot((snapshot) => {
      seen.push(snapshot.exists);
      wake();
    });
    const until = async (count: number): Promise<void> => {
      while (seen.length < count) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    };
    await until(1);
    await ref.set({ here: true });
    await until(2);
    await ref.delete();
    await until(3);
    assert.deepEqual(seen, [false, true, false]);
    stop();
  });

  test('a collection group includes collections at any depth', async () => {
    const { next, stop } = watch(db.collectionGroup('notes'));
    assert.equal((await next()).size, 0);
    await db.doc('deep/missing/notes/1').set({ text: 'hello' });
    const [change] = (await next()).docChanges();
    assert.equal(change?.doc.ref.path, 'deep/missing/notes/1');
    stop();
  });
});
