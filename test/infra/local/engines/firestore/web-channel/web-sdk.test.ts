/** The official web SDK in Chromium, against the embedded Firestore. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { Firestore as Client } from '@google-cloud/firestore';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, test, vi } from 'vitest';
import { type Firestore, startFirestore } from '../../../../../../infra/local/engines/firestore/index.ts';
import { ArchiveDocuments } from '../../../../../../infra/mount/archive-documents.ts';
import { rpcErrorOf } from '../../../../../../infra/mount/mount-backups.ts';
import { type Mount, openMount } from '../../../../../../infra/mount/open-mount.ts';
import { ShardWriter } from '../../../../../../shared/archive/index.ts';
import { addAll, Bucket, dataKey, samples, settle, writing } from '../../../../../harness/builders/sample-archive.ts';
import { startCutter } from '../../../../../harness/faults/connection-cutter.ts';
import { openPages, type WebPages } from '../../../../../harness/web-sdk/open-pages.ts';
import type { Web } from '../../../../../harness/web-sdk/page.ts';

/** In the page. */
declare const web: Web;

// A page that is refused or finds nothing tries again later and later, up to a minute.
vi.setConfig({ testTimeout: 180_000 });

let server: Firestore;
let pages: WebPages;
const logged: unknown[] = [];
const contexts: BrowserContext[] = [];
const clients: Client[] = [];

beforeAll(async () => {
  server = await startFirestore({ log: (error) => logged.push(error) });
  pages = await openPages();
});
afterEach(async () => {
  await Promise.all(contexts.splice(0).map((context) => context.close()));
  await Promise.all(clients.splice(0).map((client) => client.terminate()));
  server.faults.clear();
  deepEqual(logged, []);
});
afterAll(async () => {
  await pages.close();
  await server.stop();
});

const newPage = async (context?: BrowserContext): Promise<Page> => {
  const page = await pages.open(context);
  if (!context) contexts.push(page.context());
  return page;
};
const clientOf = (projectId: string): Client => {
  const client = new Client({ projectId, host: server.address, ssl: false });
  clients.push(client);
  return client;
};

for (const [mode, settings, ci] of [
  ['streaming', {}, '0'],
  ['long-polling', { experimentalForceLongPolling: true, experimentalAutoDetectLongPolling: false }, '1'],
] as const)
  describe(`the web SDK by ${mode}`, () => {
    const projectId = `shop-${mode}`;
    const openingOf = () => ({ projectId, settings, port: server.port });

    test('a query tells what is added, modified and removed, first locally and then as confirmed', async () => {
      const page = await newPage();
      const waits = new Set<string | null>();
      page.on('request', (request) => {
        const query = new URL(request.url()).searchParams;
        if (query.get('RID') === 'rpc') waits.add(query.get('CI'));
      });
      const seen = await page.evaluate(async (opening) => {
        const users = web.collection(web.open(opening), 'users');
        const heard = web.record(web.query(users, web.where('isActive', '==', true)));
        await heard.until(({ isFromCache }) => !isFromCache);
        await web.setDoc(web.doc(users, 'ada'), { isActive: true, name: 'Ada' });
        await heard.until(({ ids, isPending, isFromCache }) => ids.length === 1 && !isPending && !isFromCache);
        await web.updateDoc(web.doc(users, 'ada'), { name: 'Ada L.' });
        await heard.until(({ data, isPending }) => data.ada?.name === 'Ada L.' && !isPending);
        await web.updateDoc(web.doc(users, 'ada'), { isActive: false });
        await heard.until(({ changes }) => changes.includes('removed ada'));
        return heard.seen;
      }, openingOf());
      deepEqual(
        seen.flatMap(({ changes }) => changes),
        ['added ada', 'modified ada', 'removed ada'],
      );
      ok(seen.some(({ ids, isPending, isFromCache }) => ids.length === 1 && isPending && !isFromCache));
      deepEqual([...waits], [ci]);
    });

    test('changes of others are told of documents, queries with a limit and collection groups', async () => {
      const client = clientOf(projectId);
      await client.doc('cities/rome/parts/a').set({ n: 1 });
      const page = await newPage();
      await page.evaluate(async (opening) => {
        const db = web.open(opening);
        const parts = web.query(web.collectionGroup(db, 'parts'), web.orderBy('n'), web.limit(2));
        web.kept.group = web.record(parts);
        web.kept.document = web.record(web.doc(db, 'cities/oslo/parts/b'));
        await web.kept.group.until(({ ids, isFromCache }) => ids.length === 1 && !isFromCache);
        await web.kept.document.until(({ ids, isFromCache }) => ids.length === 0 && !isFromCache);
      }, openingOf());
      await client.doc('cities/oslo/parts/b').set({ n: 3 });
      await client.doc('cities/bern/parts/c').set({ n: 2 });
      await client.doc('cities/rome/parts/a').delete();
      const changes = await page.evaluate(async () => {
        const { group, document } = web.kept;
        await group?.until(({ ids }) => ids.join() === 'c,b');
        await document?.until(({ data }) => data.b?.n === 3);
        return group?.seen.flatMap((one) => one.changes);
      });
      deepEqual(changes?.slice(0, 2), ['added a', 'added b']);
      deepEqual(changes?.slice(2).toSorted(), ['added b', 'added c', 'removed a', 'removed b']);
      await client.doc('cities/oslo/parts/b').delete();
      await page.evaluate(() => web.kept.document?.until(({ ids }) => ids.length === 0, 2));
    });

    test('documents and snapshots of several megabytes arrive whole, in every writing', async () => {
      const client = clientOf(projectId);
      const text = 'Grüße, 東京 🚀 "quoted" \\ \u0000\u2028 e\u0301 '.repeat(10_000);
      await Promise.all(Array.from({ length: 8 }, (_, n) => client.doc(`large/d${n}`).set({ text, n })));
      const page = await newPage();
      const large = await page.evaluate(
        async ({ opening, text }) => {
          const db = web.open(opening);
          const heard = web.record(web.collection(db, 'large'));
          const { data } = await heard.until(({ ids, isFromCache }) => ids.length === 8 && !isFromCache);
          await web.setDoc(web.doc(db, 'large/d8'), { text: `${data.d7?.text}!`, n: 8 });
          const { data: later } = await heard.until(({ ids, isPending }) => ids.length === 9 && !isPending);
          return Object.values(later).map((one) => one.text === text || one.text === `${text}!`);
        },
        { opening: openingOf(), text },
      );
      deepEqual(large, Array(9).fill(true));
      equal((await client.doc('large/d8').get()).get('text'), `${text}!`);
    });

    test('values of every type come back as they were written', async () => {
      const page = await newPage();
      const read = await page.evaluate(async (opening) => {
        const db = web.open(opening);
        const all = web.doc(db, 'types/all');
        const values = {
          nothing: null,
          yes: true,
          whole: Number.MAX_SAFE_INTEGER,
          half: 0.5,
          none: Number.NaN,
          least: Number.NEGATIVE_INFINITY,
          minusZero: -0,
          bytes: web.Bytes.fromBase64String('+/8='),
          at: new web.Timestamp(1_700_000_000, 123_456_000),
          place: new web.GeoPoint(-1.5, 2),
          other: web.doc(db, 'types/other'),
          vector: web.vector([1, 2.5]),
          list: [1, { 'a.b': ['x'] }, null],
          map: { __proto: 1, 'ß 東': {} },
        };
        await web.setDoc(all, { ...values, added: web.serverTimestamp() });
        const { added, ...rest } = (await web.getDocFromServer(all)).data() ?? {};
        const isEqual = web.queryEqual(
          web.query(web.collection(db, 'c'), web.where('v', '==', rest)),
          web.query(web.collection(db, 'c'), web.where('v', '==', values)),
        );
        return { isEqual, isTimestamp: added instanceof web.Timestamp, isMinusZero: Object.is(rest.minusZero, -0) };
      }, openingOf());
      deepEqual(read, { isEqual: true, isTimestamp: true, isMinusZero: true });
      const stored = (await clientOf(projectId).doc('types/all').get()).data() ?? {};
      equal(stored.whole, Number.MAX_SAFE_INTEGER);
      deepEqual(stored.bytes, Buffer.from('+/8=', 'base64'));
      equal(stored.at.nanoseconds, 123_456_000);
      deepEqual(stored.list, [1, { 'a.b': ['x'] }, null]);
    });
  });

const projectId = 'shop';
const opening = () => ({ projectId, port: server.port });

test('the web SDK: batches are written at once, and server timestamps are estimated until they are known', async () => {
  const page = await newPage();
  const seen = await page.evaluate(async (opening) => {
    const orders = web.collection(web.open(opening), 'orders');
    const heard = web.record(orders);
    await heard.until(({ isFromCache }) => !isFromCache);
    const batch = web.writeBatch(orders.firestore);
    batch.set(web.doc(orders, 'a'), { at: web.serverTimestamp(), tags: web.arrayUnion('new'), n: web.increment(2) });
    batch.set(web.doc(orders, 'b'), { n: 1 });
    await batch.commit();
    const { data } = await heard.until(({ ids, isPending }) => ids.length === 2 && !isPending);
    await web.deleteDoc(web.doc(orders, 'b'));
    await heard.until(({ ids, isPending }) => ids.length === 1 && !isPending, 2);
    return { data: data.a, counts: heard.seen.map(({ ids }) => ids.length) };
  }, opening());
  deepEqual([seen.data?.tags, seen.data?.n], [['new'], 2]);
  deepEqual([...new Set(seen.counts)], [0, 2, 1]);
  const missing = await page.evaluate(async () => {
    const orders = web.collection(web.getFirestore(), 'orders');
    return web.updateDoc(web.doc(orders, 'missing'), { n: 1 }).catch((error: { code: string }) => error.code);
  });
  equal(missing, 'not-found');
});

test('the web SDK: transactions that contend are retried, and none is lost', async () => {
  const two = [await newPage(), await newPage()];
  const run = (page: Page) =>
    page.evaluate(async (opening) => {
      const counter = web.doc(web.open(opening), 'counters/one');
      const add = () =>
        web.runTransaction(
          counter.firestore,
          async (transaction) => {
            const { n = 0 } = (await transaction.get(counter)).data() ?? {};
            transaction.set(counter, { n: (n as number) + 1 });
          },
          { maxAttempts: 100 },
        );
      await Promise.all([add(), add(), add()]);
    }, opening());
  await Promise.all(two.map(run));
  equal((await clientOf(projectId).doc('counters/one').get()).get('n'), 6);
});

test('the web SDK: queries, counts, sums and averages', async () => {
  const client = clientOf(projectId);
  await Promise.all([1, 2, 3, 4].map((n) => client.doc(`numbers/${n}`).set({ n })));
  const page = await newPage();
  const found = await page.evaluate(async (opening) => {
    const numbers = web.collection(web.open(opening), 'numbers');
    const few = web.query(numbers, web.where('n', '>', 1), web.orderBy('n', 'desc'));
    const { docs } = await web.getDocsFromServer(web.query(few, web.startAfter(4), web.limit(1)));
    const counted = await web.getCountFromServer(few);
    const total = { sum: web.sum('n'), average: web.average('n') };
    return [docs.map(({ id }) => id), counted.data().count, (await web.getAggregateFromServer(few, total)).data()];
  }, opening());
  deepEqual(found, [['3'], 3, { sum: 9, average: 3 }]);
});

test('the web SDK: a query that is refused gets the error, and other listeners go on', async () => {
  const strict = await startFirestore({ indexes: '{ "indexes": [] }' });
  const page = await newPage();
  const code = await page.evaluate(
    async (opening) => {
      const all = web.collection(web.open(opening), 'all');
      const refused = web.record(web.query(all, web.orderBy('a'), web.orderBy('b')));
      const others = web.record(all);
      const code = await refused.failed();
      await web.setDoc(web.doc(all, 'a'), {});
      await others.until(({ ids, isPending }) => ids.length === 1 && !isPending);
      return code;
    },
    { ...opening(), port: strict.port },
  );
  equal(code, 'failed-precondition');
  await page.context().close();
  await strict.stop();
});

test('the web SDK: without permission a listener tries again, and shows nothing until it has it', async () => {
  const page = await newPage();
  server.faults.revoke('refused');
  server.faults.resetCalls();
  await page.evaluate(
    (opening) => {
      web.kept.all = web.record(web.collection(web.open(opening), 'all'));
    },
    { ...opening(), projectId: 'refused' },
  );
  while ((server.faults.calls.Listen ?? 0) < 2) await sleep(10);
  equal(await page.evaluate(() => web.kept.all?.seen.length), 0);
  server.faults.restore('refused');
  await page.evaluate(async () => {
    // It would try again later and later.
    await web.disableNetwork(web.getFirestore());
    await web.enableNetwork(web.getFirestore());
    await web.kept.all?.until(({ isFromCache }) => !isFromCache);
  });
});

test('the web SDK: what is written without a network is sent afterwards, and survives a reload', async () => {
  const client = clientOf('offline');
  await client.doc('notes/a').set({ text: 'first' });
  const persistent = { ...opening(), projectId: 'offline', isPersistent: true };
  const page = await newPage();
  await page.evaluate(async (opening) => {
    const notes = web.collection(web.open(opening), 'notes');
    await web.record(notes).until(({ ids, isFromCache }) => ids.length === 1 && !isFromCache);
    await web.disableNetwork(notes.firestore);
    void web.setDoc(web.doc(notes, 'b'), { text: 'offline' });
    void web.updateDoc(web.doc(notes, 'a'), { text: 'changed' });
    await web.record(notes).until(({ ids, isPending, isFromCache }) => ids.length === 2 && isPending && isFromCache);
  }, persistent);
  equal((await client.doc('notes/b').get()).exists, false);
  await client.doc('notes/c').set({ text: 'by another' });
  await page.reload();
  const seen = await page.evaluate(async (opening) => {
    const heard = web.record(web.collection(web.open(opening), 'notes'));
    const cached = await heard.until(({ ids }) => ids.length === 2);
    const whole = await heard.until(({ ids, isPending, isFromCache }) => ids.length === 3 && !isPending && !isFromCache);
    return { cached: cached.data, whole: whole.ids };
  }, persistent);
  deepEqual(seen, { cached: { a: { text: 'changed' }, b: { text: 'offline' } }, whole: ['a', 'b', 'c'] });
  deepEqual(
    (await client.collection('notes').get()).docs.map((one) => one.get('text')),
    ['changed', 'offline', 'by another'],
  );
});

test('the web SDK: several tabs share what is stored, and one goes on when another is closed', async () => {
  const persistent = { ...opening(), projectId: 'tabs', isPersistent: true };
  const first = await newPage();
  const second = await newPage(first.context());
  const begin = (page: Page) =>
    page.evaluate(async (opening) => {
      web.kept.rooms = web.record(web.collection(web.open(opening), 'rooms'));
      await web.kept.rooms.until(({ isFromCache }) => !isFromCache);
    }, persistent);
  const write = (page: Page, id: string) =>
    page.evaluate((id) => web.setDoc(web.doc(web.getFirestore(), 'rooms', id), { open: true }), id);
  const sees = (page: Page, count: number) =>
    page.evaluate(
      (count) => web.kept.rooms?.until(({ ids, isPending }) => ids.length === count && !isPending).then(({ ids }) => ids),
      count,
    );
  await begin(first);
  await begin(second);
  await write(second, 'a');
  deepEqual([await sees(first, 1), await sees(second, 1)], [['a'], ['a']]);
  await clientOf('tabs').doc('rooms/b').set({ open: true });
  deepEqual(
    [await sees(first, 2), await sees(second, 2)],
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
  );
  await first.close({ runBeforeUnload: true });
  await write(second, 'c');
  await clientOf('tabs').doc('rooms/d').set({ open: true });
  deepEqual(await sees(second, 4), ['a', 'b', 'c', 'd']);
});

test('the web SDK: a listener misses nothing when its connections are cut again and again', async () => {
  const client = clientOf('cut');
  const cutter = await startCutter(server.port);
  const page = await newPage();
  await page.evaluate(
    async (opening) => {
      web.kept.all = web.record(web.collection(web.open(opening), 'all'));
      await web.kept.all.until(({ isFromCache }) => !isFromCache);
    },
    { ...opening(), projectId: 'cut', port: Number(new URL(cutter.url).port) },
  );
  for (let n = 0; n < 5; n++) {
    // In the middle of the document.
    cutter.cutAfter(50_000);
    await client.doc(`all/d${n}`).set({ n, text: 'x'.repeat(100_000) });
    await page.evaluate(
      (count) => web.kept.all?.until(({ ids, isFromCache }) => ids.length === count && !isFromCache).then(({ ids }) => ids),
      n + 1,
    );
  }
  const changes = await page.evaluate(() => web.kept.all?.seen.flatMap((one) => one.changes));
  deepEqual(changes?.toSorted(), ['added d0', 'added d1', 'added d2', 'added d3', 'added d4']);
  await cutter.close();
});

test('the web SDK: when the Firestore has been started anew, channels begin anew, and writes of meanwhile arrive', async () => {
  const port = await (async () => {
    const first = await startFirestore();
    await first.stop();
    return first.port;
  })();
  let restarted = await startFirestore({ port });
  const page = await newPage();
  await page.evaluate(
    async (opening) => {
      web.kept.all = web.record(web.collection(web.open(opening), 'all'));
      await web.kept.all.until(({ isFromCache }) => !isFromCache);
      await web.setDoc(web.doc(web.getFirestore(), 'all/a'), { n: 1 });
    },
    { ...opening(), port },
  );
  await restarted.stop();
  restarted = await startFirestore({ port });
  // It is kept in memory, so the document is gone; the listener asks anew and is told so.
  const ids = await page.evaluate(async () => {
    void web.setDoc(web.doc(web.getFirestore(), 'all/b'), { n: 2 });
    return (await web.kept.all?.until(({ ids, isPending, isFromCache }) => ids.join() === 'b' && !isPending && !isFromCache))
      ?.ids;
  });
  deepEqual(ids, ['b']);
  await page.context().close();
  await restarted.stop();
});

for (const isExpired of [false, true])
  test(`the web SDK: documents deleted while a page was away vanish${isExpired ? ', also when its resume token has expired' : ''}`, async () => {
    const projectId = `away-${isExpired}`;
    const client = clientOf(projectId);
    await Promise.all(['a', 'b', 'c'].map((id) => client.doc(`things/${id}`).set({ n: 1 })));
    const page = await newPage();
    await page.evaluate(
      async (opening) => {
        const db = web.open(opening);
        web.kept.things = web.record(web.collection(db, 'things'));
        await web.kept.things.until(({ ids, isFromCache }) => ids.length === 3 && !isFromCache);
        await web.disableNetwork(db);
      },
      { ...opening(), projectId, isPersistent: true },
    );
    await client.doc('things/b').delete();
    if (isExpired) server.databases.open({ projectId, databaseId: '(default)' }).expireSnapshots();
    const changes = await page.evaluate(async () => {
      await web.enableNetwork(web.getFirestore());
      await web.kept.things?.until(({ ids, isFromCache }) => ids.join() === 'a,c' && !isFromCache);
      return web.kept.things?.seen.flatMap((one) => one.changes);
    });
    deepEqual(changes, ['added a', 'added b', 'added c', 'removed b']);
  });

test('the web SDK: a page that is closed leaves no listener behind', async () => {
  const projectId = 'left';
  const page = await newPage();
  await page.evaluate(
    async (opening) => {
      const heard = web.record(web.collection(web.open(opening), 'things'));
      await heard.until(({ isFromCache }) => !isFromCache);
      heard.stop();
      await web.terminate(web.getFirestore());
    },
    { ...opening(), projectId },
  );
  const { meter } = server.databases.open({ projectId, databaseId: '(default)' });
  const client = clientOf(projectId);
  // Each change that a listener is told of is billed.
  for (let billed = -1; meter.reads.listen > billed; await client.doc('things/a').set({})) billed = meter.reads.listen;
});

test('the web SDK: a page that is killed with large results under way does not stop others', async () => {
  const client = clientOf('killed');
  const text = 'x'.repeat(900_000);
  await Promise.all(Array.from({ length: 10 }, (_, n) => client.doc(`large/${n}`).set({ text })));
  const page = await newPage();
  await page.evaluate((opening) => void web.record(web.collection(web.open(opening), 'large')), {
    ...opening(),
    projectId: 'killed',
  });
  await page.waitForResponse((response) => response.url().includes('RID=rpc'));
  await page.context().close();
  const other = await newPage();
  const count = await other.evaluate(
    async (opening) => {
      const heard = web.record(web.collection(web.open(opening), 'large'));
      return (await heard.until(({ isFromCache }) => !isFromCache)).ids.length;
    },
    { ...opening(), projectId: 'killed' },
  );
  equal(count, 10);
});

describe('a backup that is opened', () => {
  const bucket = new Bucket();
  let mount: Mount;
  beforeAll(async () => {
    const writer = new ShardWriter(0, writing('web'));
    addAll(writer, samples(700, { textBytes: 2_000 }));
    const { manifest } = await settle(bucket, { writer, options: writing('web') });
    const archive = bucket.open(manifest, () => dataKey, true);
    const documents = new ArchiveDocuments(archive, rpcErrorOf);
    mount = await openMount([{ backup: manifest.backup, source: manifest.source, documents }], { port: 0 });
  });
  afterAll(() => mount.stop());
  const openingOf = () => ({ projectId: mount.projectId, port: Number(new URL(mount.url).port) });

  test('the web SDK reads it, and writes above it', async () => {
    const page = await newPage();
    const seen = await page.evaluate(async (opening) => {
      const things = web.collection(web.open(opening), 'things');
      const heard = web.record(things);
      const { ids, data } = await heard.until(({ isFromCache }) => !isFromCache);
      const [first = ''] = ids;
      await web.updateDoc(web.doc(things, first), { text: 'changed' });
      await web.deleteDoc(web.doc(things, '0000001'));
      await web.runTransaction(things.firestore, async (transaction) => {
        const other = await transaction.get(web.doc(things, '0000003'));
        transaction.set(web.doc(things, 'sum'), { length: (other.get('text') as string).length });
      });
      const changed = await heard.until((one) => one.ids.includes('sum') && !one.ids.includes('0000001') && !one.isPending);
      const { count } = (await web.getCountFromServer(things)).data();
      const text = data['0000003']?.text as string;
      return { before: ids.length, text, first: changed.data[first]?.text, sum: changed.data.sum?.length, count };
    }, openingOf());
    const { text, ...rest } = seen;
    deepEqual(rest, { before: 600, first: 'changed', sum: text.length, count: 600 });
    equal(text.length, 2_000);
  });

  test('a page of another website gets nothing of it, though it may use a Firestore of test data', async () => {
    const page = await pages.openAs('https://foreign.example');
    contexts.push(page.context());
    const read = (url: string) =>
      page.evaluate(
        (url) =>
          fetch(url).then(
            ({ status }) => status,
            () => 'refused' as const,
          ),
        url,
      );
    const path = 'v1/projects/p/databases/(default)/documents/things/0000002';
    equal(await read(`${mount.url}/${path}`), 'refused');
    equal(await read(`${server.url}/${path}`), 404);
  });
});
