import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { afterAll, beforeAll, test } from 'vitest';
import { StorageError, type Store } from '../../../shared/destination/index.ts';
import { type Fault, type FaultProxy, openFaultProxy, type Seen } from '../../support/fault-proxy.ts';
import { account, openAt, quick, type Stops, startGoogle, startTokens, stopAll } from '../../support/store-stand.ts';

const MiB = 1 << 20;
const stops: Stops = [];
const failures: unknown[] = [];
let proxy: FaultProxy;
let store: Store;
let behind: Store;
beforeAll(async () => {
  await startTokens(stops);
  const url = await startGoogle(stops);
  proxy = await openFaultProxy(stops, url);
  behind = await openAt('gcs', url, 'fault');
  store = await openAt('gcs', proxy.url, 'fault');
  stops.push(
    () => behind.close(),
    () => store.close(),
  );
});
afterAll(() => stopAll(stops));

const busy: Fault = { answer: { status: 503 } };
const isPart = ({ method }: Seen) => method === 'PUT';
const partsOf = () => proxy.seen.filter(isPart);
const fails = (work: Promise<unknown>, code: StorageError['code'], bucket = false) =>
  rejects(work, (error: unknown) => {
    failures.push(error);
    ok(error instanceof StorageError, String(error));
    deepEqual([error.code, error.bucket], [code, bucket]);
    return true;
  });
const uploadOf = async (name: string, bytes: Uint8Array) => {
  const upload = store.upload(name);
  await upload.write([bytes]);
  return upload;
};

test('a store that is busy three times is asked a fourth time', async () => {
  for (const work of [
    () => store.put('busy', Buffer.from('x')),
    () => store.get('busy'),
    () => store.head('busy'),
    () => Array.fromAsync(store.list('busy')),
    () => store.remove(['busy']),
  ]) {
    proxy.script((_, before) => (before < 3 ? busy : undefined));
    await work();
    equal(proxy.seen.length, 4);
  }
  proxy.script(() => busy);
  await fails(store.get('busy'), 'unavailable');
  equal(proxy.seen.length, quick.attempts);
});

for (const [status, code] of [
  [403, 'denied'],
  [404, 'missing'],
  [400, 'invalid'],
] as const)
  test(`${status} is ${code} at once`, async () => {
    proxy.script(() => ({ answer: { status } }));
    await fails(store.put('x', Buffer.from('x')), code);
    await fails((await uploadOf('x', randomBytes(17 * MiB))).finish(), code);
    equal(proxy.seen.length, 2);
  });

test('a token that was taken back is asked for anew; an account that is refused is denied', async () => {
  proxy.script((_, before) => (before === 0 ? { answer: { status: 401 } } : undefined));
  await store.put('token', Buffer.from('x'));
  equal(proxy.seen.length, 2);
  proxy.script(() => ({ answer: { status: 401 } }));
  await fails(store.put('token', Buffer.from('x')), 'denied');
  equal(proxy.seen.length, 2);
});

test('an upload goes on where it was, whatever became of a part', async () => {
  for (const fault of ['lost', busy] as const)
    for (const number of [0, 1, 2]) {
      const bytes = randomBytes(20 * MiB);
      proxy.script((seen) => (isPart(seen) && partsOf().length === number + 1 ? fault : undefined));
      deepEqual(await (await uploadOf('parts', bytes)).finish(), { size: bytes.length });
      ok(Buffer.from(await behind.get('parts')).equals(bytes));
      // What was lost had arrived; it is asked for by an empty part and not sent again.
      const sent = partsOf().reduce((sum, { body }) => sum + body.length, 0);
      equal(sent, fault === 'lost' ? bytes.length : bytes.length + (partsOf()[number]?.body.length ?? 0));
    }
});

test('an object that came out other than it was sent is removed, and the upload fails', async () => {
  proxy.script((seen) => (isPart(seen) && partsOf().length === 1 ? 'flipped' : undefined));
  await fails((await uploadOf('flipped', randomBytes(17 * MiB))).finish(), 'invalid');
  equal(await behind.head('flipped'), undefined);
});

test('a small object whose bytes change on their way is refused', async () => {
  proxy.script(() => 'flipped');
  await fails(store.put('small', randomBytes(100_000)), 'invalid');
  equal(await behind.head('small'), undefined);
});

test('a small upload that may or may not have arrived is removed', async () => {
  proxy.script(({ method }) => (method === 'POST' ? 'lost' : undefined));
  await fails((await uploadOf('perhaps', Buffer.from('x'))).finish(), 'unavailable');
  equal(await behind.head('perhaps'), undefined);
});

test('an answer that ends early is asked for again', async () => {
  const bytes = randomBytes(10_000);
  await behind.put('cut', bytes);
  proxy.script((_, before) => (before === 0 ? 'cut' : undefined));
  ok(Buffer.from(await store.get('cut')).equals(bytes));
  proxy.script(() => 'cut');
  await fails(store.get('cut'), 'unavailable');
});

test('an upload that the store sends to another host is not followed', async () => {
  proxy.script(({ method }) =>
    method === 'POST' ? { answer: { status: 200, headers: { location: 'http://127.0.0.1:9/x' } } } : undefined,
  );
  await fails((await uploadOf('elsewhere', randomBytes(17 * MiB))).finish(), 'invalid');
  equal(partsOf().length, 0);
});

test('a bucket that is not there is told from an object that is not', async () => {
  proxy.script(() => undefined);
  const elsewhere = await openAt('gcs', proxy.url, 'fault', quick, { bucket: 'no-such-bucket' });
  await fails(elsewhere.put('x', Buffer.from('x')), 'missing', true);
  await fails(elsewhere.head('x'), 'missing', true);
  await fails(store.get('none'), 'missing');
  elsewhere.close();
});

test('no failure shows a token or a key', () => {
  ok(failures.length > 8);
  const shown = inspect(failures, { depth: 12 });
  ok(!shown.includes('Bearer') && !shown.includes(account.privateKey.slice(60, 120)) && !shown.includes('local-google.'));
});
