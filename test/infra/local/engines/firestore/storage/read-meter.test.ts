import assert from 'node:assert/strict';
import { Firestore as Client } from '@google-cloud/firestore';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startFirestore } from '../../../../../../infra/local/engines/firestore/index.ts';
import { ReadMeter } from '../../../../../../infra/local/engines/firestore/storage/read-meter.ts';

const metered = async () => {
  const server = await startFirestore();
  process.env.FIRESTORE_EMULATOR_HOST = server.address;
  const client = new Client({ projectId: 'shop' });
  onTestFinished(async () => {
    await client.terminate();
    await server.stop();
  });
  const documents = client.collection('users');
  await Promise.all(Array.from({ length: 5 }, (_, n) => documents.doc(`u${n}`).set({ text: 'x'.repeat(1_000) })));
  const { meter } = server.databases.open({ projectId: 'shop', databaseId: '(default)' });
  meter.reset();
  return { server, client, documents, meter };
};

test('queries, look-ups, counts and listings are billed by documents, and by read units of 4 KiB', async () => {
  const { server, client, documents, meter } = await metered();
  await documents.get();
  await documents.where('text', '==', 'none').get();
  await client.getAll(documents.doc('u1'), documents.doc('none'));
  await documents.count().get();
  await client.listCollections();
  expect(meter.reads).toEqual({ queries: 6, lookups: 2, counts: 1, listings: 1, listen: 0, total: 10 });
  // The five documents of 1 KB share two units; an empty result has one.
  expect(meter.readUnits).toEqual({ queries: 3, lookups: 2, counts: 1, listings: 1, listen: 0, total: 7 });
  const answer = (await (await fetch(`${server.url}/admin/reads`)).json()) as { databases: unknown[] };
  expect(answer.databases).toEqual([
    { project: 'shop', database: '(default)', edition: 'STANDARD', reads: meter.reads, readUnits: meter.readUnits },
  ]);
  await fetch(`${server.url}/admin/reads`, { method: 'DELETE' });
  assert.equal(meter.reads.total, 0);
});

test('a listener is billed for its first results and for every change, not for deletions', async () => {
  const { documents, meter } = await metered();
  let seen = 0;
  const stop = documents.onSnapshot(({ size }) => {
    seen = size;
  });
  onTestFinished(stop);
  await vi.waitFor(() => assert.equal(seen, 5));
  assert.equal(meter.reads.listen, 5);
  await documents.doc('u9').set({ text: 'new' });
  await vi.waitFor(() => assert.equal(seen, 6));
  await documents.doc('u1').delete();
  await vi.waitFor(() => assert.equal(seen, 5));
  assert.equal(meter.reads.listen, 6);
});

test('a count of 1,001 entries is two reads, and of 1,000 eight read units', () => {
  const meter = new ReadMeter();
  meter.count(1_001);
  assert.equal(meter.reads.counts, 2);
  meter.reset();
  meter.count(1_000);
  assert.equal(meter.readUnits.counts, 8);
});
