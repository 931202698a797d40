import assert from 'node:assert/strict';
import { connect as connectTcp } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { deflateSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, it } from 'vitest';
import { type CallContext, RpcError, status } from '../../../../../../infra/local/engines/firestore/base/types.ts';
import { frame } from '../../../../../../infra/local/engines/firestore/grpc/frames.ts';
import { listen, type Server, serve } from '../../../../../../infra/local/engines/firestore/grpc/server.ts';
import { collect, RawGrpc } from '../../../../../harness/firestore/raw-grpc.ts';

const kilobyte = Buffer.alloc(1024, 'x');

describe('the gRPC server', () => {
  let server: Server;
  let client: RawGrpc;
  const logged: unknown[] = [];
  let yielded = 0;
  let finished = 0;
  let aborted: unknown;

  beforeAll(async () => {
    server = serve({
      server: await listen(0, '127.0.0.1'),
      log: (error) => logged.push(error),
      web: (_request, response) => response.end('plain http'),
      methods: {
        Echo: { kind: 'unary', run: async (request) => request },
        Fail: {
          kind: 'unary',
          run: async () => {
            throw new RpcError('NOT_FOUND', ' No 100% "größe"\nhere. ');
          },
        },
        Crash: {
          kind: 'unary',
          run: async () => {
            throw new TypeError('a bug');
          },
        },
        Hang: {
          kind: 'unary',
          run: (_request, call) =>
            new Promise((_, reject) => call.signal.addEventListener('abort', () => reject(call.signal.reason))),
        },
        Count: {
          kind: 'server-stream',
          *run(request) {
            for (let i = 0; i < Number(request.toString()); i++) yield [Buffer.from(`${i}a`), Buffer.from(`${i}b`)];
          },
        },
        Break: {
          kind: 'server-stream',
          *run() {
            yield [kilobyte];
            throw new RpcError('UNAVAILABLE', 'gone');
          },
        },
        Empty: { kind: 'server-stream', *run() {} },
        Flood: {
          kind: 'server-stream',
          async *run(_request, call: CallContext) {
            call.signal.addEventListener('abort', () => {
              aborted = call.signal.reason;
            });
            try {
              for (;;) {
                yielded++;
                yield Array.from({ length: 64 }, () => kilobyte);
              }
            } finally {
              finished++;
            }
          },
        },
        Chat: {
          kind: 'bidi',
          async *run(requests) {
            for await (const request of requests) yield [request, Buffer.from('!')];
          },
        },
      },
    });
  });
  beforeEach(() => {
    client?.close();
    client = new RawGrpc(`http://127.0.0.1:${server.port}`);
    logged.length = 0;
  });
  afterAll(async () => {
    client.close();
    await server.close();
  });

  it('answers a unary call with headers, one message and an OK status', async () => {
    const answer = await client.call('Echo', [Buffer.from('hello')]);
    assert.deepEqual(
      { ...answer, messages: answer.messages.map(String) },
      { messages: ['hello'], status: 0, message: '', httpStatus: 200, isTrailersOnly: false },
    );
  });

  it('carries messages of 0 bytes and of 10 MiB', async () => {
    assert.equal((await client.call('Echo', [Buffer.alloc(0)])).messages[0]?.length, 0);
    const large = Buffer.alloc(10 << 20, 7);
    assert.ok((await client.call('Echo', [large])).messages[0]?.equals(large));
  });

  it('reassembles a request from any chunks', async () => {
    const stream = client.open('Echo');
    const answer = collect(stream);
    for (const byte of frame([Buffer.from('in pieces')])) {
      stream.write(Buffer.of(byte));
      await sleep(1);
    }
    stream.end();
    assert.equal(String((await answer).messages[0]), 'in pieces');
  });

  it('sends an error before any message as trailers only, with percent-encoded text', async () => {
    const answer = await client.call('Fail', [kilobyte]);
    assert.equal(answer.status, status.NOT_FOUND);
    assert.equal(answer.message, ' No 100% "größe"\nhere. ');
    assert.equal(answer.isTrailersOnly, true);
    assert.equal(answer.httpStatus, 200);
  });

  it('hides a bug behind INTERNAL and logs it', async () => {
    assert.equal((await client.call('Crash', [kilobyte])).status, status.INTERNAL);
    assert.equal(logged.length, 1);
  });

  it('streams all messages in order and then OK, even if there are none', async () => {
    const answer = await client.call('Count', [Buffer.from('500')]);
    assert.deepEqual(answer.messages.map(String), Array.from({ length: 500 }, (_, i) => [`${i}a`, `${i}b`]).flat());
    assert.equal(answer.status, 0);
    assert.deepEqual((await client.call('Empty', [kilobyte])).status, 0);
  });

  it('ends a failing stream with the messages so far and the status', async () => {
    const answer = await client.call('Break', [kilobyte]);
    assert.equal(answer.messages.length, 1);
    assert.equal(answer.status, status.UNAVAILABLE);
    assert.equal(answer.isTrailersOnly, false);
  });

  it('keeps a bidirectional stream open until the client half-closes', async () => {
    const stream = client.open('Chat');
    const answer = collect(stream);
    stream.write(frame([Buffer.from('one'), Buffer.from('two')]));
    await sleep(20);
    stream.end(frame([Buffer.from('three')]));
    assert.deepEqual((await answer).messages.map(String), ['one', '!', 'two', '!', 'three', '!']);
  });

  it('answers UNIMPLEMENTED for unknown methods, services and object property names', async () => {
    for (const method of ['Nothing', '/other.Service/Echo', 'constructor', '__proto__', ''])
      assert.equal((await client.call(method, [kilobyte])).status, status.UNIMPLEMENTED, method);
  });

  it('rejects requests that are not gRPC over HTTP/2 with 415', async () => {
    assert.equal((await client.call('Echo', [kilobyte], { 'content-type': 'application/json' })).httpStatus, 415);
  });

  it('rejects a message above 11 MiB without reading it', async () => {
    const stream = client.open('Echo');
    const answer = collect(stream);
    const header = Buffer.alloc(5);
    header.writeUInt32BE(11_534_337, 1);
    stream.write(header);
    assert.equal((await answer).status, status.INVALID_ARGUMENT);
    assert.match((await answer).message, /Request payload size exceeds the limit: 11534336 bytes\./);
  });

  it('rejects a body that is truncated, empty, has two messages or an unknown flag', async () => {
    const whole = frame([kilobyte]);
    for (const body of [
      whole.subarray(0, 100),
      whole.subarray(0, 3),
      Buffer.alloc(0),
      Buffer.concat([whole, whole]),
      Buffer.of(9, 0, 0, 0, 1, 1),
    ])
      assert.equal((await client.send('Echo', body)).status, status.INTERNAL);
  });

  it('reads gzip and deflate, rejects other encodings, broken ones and bombs', async () => {
    const packed = (bytes: Buffer) => {
      const body = frame([bytes]);
      body[0] = 1;
      return body;
    };
    const text = Buffer.from('squeezed');
    assert.equal(
      String((await client.send('Echo', packed(gzipSync(text)), { 'grpc-encoding': 'gzip' })).messages[0]),
      'squeezed',
    );
    assert.equal(
      String((await client.send('Echo', packed(deflateSync(text)), { 'grpc-encoding': 'deflate' })).messages[0]),
      'squeezed',
    );
    assert.equal((await client.send('Echo', packed(text), { 'grpc-encoding': 'br' })).status, status.UNIMPLEMENTED);
    assert.equal((await client.send('Echo', packed(text), { 'grpc-encoding': 'gzip' })).status, status.INTERNAL);
    assert.equal((await client.send('Echo', packed(text))).status, status.INTERNAL);
    const bomb = packed(gzipSync(Buffer.alloc(64 << 20)));
    assert.equal((await client.send('Echo', bomb, { 'grpc-encoding': 'gzip' })).status, status.INVALID_ARGUMENT);
  });

  it('enforces deadlines', async () => {
    assert.equal((await client.call('Hang', [kilobyte], { 'grpc-timeout': '30m' })).status, status.DEADLINE_EXCEEDED);
    assert.equal((await client.call('Flood', [kilobyte], { 'grpc-timeout': '50m' })).status, status.DEADLINE_EXCEEDED);
    assert.equal((await client.call('Echo', [kilobyte], { 'grpc-timeout': '99999999H' })).status, 0);
    assert.equal((await client.call('Echo', [kilobyte], { 'grpc-timeout': 'soon' })).status, status.INTERNAL);
  });

  it('aborts the method of a stream whose client left', async () => {
    finished = 0;
    aborted = undefined;
    const stream = client.open('Flood');
    stream.end(frame([kilobyte]));
    await new Promise((resolve) => stream.once('data', resolve));
    stream.close(8);
    await until(() => finished === 1 && aborted !== undefined);
    assert.equal((aborted as RpcError).code, 'CANCELLED');
  });

  it('applies back-pressure to a reader that does not read', async () => {
    yielded = 0;
    const stream = client.open('Flood');
    stream.end(frame([kilobyte]));
    stream.pause();
    await sleep(300);
    const before = yielded;
    await sleep(300);
    assert.equal(yielded, before);
    assert.ok(before * 64 * 1024 < 4 << 20, `${before} batches of 64 KiB were read from the method`);
    stream.close(8);
  });

  it('survives 5,000 opened and reset streams, and serves the next', async () => {
    for (let round = 0; round < 50; round++) {
      const flood = new RawGrpc(`http://127.0.0.1:${server.port}`);
      for (let i = 0; i < 100; i++) {
        const stream = flood.open('Hang');
        stream.end(frame([kilobyte]));
        setImmediate(() => stream.close(8));
      }
      await sleep(5);
      flood.close();
    }
    assert.equal((await client.call('Echo', [kilobyte])).status, 0);
  });

  it('survives garbage, silence and half a preface on the port', async () => {
    for (const bytes of ['\x00\x01\x02garbage\r\n\r\n', 'PR', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nnot frames at all', 'P'])
      await new Promise<void>((resolve) => {
        const socket = connectTcp(server.port, '127.0.0.1', () => socket.write(bytes, 'latin1'));
        socket.on('error', () => {});
        setTimeout(() => {
          socket.destroy();
          resolve();
        }, 30);
      });
    assert.equal((await client.call('Echo', [kilobyte])).status, 0);
    assert.deepEqual(logged, []);
  });

  it('answers HTTP/1.1 on the same port', async () => {
    const answer = await fetch(`http://127.0.0.1:${server.port}/`);
    assert.equal(await answer.text(), 'plain http');
  });

  it('serves concurrent calls on one connection', async () => {
    const answers = await Promise.all(Array.from({ length: 500 }, (_, i) => client.call('Echo', [Buffer.from(String(i))])));
    assert.deepEqual(
      answers.map(({ messages }) => String(messages[0])),
      answers.map((_, i) => String(i)),
    );
  });

  it('ends open streams when it closes', async () => {
    const other = serve({
      server: await listen(0, '127.0.0.1'),
      log: () => {},
      web: () => {},
      methods: { Hang: { kind: 'unary', run: () => new Promise(() => {}) } },
    });
    const mine = new RawGrpc(`http://127.0.0.1:${other.port}`);
    const answer = mine.call('Hang', [kilobyte]);
    await sleep(50);
    await other.close();
    assert.equal((await answer).status, undefined);
    mine.close();
  });
});

async function until(isTrue: () => boolean): Promise<void> {
  for (let i = 0; i < 200; i++) {
    if (isTrue()) return;
    await sleep(10);
  }
  assert.fail('condition not met in time');
}
