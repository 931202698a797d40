/** Stores are untrusted: whatever a store sends costs a bounded amount of time and memory. */
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

/** Sends until the connection closes. */
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
      store = await openAt(type, url, { folder: 'f' });
      stops.push(() => store.close());
    });
    const page = (names: readonly string[], next?: string) =>
      type === 'gcs'
        ? JSON.stringify({ items: names.map((name) => ({ name: `f/${name}`, size: '7' })), nextPageToken: next })
        : `<ListBucketResult><IsTruncated>${next !== undefined}</IsTruncated>${next === undefined ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`}${names.map((name) => `<Contents><Key>f/${name}</Key><Size>7</Size></Contents>`).join('')}</ListBucketResult>`;

    test('an endless range is rejected and its connection closed', async () => {
      answer = flood(206);
      await rejects(store.get('x', { offset: 0, length: 100 }), invalid);
      await Promise.all(closed);
      ok(sentBytes < 16 * MiB && asked.length === 1, `${sentBytes} bytes in ${asked.length} answers`);
    });

    test('an endless object is read up to its limit', async () => {
      answer = flood(200);
      await rejects(store.get('x', { maxBytes: 2 * MiB }), invalid);
      await Promise.all(closed);
      ok(sentBytes < 20 * MiB && asked.length === 1, `${sentBytes} bytes in ${asked.length} answers`);
    });

    test('an object with a Content-Length above the limit is rejected before its body is read', async () => {
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

    test('an endless list or error is rejected and its connection closed', async () => {
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

    test('a list that repeats its page token is rejected', async () => {
      answer = (_, response) => response.end(page(['a'], asked.length % 2 === 0 ? 'even' : 'odd'));
      await rejects(Array.fromAsync(store.list('')), invalid);
      equal(asked.length, 3);
    });

    test('endless empty pages are rejected; a few empty pages are not', async () => {
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

    test('an endless list ends with its signal', async () => {
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
  test('a list that makes no progress is rejected', async () => {
    const store = await openAt('s3', url, { folder: 'f' });
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
