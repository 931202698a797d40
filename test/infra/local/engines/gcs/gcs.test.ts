/** The wire format of the official client. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { CRC32C } from '@google-cloud/storage';
import { afterAll, beforeAll, test } from 'vitest';
import { startGcs } from '../../../../../infra/local/engines/gcs/index.ts';
import { type Stops, serve, stopAll, tempDir } from '../../../../harness/store/store-stands.ts';

const stops: Stops = [];
let url: string;
let dir: string;
beforeAll(async () => {
  dir = tempDir(stops);
  url = await serve(stops, startGcs({ dir }).listener);
  equal((await send('POST', { path: '/storage/v1/b?project=demo', body: JSON.stringify({ name: 'bucket' }) })).status, 200);
});
afterAll(() => stopAll(stops));

const send = (
  method: string,
  {
    path,
    body,
    headers = {},
  }: {
    readonly path: string;
    readonly body?: string | Uint8Array | undefined;
    readonly headers?: Record<string, string> | undefined;
  },
) => fetch(path.startsWith('http') ? path : url + path, { method, headers, ...(body !== undefined && { body: body as string }) });
const json = async (answer: Response) => (await answer.json()) as Record<string, unknown>;
const md5 = (bytes: Uint8Array) => createHash('md5').update(bytes).digest('base64');
const crc32c = (bytes: Buffer) => {
  const crc = new CRC32C();
  crc.update(bytes);
  return crc.toString();
};
const begin = async (name: string, body: object = {}): Promise<string> => {
  const answer = await send('POST', {
    path: `/upload/storage/v1/b/bucket/o?uploadType=resumable&name=${name}`,
    body: JSON.stringify(body),
  });
  equal(answer.status, 200);
  return answer.headers.get('location') ?? '';
};

test('gcs: buckets are created once, listed, and deleted when empty', async () => {
  const again = await send('POST', { path: '/storage/v1/b', body: JSON.stringify({ name: 'bucket' }) });
  equal(again.status, 409);
  equal((await send('POST', { path: '/storage/v1/b', body: JSON.stringify({ name: 'No Bucket' }) })).status, 400);
  await send('POST', { path: '/storage/v1/b', body: JSON.stringify({ name: 'other' }) });
  const { items } = (await json(await send('GET', { path: '/storage/v1/b?project=demo' }))) as { items: { name: string }[] };
  deepEqual(
    items.map(({ name }) => name),
    ['bucket', 'other'],
  );
  equal((await send('DELETE', { path: '/storage/v1/b/other' })).status, 204);
  deepEqual((await json(await send('GET', { path: '/storage/v1/b/other' }))).error, {
    code: 404,
    message: 'The specified bucket does not exist.',
    errors: [{ message: 'The specified bucket does not exist.', domain: 'global', reason: 'notFound' }],
  });
});

test('gcs: simple and multipart uploads store an object and return its digests', async () => {
  const bytes = randomBytes(1_000);
  const media = await json(
    await send('POST', { path: '/upload/storage/v1/b/bucket/o?uploadType=media&name=a%2Fb%20c', body: bytes }),
  );
  deepEqual([media.name, media.size, media.md5Hash, media.crc32c], ['a/b c', '1000', md5(bytes), crc32c(bytes)]);
  const whole = (hash: string) =>
    Buffer.concat([
      Buffer.from(`--x\r\ncontent-type: application/json\r\n\r\n{"name":"m","md5Hash":"${hash}","metadata":{"k":"v"}}\r\n`),
      Buffer.from('--x\r\ncontent-type: text/plain\r\n\r\n'),
      bytes,
      Buffer.from('\r\n--x--'),
    ]);
  const type = { 'content-type': 'multipart/related; boundary="x"' };
  const path = '/upload/storage/v1/b/bucket/o?uploadType=multipart';
  const described = await json(await send('POST', { path, body: whole(md5(bytes)), headers: type }));
  deepEqual([described.name, described.contentType, described.metadata], ['m', 'text/plain', { k: 'v' }]);
  equal((await send('POST', { path, body: whole(md5(Buffer.from('other'))), headers: type })).status, 400);
  equal((await send('DELETE', { path: '/storage/v1/b/bucket' })).status, 409);
});

test('gcs: objects are read whole and by range, with their digest', async () => {
  const bytes = randomBytes(1_000);
  await send('POST', { path: '/upload/storage/v1/b/bucket/o?uploadType=media&name=range', body: bytes });
  const read = async (range: string) => {
    const answer = await send('GET', { path: '/storage/v1/b/bucket/o/range?alt=media', headers: range ? { range } : {} });
    return [answer.status, answer.headers.get('content-range'), Buffer.from(await answer.arrayBuffer()).toString('hex')];
  };
  const hex = (from: number, to: number) => bytes.subarray(from, to).toString('hex');
  deepEqual(await read(''), [200, null, hex(0, 1_000)]);
  deepEqual(await read('bytes=10-19'), [206, 'bytes 10-19/1000', hex(10, 20)]);
  deepEqual(await read('bytes=990-'), [206, 'bytes 990-999/1000', hex(990, 1_000)]);
  deepEqual(await read('bytes=-5'), [206, 'bytes 995-999/1000', hex(995, 1_000)]);
  deepEqual(await read('bytes=900-5000'), [206, 'bytes 900-999/1000', hex(900, 1_000)]);
  equal((await read('bytes=1000-1001'))[0], 416);
  const { headers } = await send('GET', { path: '/download/storage/v1/b/bucket/o/range?alt=media' });
  equal(headers.get('x-goog-hash'), `crc32c=${crc32c(bytes)},md5=${md5(bytes)}`);
});

test('gcs: a resumable upload continues, and the object exists when it is complete', async () => {
  const bytes = randomBytes(600_000);
  const session = await begin('resumed');
  const put = (range: string, body: Uint8Array = new Uint8Array()) =>
    send('PUT', { path: session, body, headers: { 'content-range': range } });
  const first = await put('bytes 0-262143/*', bytes.subarray(0, 262_144));
  deepEqual([first.status, first.headers.get('range')], [308, 'bytes=0-262143']);
  equal((await put('bytes 262144-262200/*', bytes.subarray(262_144, 262_201))).status, 400);
  equal((await put('bytes 400000-599999/600000', bytes.subarray(400_000))).status, 503);
  const asked = await put('bytes */600000');
  deepEqual([asked.status, asked.headers.get('range')], [308, 'bytes=0-262143']);
  equal((await send('GET', { path: '/storage/v1/b/bucket/o/resumed' })).status, 404);
  // Bytes already received are skipped.
  const last = await put('bytes 200000-599999/600000', bytes.subarray(200_000));
  equal((await json(last)).md5Hash, md5(bytes));
  equal((await json(await put('bytes */600000'))).md5Hash, md5(bytes));
  const read = await send('GET', { path: '/storage/v1/b/bucket/o/resumed?alt=media' });
  ok(Buffer.from(await read.arrayBuffer()).equals(bytes));
});

test('gcs: an upload of unknown length ends with its request; a cancelled one is gone', async () => {
  const whole = await send('PUT', {
    path: await begin('open'),
    body: Buffer.from('all of it'),
    headers: { 'content-range': 'bytes 0-*/*' },
  });
  equal((await json(whole)).size, '9');
  const session = await begin('ended');
  await send('PUT', { path: session, body: randomBytes(262_144), headers: { 'content-range': 'bytes 0-262143/*' } });
  equal((await send('DELETE', { path: session })).status, 499);
  equal((await send('PUT', { path: session, body: '', headers: { 'content-range': 'bytes */*' } })).status, 410);
  equal((await send('GET', { path: '/storage/v1/b/bucket/o/ended' })).status, 404);
});

test('gcs: lists support prefix, delimiter and pages', async () => {
  for (const name of ['l/a', 'l/b/1', 'l/b/2', 'l/c', 'l/d/1'])
    await send('POST', { path: `/upload/storage/v1/b/bucket/o?uploadType=media&name=${encodeURIComponent(name)}`, body: name });
  const list = async (query: string) => {
    const {
      items = [],
      prefixes = [],
      nextPageToken,
    } = (await json(await send('GET', { path: `/storage/v1/b/bucket/o?${query}` }))) as {
      items?: { name: string }[];
      prefixes?: string[];
      nextPageToken?: string;
    };
    return { names: items.map(({ name }) => name), prefixes, nextPageToken };
  };
  deepEqual((await list('prefix=l/')).names, ['l/a', 'l/b/1', 'l/b/2', 'l/c', 'l/d/1']);
  const folders = await list('prefix=l/&delimiter=/');
  deepEqual(
    [folders.names, folders.prefixes],
    [
      ['l/a', 'l/c'],
      ['l/b/', 'l/d/'],
    ],
  );
  const pages: string[] = [];
  for (let token: string | undefined = ''; token !== undefined; ) {
    const page = await list(`prefix=l/&maxResults=2&pageToken=${encodeURIComponent(token)}`);
    pages.push(page.names.join());
    token = page.nextPageToken;
  }
  deepEqual(pages, ['l/a,l/b/1', 'l/b/2,l/c', 'l/d/1']);
});

test('gcs: deleted objects are gone, and stored ones survive a restart', async () => {
  await send('POST', { path: '/upload/storage/v1/b/bucket/o?uploadType=media&name=kept', body: 'kept' });
  await send('POST', { path: '/upload/storage/v1/b/bucket/o?uploadType=media&name=gone', body: 'gone' });
  equal((await send('DELETE', { path: '/storage/v1/b/bucket/o/gone' })).status, 204);
  equal((await send('DELETE', { path: '/storage/v1/b/bucket/o/gone' })).status, 404);
  url = await serve(stops, startGcs({ dir }).listener);
  equal(await (await send('GET', { path: '/storage/v1/b/bucket/o/kept?alt=media' })).text(), 'kept');
  equal((await send('GET', { path: '/storage/v1/b/bucket/o/gone' })).status, 404);
});

test('gcs: malformed requests get the API’s errors', async () => {
  for (const [method, path, status] of [
    ['GET', '/', 404],
    ['GET', '/storage/v2/b', 404],
    ['POST', '/storage/v1/b', 400],
    ['PUT', '/storage/v1/b/bucket/o/kept', 400],
    ['POST', '/upload/storage/v1/b/bucket/o?uploadType=multipart', 400],
    ['POST', '/upload/storage/v1/b/bucket/o?uploadType=media', 400],
    ['POST', '/upload/storage/v1/b/nowhere/o?uploadType=media&name=x', 404],
  ] as const) {
    const answer = await send(method, { path, body: method === 'GET' ? undefined : '{' });
    equal(answer.status, status, path);
    equal(((await json(answer)).error as { code: number }).code, status);
  }
});
