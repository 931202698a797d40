/** Documents of a backup are copied into an emulator: read by ranges, written through REST, read again by the official client. */
import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Firestore as Client } from '@google-cloud/firestore';
import { afterAll, beforeAll, test } from 'vitest';
import { type Firestore, startFirestore } from '../../../infra/local/engines/firestore/index.ts';
import { ArchiveDocuments } from '../../../infra/mount/archive-documents.ts';
import { rpcErrorOf } from '../../../infra/mount/mount-backups.ts';
import { type PullOptions, type PullPlan, pullDocuments } from '../../../infra/pull/pull-documents.ts';
import { Spool } from '../../../infra/pull/spool.ts';
import { ShardWriter } from '../../../shared/archive/index.ts';
import { addAll, Bucket, dataKey, samples, settle, writing } from '../../harness/builders/sample-archive.ts';

/** Every seventh document is in `parts` below a document of `things` that does not exist. */
const count = 1_400;
const bucket = new Bucket();
const { manifest } = await (async () => {
  const writer = new ShardWriter(0, writing('pull'));
  addAll(writer, samples(count, { textBytes: 300 }));
  return settle(bucket, { writer, options: writing('pull') });
})();
const documents = new ArchiveDocuments(
  bucket.open(manifest, () => dataKey, true),
  rpcErrorOf,
);

let emulator: Firestore;
beforeAll(async () => {
  emulator = await startFirestore();
});
afterAll(() => emulator.stop());

let targets = 0;
const pulled = async (options: Partial<PullOptions> & Pick<PullOptions, 'picks'>) => {
  const project = `target-${targets++}`;
  const plans: PullPlan[] = [];
  const plan = await pullDocuments({
    documents,
    source: manifest.source,
    target: `projects/${project}/databases/(default)`,
    into: emulator.address,
    onPlan: (one) => plans.push(one),
    onProgress: () => undefined,
    signal: new AbortController().signal,
    ...options,
  });
  deepEqual(plans, [plan]);
  const client = new Client({ projectId: project, host: emulator.address, ssl: false });
  const things = (await client.collection('things').get()).docs;
  const parts = (await client.collectionGroup('parts').get()).docs;
  await client.terminate();
  return { plan, things, parts };
};

test('pull: a collection with all that is below it is the same in the emulator, and the plan has counted it', async () => {
  const { plan, things, parts } = await pulled({ picks: [{ collection: 'things', subcollections: true }] });
  equal(plan.documents, count);
  deepEqual([things.length, parts.length], [count - count / 7, count / 7]);
  ok(plan.bytes > count * 300 && plan.bytes < count * 600, String(plan.bytes));
  deepEqual(plan.collections, [{ collection: 'things', documents: count, bytes: plan.bytes }]);
  match(String(things[3]?.get('text')), /^[\da-f]{300}$/);
});

test('pull: a limit counts the documents of the collection, each with all that is below it', async () => {
  const { plan, things, parts } = await pulled({ picks: [{ collection: 'things', subcollections: true, limit: 14 }] });
  deepEqual([plan.documents, things.length, parts.length], [14, 12, 2]);
  const shallow = await pulled({ picks: [{ collection: 'things', subcollections: false, limit: 14 }] });
  deepEqual([shallow.plan.documents, shallow.things.length, shallow.parts.length], [14, 14, 0]);
});

test('pull: a sample is about its fraction, and the same every time', async () => {
  const picks = [{ collection: 'things', subcollections: true, sample: 0.25 }];
  const [one, two] = [await pulled({ picks }), await pulled({ picks })];
  ok(one.plan.documents > count * 0.2 && one.plan.documents < count * 0.3, String(one.plan.documents));
  deepEqual(
    one.things.map(({ id }) => id),
    two.things.map(({ id }) => id),
  );
});

test('pull: without an emulator it only counts, and a refused plan writes nothing', async () => {
  const picks = [{ collection: 'things', subcollections: true }];
  const dry = await pulled({ picks, into: undefined });
  deepEqual([dry.plan.documents, dry.things.length], [count, 0]);
  const refuse = (): void => {
    throw new Error('too many');
  };
  await rejects(pulled({ picks, onPlan: refuse }), /too many/);
  const client = new Client({ projectId: `target-${targets - 1}`, host: emulator.address, ssl: false });
  equal((await client.collection('things').get()).size, 0);
  await client.terminate();
});

test('pull: an address where nothing answers, or that refuses, is told before anything is read', async () => {
  bucket.fetches = [];
  const picks = [{ collection: 'parts', subcollections: true }];
  const server: Server = createServer((_, response) => response.writeHead(404).end('no')).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await rejects(pulled({ picks, into: `127.0.0.1:${port}` }), /refused the documents: HTTP 404/);
  await new Promise((resolve) => server.close(resolve));
  await rejects(pulled({ picks, into: `127.0.0.1:${port}` }), /no emulator answers at 127\.0\.0\.1:\d+: ECONNREFUSED/);
  deepEqual(bucket.fetches, []);
});

test('spool: texts with any separator are one value each', async () => {
  const spool = new Spool();
  const values = [{ a: 'line\u2028 and \u2029 and \r\n' }, { b: 'x'.repeat(2_000_000) }, { c: '' }];
  for (const value of values) spool.add(JSON.stringify(value));
  const read: unknown[] = [];
  for await (const json of spool.values()) read.push(JSON.parse(json));
  spool.close();
  deepEqual(read, values);
});
