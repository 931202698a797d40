import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import { inspect } from 'node:util';
import { afterAll, beforeAll, test, vi } from 'vitest';
import { type ObjectStore, StorageError } from '../../../../../shared/destination/index.ts';
import { type Fault, type FaultProxy, openFaultProxy, type Seen } from '../../../../harness/faults/fault-proxy.ts';
import {
  account,
  openAt,
  openGcsInParts,
  quick,
  type Stops,
  serve,
  smallPartBytes,
  startGoogle,
  startTokens,
  stopAll,
} from '../../../../harness/store/store-stands.ts';

const eighth = smallPartBytes / 8;
const stops: Stops = [];
const failures: unknown[] = [];
let proxy: FaultProxy;
let store: ObjectStore;
let behind: ObjectStore;
/** Tries as often as a worker. */
let patient: ObjectStore;
let url: string;
beforeAll(async () => {
  await startTokens(stops);
  url = await startGoogle(stops);
  proxy = await openFaultProxy(stops, url);
  behind = openGcsInParts(url, 'fault');
  store = openGcsInParts(proxy.url, 'fault');
  patient = await openAt('gcs', proxy.url, { folder: 'fault', retryPolicy: { ...quick, attempts: 7 } });
  stops.push(
    () => behind.close(),
    () => store.close(),
    () => patient.close(),
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

const objectOf = (name: string) => encodeURIComponent(`fault/${name}`);
const posts = () => proxy.seen.filter(({ method }) => method === 'POST');
const textOf = async (from: ObjectStore, name: string) => Buffer.from(await from.get(name)).toString();

test('gcs: three transient errors are retried', async () => {
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
  [302, 'invalid'],
] as const)
  test(`gcs: ${status} is ${code} at once`, async () => {
    proxy.script(({ method }) => (method === 'POST' ? { answer: { status } } : undefined));
    await fails(store.put('x', Buffer.from('x')), code);
    await fails((await uploadOf('x', randomBytes(17 * eighth))).finish(), code);
    equal(posts().length, 2);
  });

test('gcs: starting an upload is retried as often as any other call', async () => {
  proxy.script(() => busy);
  proxy.seen.splice(0);
  const upload = store.upload('never');
  await fails(
    upload.write([Buffer.alloc(20 * eighth)]).then(() => upload.finish()),
    'unavailable',
  );
  equal(proxy.seen.filter(({ method, path }) => method === 'GET' && path.includes(objectOf('never'))).length, quick.attempts);
  proxy.script(() => undefined);
});

test('gcs: a revoked token is renewed once; a rejected account is denied', async () => {
  proxy.script((_, before) => (before === 0 ? { answer: { status: 401 } } : undefined));
  await store.put('token', Buffer.from('x'));
  equal(proxy.seen.length, 2);
  proxy.script(() => ({ answer: { status: 401 } }));
  await fails(store.put('token', Buffer.from('x')), 'denied');
  equal(proxy.seen.length, 2);
});

test('gcs: an upload continues after any failure of any part', async () => {
  for (const fault of ['lost', busy] as const)
    for (const number of [0, 1, 2]) {
      const bytes = randomBytes(20 * eighth);
      proxy.script((seen) => (isPart(seen) && partsOf().length === number + 1 ? fault : undefined));
      equal((await (await uploadOf('parts', bytes)).finish()).size, bytes.length);
      ok(Buffer.from(await behind.get('parts')).equals(bytes));
      // After a lost response an empty part queries the progress, and the part is not sent again.
      const sent = partsOf().reduce((sum, { body }) => sum + body.length, 0);
      equal(sent, fault === 'lost' ? bytes.length : bytes.length + (partsOf()[number]?.body.length ?? 0));
      await behind.remove(['parts']);
    }
});

test('gcs: a partly received part is continued from there', async () => {
  for (const number of [1, 2]) {
    const bytes = randomBytes(20 * eighth);
    proxy.script((seen) => (isPart(seen) && partsOf().length === number ? { passedBytes: 2 * eighth } : undefined));
    equal((await (await uploadOf('short', bytes)).finish()).size, bytes.length);
    ok(Buffer.from(await behind.get('short')).equals(bytes));
    equal(partsOf().length, 3);
  }
});

test('gcs: a store that loses acknowledged parts fails the upload', async () => {
  proxy.script((seen) => (isPart(seen) && partsOf().length === 2 ? { answer: { status: 308 } } : undefined));
  await fails((await uploadOf('forgotten', randomBytes(20 * eighth))).finish(), 'invalid');
  equal(await behind.head('forgotten'), undefined);
});

test('gcs: an upload without progress fails', async () => {
  proxy.script((seen) => (isPart(seen) ? { answer: { status: 308 } } : undefined));
  await fails((await uploadOf('stalled', randomBytes(17 * eighth))).finish(), 'unavailable');
  ok(partsOf().length <= 3 * quick.attempts, String(partsOf().length));
});

for (const status of [404, 410])
  for (const number of [1, 2])
    test(`gcs: a session that the store lost (${status}) at part ${number} is replaced by a new one`, async () => {
      const bytes = randomBytes(20 * eighth);
      proxy.script((seen) => (isPart(seen) && partsOf().length === number ? { answer: { status } } : undefined));
      equal((await (await uploadOf('expired', bytes)).finish()).size, bytes.length);
      ok(Buffer.from(await behind.get('expired')).equals(bytes));
      equal(posts().length, 2);
      equal(partsOf().length, number + 2);
      await behind.remove(['expired']);
    });

test('gcs: a store that loses every session fails the upload as a transient error, and nothing becomes visible', async () => {
  proxy.script((seen) => (isPart(seen) && partsOf().length % 2 === 0 ? { answer: { status: 410 } } : undefined));
  await fails((await uploadOf('lost-again', randomBytes(20 * eighth))).finish(), 'unavailable');
  equal(posts().length, 4);
  equal(await behind.head('lost-again'), undefined);
});

test('gcs: an upload too large to be kept in memory fails as a transient error if its session is lost', async () => {
  // More than 64 MiB were sent before.
  proxy.script((seen) => (isPart(seen) && partsOf().length === 66 ? { answer: { status: 410 } } : undefined));
  await fails((await uploadOf('large', Buffer.alloc(67 * smallPartBytes + 1))).finish(), 'unavailable');
  equal(posts().length, 1);
  equal(await behind.head('large'), undefined);
});

test('gcs: a damaged part is rejected by the store, and nothing becomes visible', async () => {
  proxy.script((seen) => (isPart(seen) && partsOf().length === 1 ? 'flipped' : undefined));
  await fails((await uploadOf('flipped', randomBytes(17 * eighth))).finish(), 'invalid');
  equal(await behind.head('flipped'), undefined);
});

for (const [what, change] of [
  ['checksum', { crc32c: 'AAAAAA==' }],
  ['size', { size: '1' }],
] as const)
  test(`gcs: an object confirmed with another ${what} fails the upload and is deleted`, async () => {
    const bytes = randomBytes(17 * eighth);
    proxy.script((seen) => (isPart(seen) && partsOf().length === 2 ? { changed: change } : undefined));
    await fails((await uploadOf('other', bytes)).finish(), 'invalid');
    equal(await behind.head('other'), undefined);
    proxy.script((seen) => (seen.method === 'POST' ? { changed: change } : undefined));
    // Only the answer is wrong: the object itself is asked before it is sent again.
    await patient.put('other', Buffer.from('small'));
    equal(await textOf(behind, 'other'), 'small');
    await behind.remove(['other']);
  });

test('gcs: a small object that is damaged in transit is rejected', async () => {
  proxy.script(() => 'flipped');
  await rejects(patient.put('small', randomBytes(100_000)), (error: StorageError) => {
    deepEqual([error.code, error.mismatch?.object], ['invalid', 'fault/small']);
    return /fault\/small .* instead of crc32c:/.test(error.message);
  });
  equal(posts().length, 5);
  equal(await behind.head('small'), undefined);
});

test('gcs: a put whose response was lost succeeds, also over an older object', async () => {
  for (const bytes of ['first', 'second']) {
    proxy.script((seen, before) => (seen.method === 'POST' && before === 0 ? 'lost' : undefined));
    await store.put('lost', Buffer.from(bytes));
    equal(await textOf(behind, 'lost'), bytes);
  }
});

test('gcs: a put replaces the generation it read, and reads again after a conflict', async () => {
  await behind.put('raced', Buffer.from('old'));
  proxy.script(async () => {
    // The first names no generation, the second that of `old`, the third that of `theirs`.
    if (posts().length === 2 && proxy.seen.at(-1)?.method === 'POST') await behind.put('raced', Buffer.from('theirs'));
    return undefined;
  });
  await store.put('raced', Buffer.from('ours'));
  equal(posts().length, 3);
  ok(posts().every(({ path }) => path.includes('ifGenerationMatch=')));
  equal(await textOf(behind, 'raced'), 'ours');
});

test('gcs: a small upload that may have arrived is deleted, an older object is not', async () => {
  proxy.script(({ method }) => (method === 'POST' ? 'lost' : undefined));
  await fails((await uploadOf('perhaps', Buffer.from('x'))).finish(), 'unavailable');
  equal(await behind.head('perhaps'), undefined);
  await behind.put('perhaps', Buffer.from('older'));
  proxy.script(({ method }) => (method === 'POST' ? busy : undefined));
  await fails((await uploadOf('perhaps', Buffer.from('x'))).finish(), 'unavailable');
  equal(await textOf(behind, 'perhaps'), 'older');
});

test('gcs: a failed finish deletes its own object, and not that of another writer', async () => {
  // The last part arrives; its response and all later ones are lost.
  const end = async (meanwhile: () => Promise<void>) => {
    proxy.script(async (seen) => {
      if (isPart(seen) && partsOf().length === 3) await meanwhile();
      return isPart(seen) && partsOf().length >= 2 ? 'lost' : undefined;
    });
    await fails((await uploadOf('made', randomBytes(17 * eighth))).finish(), 'unavailable');
  };
  await end(async () => ok(await behind.head('made')));
  equal(await behind.head('made'), undefined);
  await end(() => behind.put('made', Buffer.from('theirs')));
  equal(await textOf(behind, 'made'), 'theirs');
});

test('gcs: an upload fails if another writer stored the object meanwhile, and leaves theirs', async () => {
  proxy.script(() => undefined);
  const upload = await uploadOf('overtaken', randomBytes(17 * eighth));
  while (partsOf().length === 0) await new Promise((done) => setTimeout(done, 1));
  await behind.put('overtaken', Buffer.from('theirs'));
  await fails(upload.finish(), 'unavailable');
  equal(await textOf(behind, 'overtaken'), 'theirs');
});

test('gcs: abort cancels the session', async () => {
  proxy.script(() => undefined);
  const upload = await uploadOf('cancelled', randomBytes(20 * eighth));
  while (partsOf().length === 0) await new Promise((done) => setTimeout(done, 1));
  await upload.abort();
  const { path } = proxy.seen.find(({ method }) => method === 'DELETE') ?? { path: '' };
  ok(path.includes('upload_id='));
  equal((await fetch(proxy.url + path, { method: 'PUT', headers: { 'content-range': 'bytes */*' } })).status, 410);
});

test('gcs: a truncated response is requested again', async () => {
  const bytes = randomBytes(10_000);
  await behind.put('cut', bytes);
  proxy.script((_, before) => (before === 0 ? 'cut' : undefined));
  ok(Buffer.from(await store.get('cut')).equals(bytes));
  proxy.script(() => 'cut');
  await fails(store.get('cut'), 'unavailable');
});

test('gcs: an object that is damaged in transit is read again', async () => {
  await behind.put('damaged', Buffer.from('as it was'));
  const { headers } = await fetch(`${proxy.url}/storage/v1/b/backups/o/${objectOf('damaged')}?alt=media`);
  const damaged: Fault = {
    answer: {
      status: 200,
      body: 'as it WAS',
      headers: { 'x-goog-hash': headers.get('x-goog-hash') ?? '', 'x-goog-stored-content-encoding': 'identity' },
    },
  };
  proxy.script((_, before) => (before === 0 ? damaged : undefined));
  equal(await textOf(store, 'damaged'), 'as it was');
  proxy.script(() => damaged);
  await fails(store.get('damaged'), 'unavailable');
});

test('gcs: a call ends at once with its signal, and after its time limit', async () => {
  const silent = await serve(stops, () => {});
  const hasty = await openAt('gcs', silent, { folder: 'fault', retryPolicy: { ...quick, attempts: 2, requestMs: 100 } });
  const patient = await openAt('gcs', silent, { folder: 'fault', retryPolicy: { ...quick, requestMs: 60_000 } });
  stops.push(
    () => hasty.close(),
    () => patient.close(),
  );
  for (const work of [
    (from: ObjectStore, signal?: AbortSignal) => from.put('x', Buffer.from('x'), signal ? { signal } : {}),
    (from: ObjectStore, signal?: AbortSignal) => from.get('x', undefined, signal),
    (from: ObjectStore, signal?: AbortSignal) => from.head('x', signal),
    (from: ObjectStore, signal?: AbortSignal) => Array.fromAsync(from.list('x', signal)),
    (from: ObjectStore, signal?: AbortSignal) => from.remove(['x'], signal),
  ]) {
    await fails(work(hasty), 'unavailable');
    const reason = new Error('enough');
    const end = new AbortController();
    setTimeout(() => end.abort(reason), 50);
    await rejects(work(patient, end.signal), reason);
  }
});

test('gcs: a part in flight ends at once with the signal of its upload', async () => {
  const end = new AbortController();
  const reason = new Error('enough');
  proxy.script((seen) => {
    if (isPart(seen)) setTimeout(() => end.abort(reason), 10);
    return isPart(seen) ? 'silent' : undefined;
  });
  const upload = store.upload('silent', { signal: end.signal });
  await upload.write([randomBytes(20 * eighth)]);
  await rejects(upload.finish(), reason);
  equal(await behind.head('silent'), undefined);
});

test('gcs: neither a session nor a redirect to another host is followed, and the token stays', async () => {
  const seen: unknown[] = [];
  const elsewhere = await serve(stops, (request, response) => {
    seen.push(request.headers);
    response.end('{}');
  });
  proxy.script(({ method }) =>
    method === 'POST' ? { answer: { status: 200, headers: { location: `${elsewhere}/session` } } } : undefined,
  );
  await fails((await uploadOf('elsewhere', randomBytes(17 * eighth))).finish(), 'invalid');
  for (const status of [301, 302, 303, 307, 308]) {
    proxy.script(() => ({ answer: { status, headers: { location: `${elsewhere}/object` } } }));
    await fails(store.get('elsewhere'), 'invalid');
    await rejects(store.put('elsewhere', Buffer.from('x')), StorageError);
    await rejects(store.head('elsewhere'), StorageError);
  }
  deepEqual(seen, []);
});

test('gcs: a client connects to the store and the token service only', async (t) => {
  const hosts = new Set<string>();
  const { connect } = Socket.prototype;
  const spy = vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...given: unknown[]) {
    const [options] = given.flat() as { readonly host?: string; readonly port?: number }[];
    hosts.add(`${options?.host}:${options?.port}`);
    return connect.apply(this, given as never);
  });
  t.onTestFinished(() => spy.mockRestore());
  proxy.script(() => undefined);
  const fresh = await openAt('gcs', proxy.url, { folder: 'fault' });
  await fresh.put('hosts', Buffer.from('x'));
  const upload = fresh.upload('hosts-large');
  await upload.write([randomBytes(17 * eighth)]);
  await upload.finish();
  await fresh.get('hosts');
  await fresh.remove(['hosts', 'hosts-large']);
  fresh.close();
  const allowed = [proxy.url, url, process.env.GOOGLE_TOKEN_URL ?? ''].map((each) => new URL(each).host);
  ok(hosts.has(new URL(proxy.url).host));
  deepEqual(
    [...hosts].filter((host) => !allowed.includes(host)),
    [],
  );
});

test('gcs: close ends every connection', async () => {
  proxy.script(() => undefined);
  const open = new Set<Socket>();
  const base = await serve(stops, (request, response) => {
    open.add(request.socket);
    request.socket.once('close', () => open.delete(request.socket));
    response.writeHead(404).end('{}');
  });
  const fresh = await openAt('gcs', base, { folder: 'fault' });
  await Promise.all([fresh.head('a'), fresh.head('b'), fresh.head('c')]);
  await fresh.head('d');
  equal(open.size, 3);
  fresh.close();
  while (open.size > 0) await new Promise((done) => setTimeout(done, 1));
});

test('gcs: a missing bucket is distinguished from a missing object', async () => {
  proxy.script(() => undefined);
  const elsewhere = await openAt('gcs', proxy.url, { folder: 'fault', config: { bucket: 'no-such-bucket' } });
  await fails(elsewhere.put('x', Buffer.from('x')), 'missing', true);
  await fails(elsewhere.head('x'), 'missing', true);
  await fails(elsewhere.get('x'), 'missing', true);
  await fails(elsewhere.remove(['x']), 'missing', true);
  await fails(Array.fromAsync(elsewhere.list('')), 'missing', true);
  await fails(store.get('none'), 'missing');
  elsewhere.close();
});

test('gcs: no error contains a token or a key', () => {
  ok(failures.length > 20);
  const shown = inspect(failures, { depth: 12 });
  ok(!shown.includes('Bearer') && !shown.includes(account.privateKey.slice(60, 120)) && !shown.includes('local-google.'));
});
