/** Misbehaving servers and proxies. */
import { deepEqual, equal, ok, rejects, throws } from 'node:assert/strict';
import { constants } from 'node:http2';
import fc from 'fast-check';
import { test } from 'vitest';
import { frame } from '../../../../infra/local/engines/firestore/grpc/frames.ts';
import {
  countRange,
  FirestoreDatabase,
  listCollections,
  probeSource,
  readRange,
  SourceError,
} from '../../../../shared/firestore/index.ts';
import { splitPoints } from '../../../../shared/firestore/read/probe-source.ts';
import { sourceOf, take } from '../../../harness/firestore/firestore-server.ts';
import { type Answer, afterTurns, answer, found, head, raw, startScripted } from '../../../harness/firestore/scripted-server.ts';
import { until } from '../../../harness/time/virtual-timers.ts';

const readTime = '2025-01-31T08:00:00.123456Z';
const pathsOf = async (scripts: readonly Answer[]) => {
  const server = await startScripted(...scripts);
  const source = sourceOf(server.url, { retryPolicy: { attempts: 3, silenceMs: 500 } });
  try {
    const { documents } = await take(source, { readTime });
    return { paths: documents.map(([path]) => path), calls: server.calls(), connections: server.connections() };
  } finally {
    source.close();
    await server.close();
  }
};

/** The results of a plan if every response is the same. */
const planOf = async (script: Answer) => {
  const server = await startScripted(script);
  const source = sourceOf(server.url, { retryPolicy: { attempts: 2, silenceMs: 500 } });
  try {
    return [
      await probeSource(source).catch(typed),
      await listCollections(source, { parent: source.root, readTime }).catch(typed),
      await countRange(source, { range: {}, readTime }).catch(typed),
      await splitPoints(source, { collectionId: 'a', points: 3, readTime }).catch(typed),
    ];
  } finally {
    source.close();
    await server.close();
  }
};
const typed = (error: unknown) => ok(error instanceof SourceError, String(error));

test('readRange: a stream that ends without a status has failed', async () => {
  deepEqual((await pathsOf([answer(['a/1'], null), answer(['a/2'])])).paths, ['a/1', 'a/2']);
});

test('readRange: resumes after a stream reset', async () => {
  for (let code = constants.NGHTTP2_NO_ERROR; code <= constants.NGHTTP2_INADEQUATE_SECURITY; code++) {
    const reset: Answer = (stream) => {
      stream.respond(head);
      stream.write(frame([found('a/1')]), () => afterTurns(20, () => stream.close(code)));
    };
    deepEqual((await pathsOf([reset, answer(['a/2'])])).paths, ['a/1', 'a/2'], String(code));
  }
});

test('connection pool: after GOAWAY a connection takes no new calls, and calls in flight finish', async () => {
  const goodbye: Answer = (stream, session) => {
    session.goaway(constants.NGHTTP2_NO_ERROR);
    afterTurns(20, () => answer(['a/1'], '14')(stream, session));
  };
  const { paths, connections } = await pathsOf([goodbye, answer(['a/2'])]);
  deepEqual(paths, ['a/1', 'a/2']);
  equal(connections, 2);
});

test('readRange: a response buffered in the socket while the process was busy does not count as silence', async () => {
  const busy: Answer = (stream, session) => {
    answer(['a/1'])(stream, session);
    // Already sent; the timer of the client fires before its socket is read.
    setImmediate(() => {
      const endMs = performance.now() + 700;
      while (performance.now() < endMs);
    });
  };
  deepEqual((await pathsOf([busy, answer(['a/2'])])).paths, ['a/1']);
});

test('readRange: a non-gRPC response is classified by its HTTP status', async () => {
  const http =
    (status: number): Answer =>
    (stream) =>
      stream.respond({ ':status': status }, { endStream: true });
  deepEqual((await pathsOf([http(503), answer(['a/1'])])).paths, ['a/1']);
  await rejects(pathsOf([http(403)]), { code: 'SOURCE_AUTH_ERROR' });
  await rejects(pathsOf([http(404)]), { code: 'INTERNAL_ERROR', isTransient: false });
});

test('readRange: a Trailers-Only status counts', async () => {
  const only: Answer = (stream) => stream.respond({ ...head, 'grpc-status': '14' }, { endStream: true });
  deepEqual((await pathsOf([only, answer(['a/1'])])).paths, ['a/1']);
});

test('readRange: truncated, compressed, oversized and broken messages never count as documents', async () => {
  const whole = frame([found('a/1')]);
  const compressed = Buffer.from(whole);
  compressed[0] = 1;
  const large = Buffer.from([0, 0xff, 0xff, 0xff, 0xff, 1, 2, 3]);
  const broken = frame([Buffer.from([0x0a, 0x7f, 1])]);
  const nameless = frame([Buffer.from([0x0a, 0x00])]);
  const half = Buffer.concat([whole, whole.subarray(0, 9)]);
  for (const bytes of [compressed, large, broken, nameless]) {
    await rejects(pathsOf([raw(bytes)]), { code: 'INTERNAL_ERROR', isTransient: true });
    deepEqual((await pathsOf([raw(bytes), answer(['a/1'])])).paths, ['a/1']);
  }
  deepEqual((await pathsOf([raw(half), answer(['a/2'])])).paths, ['a/1', 'a/2']);
});

test('readRange: documents out of order, repeated or before the resume point fail the read', async () => {
  for (const scripts of [
    [answer(['a/2', 'a/1'])],
    [answer(['a/1', 'a/1'])],
    [answer(['a/5'], '14'), answer(['a/5', 'a/6'])],
    [answer(['a/x/b/1', 'a/x'])],
  ])
    await rejects(pathsOf(scripts), { code: 'INTERNAL_ERROR', isTransient: false });
});

test('readRange: any bytes give documents or a typed error', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), async (bytes) => {
      const message = frame([Buffer.from(bytes)]);
      await pathsOf([raw(message)]).catch(typed);
      await planOf(raw(message));
    }),
    { numRuns: 60 },
  );
});

test('readRange: a slow reader applies backpressure, and one that stops cancels the call', async () => {
  let sent = 0;
  let ended: number | undefined;
  let n = 0;
  const message = (): Buffer => frame(Array.from({ length: 64 }, () => found(`a/${String(n++).padStart(9, '0')}`)));
  const endless: Answer = (stream) => {
    stream.respond(head);
    stream.on('close', () => {
      ended = stream.rstCode;
    });
    const more = (): void => {
      for (let hasRoom = true; hasRoom && !stream.destroyed; ) {
        const bytes = message();
        sent += bytes.length;
        hasRoom = stream.write(bytes);
      }
    };
    stream.on('drain', more);
    more();
  };
  const server = await startScripted(endless);
  const source = sourceOf(server.url);
  for await (const batch of readRange(source, { range: {}, readTime })) {
    ok(batch.count > 0);
    await new Promise((done) => setTimeout(done, 200));
    break;
  }
  // The window of 4 MiB, and the buffers of the server.
  ok(sent < 6e6, `${sent} bytes sent`);
  await until(() => ended !== undefined, 'the server notices');
  equal(ended, constants.NGHTTP2_CANCEL);
  source.close();
  await server.close();
});

test('readRange: an unreachable source is retried, then fails with a transient INTERNAL_ERROR', async () => {
  const server = await startScripted(answer([]));
  await server.close();
  const source = sourceOf(server.url, { retryPolicy: { attempts: 3 } });
  await rejects(probeSource(source), { code: 'INTERNAL_ERROR', isTransient: true });
  equal(source.delays.length, 2);
  source.close();
});

test('connection pool: a token needs TLS, except on a loopback address', () => {
  const options = { projectId: 'demo', token: async () => 'secret', random: () => 0 };
  for (const endpoint of ['http://firestore.googleapis.com', 'http://10.0.0.1:8080', 'ftp://127.0.0.1'])
    throws(() => new FirestoreDatabase({ endpoint, ...options }), TypeError);
  new FirestoreDatabase({ endpoint: 'https://firestore.googleapis.com', ...options }).close();
});
