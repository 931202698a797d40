import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'vitest';
import { writeDemoDocuments } from '../../../../infra/local/demo/demo-documents.ts';
import { startFirestore } from '../../../../infra/local/engines/firestore/index.ts';
import { seedDocuments } from '../../../../infra/local/engines/firestore/seed/seed-documents.ts';
import { clientOf } from '../../../harness/firestore/firestore-client.ts';

test('demo: the official client writes every seed document with the types an app would use', async (t) => {
  const server = await startFirestore({ log: () => {} });
  const firestore = clientOf(server, 'demo-project');
  t.onTestFinished(async () => {
    await firestore.terminate();
    await server.stop();
  });
  await writeDemoDocuments(server.address, 620);
  const expected = [...seedDocuments({ projectId: 'demo-project', databaseId: '(default)' }, 620)];
  const groups = await Promise.all(['users', 'orders', 'products', 'entries'].map((id) => firestore.collectionGroup(id).get()));
  const paths = groups.flatMap(({ docs }) => docs.map(({ ref }) => ref.path));
  deepEqual(paths.toSorted(), expected.map(({ path }) => path).toSorted());
  const user = (await firestore.doc('users/u0').get()).data();
  equal(user?.email, 'user0@example.com');
  equal(user?.friend.path, 'users/u0');
  equal(typeof user?.createdAt.toMillis(), 'number');
  equal(typeof user?.home.latitude, 'number');
  ok(Object.is(user?.settings.limits.burst, -0));
  const product = expected.find(({ path }) => path.startsWith('products/'));
  equal((await firestore.doc(product?.path ?? '').get()).data()?.embedding.toArray().length, 8);
});
