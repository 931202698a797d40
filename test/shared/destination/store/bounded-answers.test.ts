/** A store is the customer's and may answer anything: whatever it sends, and for how long, it costs us a bounded amount. */
import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, test } from 'vitest';
import type { ObjectStore } from '../../../../shared/destination/index.ts';
import { openAt, type Stops, serve, startTokens, stopAll } from '../../../harness/store/store-stands.ts';

const MiB = 1 << 20;
const stops: Stops = [];
let url: string;
let asked: string[] = [];
let closed: Promise<unknown>[] = [];
let sentBytes = 0;
let answer: (request: IncomingMessage, response: ServerResponse) => unknown = () => {};

beforeAll(async () => {
  await startTokens(stops);
  url = await serve(stops, (request, response) => {
    asked.push(`${request.method} ${request.url}`);
    closed.push(new Promise((done) => response.once('close', done)));
    request.resume().once('end', () => answer(request, response));
  });
});
afterAll(() => stopAll(stops));
beforeEach(() => {
  asked = [];
  closed = [];
  sentBytes = 0;
});

/** Sends for as long as anybody listens. */
const flood = (status: number, headers: Record<string, string> = {}) => {
  const piece = Buffer.alloc(MiB / 4, 32);
  return (_: IncomingMessage, response: ServerResponse) => {
    response.writeHead(status, { 'content-type': 'application/xml', ...headers });
    const send = () => {
      while (!response.destroyed) {
        sentBytes += piece.length;
        if (!response.write(piece)) return void response.once('drain', send);
      }
    };
    send();
  };
};
const invalid = { name: 'StorageError', code: 'invalid' };

for (const type of ['s3', 'gcs'] as const)
  describe(type, () => {
    let store: ObjectStore;
    beforeAll(async () => {
      store = await openAt(type, url, 'f');
      stops.push(() => store.close());
    });
    const page = (names: readonly string[], next?: string) =>
      type === 'gcs'
        ? JSON.stringify({ items: names.map((name) => ({ name: `f/${name}`, size: '7' })), nextPageToken: next })
        : `<ListBucketResult><IsTruncated>${next !== undefined}</IsTruncated>${next === undefined ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`}${names.map((name) => `<Contents><Key>f/${name}</Key><Size>7</Size></Contents>`).join('')}</ListBucketResult>`;

    test('a part that never ends is refused, and the connection ended', async () => {
      answer = flood(206);
      await rejects(store.get('x', { offset: 0, length: 100 }), invalid);
      await Promise.all(closed);
      ok(sentBytes < 16 * MiB && asked.length === 1, `${sentBytes} bytes in ${asked.length} answers`);
    });

    test('a whole object that never ends is read to its bound and no further', async () => {
      answer = flood(200);
      await rejects(store.get('x', { maxBytes: 2 * MiB }), invalid);
      await Promise.all(closed);
      ok(sentBytes < 20 * MiB && asked.length === 1, `${sentBytes} bytes in ${asked.length} answers`);
    });

    test('an object that says it is larger than is taken is refused before any of it came', async () => {
      for (const [extent, status] of [
        [undefined, 200],
        [{ maxBytes: 10 }, 200],
        [{ offset: 0, length: 10 }, 206],
      ] as const) {
        answer = (_, response) => void response.writeHead(status, { 'content-length': String(81 * MiB) }).flushHeaders();
        await rejects(store.get('x', extent), invalid);
        await Promise.all(closed);
      }
      equal(asked.length, 3);
    });

    test('a list, and an error, that never ends is refused, and the connection ended', async () => {
      for (const [status, work] of [
        [200, () => Array.fromAsync(store.list(''))],
        [200, () => store.put('x', Buffer.from('x'))],
        [404, () => store.get('x')],
        [503, () => store.get('x', { offset: 0, length: 10 })],
      ] as const) {
        answer = flood(status);
        await rejects(work(), invalid);
        await Promise.all(closed);
      }
      equal(asked.length, 4);
      ok(sentBytes < 4 * 24 * MiB, `${sentBytes} bytes`);
    });

    test('a list whose mark comes again is refused', async () => {
      answer = (_, response) => response.end(page(['a'], asked.length % 2 === 0 ? 'even' : 'odd'));
      await rejects(Array.fromAsync(store.list('')), invalid);
      equal(asked.length, 3);
    });

    test('a list of nothing, page after page, is refused; a few empty pages before more are not', async () => {
      answer = (_, response) => response.end(page([], `mark-${asked.length}`));
      await rejects(Array.fromAsync(store.list('')), invalid);
      ok(asked.length < 20, String(asked.length));
      asked = [];
      answer = (_, response) =>
        response.end(asked.length < 4 ? page(asked.length === 1 ? ['a'] : [], `mark-${asked.length}`) : page(['b']));
      deepEqual(
        (await Array.fromAsync(store.list(''))).map(({ name }) => name),
        ['a', 'b'],
      );
    });

    test('a list without end ends with its signal', async () => {
      const end = new AbortController();
      answer = (_, response) => {
        if (asked.length === 3) end.abort(new Error('enough'));
        response.end(page(['a'], `mark-${asked.length}`));
      };
      await rejects(Array.fromAsync(store.list('', end.signal)), /enough/);
      equal(asked.length, 3);
    });
  });

describe('unfinished uploads', () => {
  const listing = (next: string) =>
    `<ListMultipartUploadsResult><IsTruncated>true</IsTruncated>${next}</ListMultipartUploadsResult>`;
  test('a list of them that does not get on is refused', async () => {
    const store = await openAt('s3', url, 'f');
    for (const [next, calls] of [
      ['<NextKeyMarker>k</NextKeyMarker><NextUploadIdMarker>u</NextUploadIdMarker>', 2],
      ['', 1],
    ] as const) {
      asked = [];
      answer = (_, response) => response.end(listing(next));
      await rejects(store.abortUnfinishedUploads(''), invalid);
      equal(asked.length, calls);
    }
    store.close();
  });
});
