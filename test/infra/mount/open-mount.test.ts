/** A mounted backup, read and written by the official client and by REST. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { type IncomingHttpHeaders, request } from 'node:http';
import { Firestore as Client, FieldValue } from '@google-cloud/firestore';
import { afterAll, beforeAll, test } from 'vitest';
import { ArchiveDocuments } from '../../../infra/mount/archive-documents.ts';
import { rpcErrorOf } from '../../../infra/mount/mount-backups.ts';
import { openMount } from '../../../infra/mount/open-mount.ts';
import { ShardWriter } from '../../../shared/archive/index.ts';
import { addAll, Bucket, dataKey, samples, settle, writing } from '../../harness/builders/sample-archive.ts';

const count = 4_000;
const documents = samples(count, { textBytes: 300 });
const direct = count - Math.floor(count / 7);
const bucket = new Bucket();
let mount: Awaited<ReturnType<typeof openMount>>;
let client: Client;
const { manifest } = await (async () => {
  const writer = new ShardWriter(0, writing('mount'));
  addAll(writer, documents);
  return settle(bucket, { writer, options: writing('mount') });
})();

const mounted = (from: Bucket): ReturnType<typeof openMount> => {
  const documents = new ArchiveDocuments(
    from.open(manifest, () => dataKey, true),
    rpcErrorOf,
  );
  return openMount([{ backup: manifest.backup, source: manifest.source, documents }], {
    port: 0,
    allowedOrigins: ['https://app.example.com'],
  });
};

beforeAll(async () => {
  mount = await mounted(bucket);
  client = new Client({ projectId: mount.projectId, host: mount.address, ssl: false });
});
afterAll(async () => {
  await client.terminate();
  await mount.stop();
});

const idOf = (i: number): string => String(i).padStart(7, '0');

test('mount: the client reads the first document with two ranged reads, and a hundred at once', async () => {
  bucket.fetches = [];
  const first = await client.doc(`things/${idOf(2_000)}`).get();
  equal(bucket.fetches.length, 2);
  equal(first.createTime?.seconds, 1_700_000_000 + 2_000);
  equal((first.get('text') as string).length, 300);
  const several = await client.getAll(...Array.from({ length: 100 }, (_, i) => client.doc(`things/${idOf(i * 40)}`)));
  equal(several.filter(({ exists }) => exists).length, 100 - several.filter((_, i) => (i * 40) % 7 === 6).length);
  equal((await client.doc('things/none').get()).exists, false);
});

test('mount: queries by name, by field, of groups, aggregations and lists see the whole backup', async () => {
  const things = client.collection('things');
  equal((await things.get()).size, direct);
  equal((await things.count().get()).data().count, direct);
  equal((await client.collectionGroup('parts').get()).size, count - direct);
  equal((await client.collectionGroup('parts').count().get()).data().count, count - direct);
  const last = await things.orderBy('__name__', 'desc').limit(3).get();
  deepEqual(
    last.docs.map(({ id }) => id),
    [3_999, 3_998, 3_997].map(idOf),
  );
  const texts = (await things.get()).docs.map((one) => one.get('text') as string).sort();
  const least = await things.orderBy('text').offset(1).limit(2).get();
  deepEqual(
    least.docs.map((one) => one.get('text')),
    texts.slice(1, 3),
  );
  equal((await things.where('text', '>=', texts[10]).where('text', '<', texts[20]).get()).size, 10);
  deepEqual(
    (await client.listCollections()).map(({ id }) => id),
    ['things'],
  );
  equal((await things.listDocuments()).length, count);
  deepEqual(
    (await client.doc(`things/${idOf(6)}`).listCollections()).map(({ id }) => id),
    ['parts'],
  );
  ok((await things.offset(5).limit(1).get()).size === 1);
});

test('mount: what is written lies above the backup: updates, deletions, transactions, listeners and later queries agree', async () => {
  const [changed, deleted, created] = [client.doc('things/0000001'), client.doc('things/0000002'), client.doc('things/new')];
  const heard: string[][] = [];
  const query = client.collection('things').limit(3);
  const stop = query.onSnapshot((snapshot) => heard.push(snapshot.docs.map(({ id }) => id)));
  const until = async (matches: () => boolean): Promise<void> => {
    while (!matches()) await new Promise((resolve) => setTimeout(resolve, 10));
  };
  await until(() => heard.length > 0);
  const before = await changed.get();
  await changed.update({ added: FieldValue.increment(2) });
  equal((await changed.get()).get('added'), 2);
  equal((await changed.get()).get('text'), before.get('text'));
  equal((await changed.get()).createTime?.toMillis(), before.createTime?.toMillis());
  await deleted.delete();
  await until(() => heard.at(-1)?.[2] === idOf(3));
  stop();
  deepEqual(heard.at(-1), [0, 1, 3].map(idOf));
  await rejects(changed.create({ a: 1 }), { code: 6 });
  await created.create({ added: 5 });
  await client.runTransaction(async (transaction) => {
    const sum = await transaction.get(client.collection('things').where('added', '>', 0));
    transaction.set(client.doc('sums/all'), { added: sum.docs.reduce((all, one) => all + (one.get('added') as number), 0) });
  });
  deepEqual((await client.doc('sums/all').get()).data(), { added: 7 });
  equal((await client.collection('things').count().get()).data().count, direct);
  deepEqual(
    (await client.collection('things').orderBy('__name__').limit(3).get()).docs.map(({ id }) => id),
    [0, 1, 3].map(idOf),
  );
});

test('mount: REST reads the same, and another project is told that it does not exist', async () => {
  const root = `${mount.url}/v1/projects/p/databases/(default)/documents`;
  const one = (await (await fetch(`${root}/things/0000003`)).json()) as { name: string };
  ok(one.name.endsWith('/documents/things/0000003'));
  const list = (await (await fetch(`${root}/things?pageSize=2`)).json()) as { documents: { name: string }[] };
  equal(list.documents.length, 2);
  equal((await fetch(root.replace('/p/', '/other/').concat('/things/0000003'))).status, 404);
});

const asked = (path: string, headers: Record<string, string>, method = 'GET') =>
  new Promise<{ status: number | undefined; headers: IncomingHttpHeaders; body: string }>((resolve, reject) => {
    const sent = request(`${mount.url}${path}`, { method, headers }, async (answer) => {
      const body = Buffer.concat(await answer.toArray()).toString();
      resolve({ status: answer.statusCode, headers: answer.headers, body });
    });
    sent.on('error', reject).end();
  });
const readPath = '/v1/projects/p/databases/(default)/documents/things/0000003';
const channelPath = '/google.firestore.v1.Firestore/Listen/channel?VER=8&RID=1';

for (const origin of [
  'http://localhost:3000',
  'http://127.0.0.1:5173',
  'http://[::1]:80',
  'https://app.localhost',
  'https://app.example.com',
])
  test(`mount: a page of ${origin} may read the backup`, async () => {
    for (const [path, method] of [
      [readPath, 'GET'],
      [readPath, 'OPTIONS'],
      [channelPath, 'POST'],
    ] as const) {
      const { status, headers } = await asked(path, { origin, 'access-control-request-method': 'POST' }, method);
      deepEqual([status, headers['access-control-allow-origin']], [200, origin]);
    }
  });

for (const origin of [
  'https://foreign.example',
  'http://app.example.com',
  'https://localhost.example',
  'http://127.0.0.1.example',
  'http://host.docker.internal',
  'null',
])
  test(`mount: a page of ${origin} neither reads the backup nor writes above it`, async () => {
    for (const [path, method] of [
      [readPath, 'GET'],
      [readPath, 'DELETE'],
      [readPath, 'OPTIONS'],
      [channelPath, 'POST'],
      ['/admin/faults', 'POST'],
    ] as const) {
      const { status, headers, body } = await asked(path, { origin, 'access-control-request-method': 'POST' }, method);
      deepEqual([status, headers['access-control-allow-origin']], [403, undefined], `${method} ${path}`);
      ok(body.includes('PERMISSION_DENIED') && !body.includes('0000003'));
    }
    equal((await asked(readPath, {})).status, 200);
  });

test('mount: a page whose own name leads to this machine does not read the backup', async () => {
  for (const host of ['foreign.example', 'foreign.example:8080', '127.0.0.1.foreign.example', 'wiki.internal'])
    equal((await asked(readPath, { host })).status, 403, host);
  for (const host of ['localhost:8080', '127.0.0.1', '[::1]:8080', 'host.docker.internal:8080', 'app.example.com'])
    equal((await asked(readPath, { host })).status, 200, host);
});

test('mount: a damaged leaf is told to the client, and the other documents stay readable', async () => {
  const broken = new Bucket();
  for (const [name, bytes] of bucket.objects) broken.objects.set(name, Buffer.from(bytes));
  const copy = [...broken.objects.entries()].find(([name]) => name.includes('chunk'))?.[1] ?? Buffer.alloc(0);
  copy.fill(0, copy.length - 20_000, copy.length - 10_000);
  const damaged = await mounted(broken);
  const reader = new Client({ projectId: damaged.projectId, host: damaged.address, ssl: false });
  try {
    equal((await reader.doc('things/0000000').get()).exists, true);
    await rejects(reader.doc(`things/${idOf(3_999)}`).get(), { code: 15 });
  } finally {
    await reader.terminate();
    await damaged.stop();
  }
});
