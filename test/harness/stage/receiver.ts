/**
 * An https server on `localhost` that receives webhooks and answers as the test says (default 200).
 *
 * const receiver = await startReceiver();
 * t.after(receiver.stop);
 * receiver.answer('/hook', { status: 500 }, 'reset', { status: 204 });   // in order; the last one repeats
 * const request = await receiver.next((request) => request.path === '/hook');
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';

export interface ReceivedRequest {
  readonly method: string;
  /** Including the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Names and values alternating, in original spelling and order. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** When the request was complete, in ms since 1970. */
  readonly at: number;
}

export type Answer =
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string | readonly string[]>>;
      readonly body?: string | Uint8Array;
      readonly delayMs?: number;
    }
  /** Never sends a byte. */
  | 'hang'
  /** Sends status and headers, but no body. */
  | 'headers'
  /** Sends one byte of body every 20 ms, endlessly. */
  | 'drip'
  /** Sends body bytes as fast as the client reads, endlessly or up to the given number. */
  | 'endless'
  | { readonly endless: number; readonly status?: number; readonly headers?: Readonly<Record<string, string>> }
  /** Resets the connection (RST) without a response. */
  | 'reset'
  /** Closes the connection (FIN) without a response. */
  | 'close'
  /** Sends these bytes instead of a response, then closes. */
  | { readonly raw: string };

export type Answering = (heard: ReceivedRequest) => Answer | Promise<Answer>;

export interface Receiver {
  readonly port: number;
  /** All requests, oldest first. */
  readonly requests: readonly ReceivedRequest[];
  /** The number of connections, and the body bytes of `endless` responses written to the socket. */
  readonly count: { connections: number; endlessBytes: number };
  url(path?: string): string;
  /** Sets the responses of a path (without query): in order, the last one repeats. A function decides itself. */
  answer(path: string, ...answers: readonly (Answer | Answering)[]): void;
  /** The oldest matching request that `next` has not returned yet; waits for it, with a time limit. */
  next(fits?: (heard: ReceivedRequest) => boolean, timeoutMs?: number): Promise<ReceivedRequest>;
  /** Ends all connections. */
  stop(): Promise<void>;
}

export interface ReceiverOptions {
  /** A file of test/fixture/tls: localhost, expired, other-name, self-signed. */
  readonly certificate?: string;
  readonly answer?: Answer | Answering;
  readonly port?: number;
  readonly tls?: ServerOptions;
  /** Discards requests after answering: `requests` and `next` find none. */
  readonly forgets?: boolean;
}

/** Longer than any processing on the stage, shorter than a test's timeout. */
const patience = 300_000;

export const startReceiver = async (options: ReceiverOptions = {}): Promise<Receiver> => {
  const requests: ReceivedRequest[] = [];
  const given = new Set<ReceivedRequest>();
  const sockets = new Map<number, Socket>();
  const scripts = new Map<string, (Answer | Answering)[]>();
  const ending = new AbortController();
  const count = { connections: 0, endlessBytes: 0 };
  let wake = Promise.withResolvers<void>();

  const answerTo = async (heard: ReceivedRequest): Promise<Answer> => {
    const script = scripts.get(heard.path.split('?')[0] ?? '');
    const chosen = (script && script.length > 1 ? script.shift() : script?.[0]) ?? options.answer ?? { status: 200 };
    return typeof chosen === 'function' ? chosen(heard) : chosen;
  };
  const serve = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const parts: Buffer[] = [];
    for await (const part of incoming) parts.push(part as Buffer);
    const { method = '', url: path = '', headers, rawHeaders } = incoming;
    const heard: ReceivedRequest = { method, path, headers, rawHeaders, body: Buffer.concat(parts), at: Date.now() };
    if (!options.forgets) requests.push(heard);
    wake.resolve();
    wake = Promise.withResolvers<void>();
    const answer = await answerTo(heard);
    if (answer === 'reset') return void sockets.get(incoming.socket.remotePort ?? 0)?.resetAndDestroy();
    await give(answer, { response, count, signal: ending.signal });
  };

  const server = createServer({ ...certificate(options.certificate ?? 'localhost'), ...options.tls }, (incoming, response) => {
    response.on('error', () => {});
    // Many tests abort the sender in the middle of a request.
    serve(incoming, response).catch(() => response.destroy());
  });
  server.on('tlsClientError', () => {});
  server.on('connection', (socket: Socket) => {
    const { remotePort = 0 } = socket;
    count.connections += 1;
    sockets.set(remotePort, socket);
    socket.on('error', () => {});
    socket.once('close', () => sockets.delete(remotePort));
  });
  server.listen(options.port ?? 0, 'localhost');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  return {
    port,
    requests,
    count,
    url: (path = '/') => `https://localhost:${port}${path}`,
    answer: (path, ...answers) => void scripts.set(path, [...answers]),
    next: async (fits = () => true, timeoutMs = patience) => {
      const late = AbortSignal.timeout(timeoutMs);
      const isLate = once(late, 'abort').then(() => undefined);
      for (;;) {
        const news = wake.promise;
        const found = requests.find((heard) => !given.has(heard) && fits(heard));
        if (found) {
          given.add(found);
          return found;
        }
        if (late.aborted) throw new Error(`no matching request within ${timeoutMs} ms; ${requests.length} others arrived`);
        await Promise.race([news, isLate]);
      }
    },
    stop: async () => {
      ending.abort();
      for (const socket of sockets.values()) socket.destroy();
      if (server.listening) await new Promise((done) => server.close(done));
    },
  };
};

/** Key and chain of a file of test/fixture/tls. */
export const certificate = (name: string): { readonly key: Buffer; readonly cert: Buffer } => ({
  key: readFileSync(new URL(`../../fixture/tls/${name}.key.pem`, import.meta.url)),
  cert: readFileSync(new URL(`../../fixture/tls/${name}.pem`, import.meta.url)),
});

const give = async (
  answer: Answer,
  {
    response,
    count,
    signal,
  }: { readonly response: ServerResponse; readonly count: Receiver['count']; readonly signal: AbortSignal },
): Promise<void> => {
  if (answer === 'hang' || answer === 'reset') return;
  if (answer === 'close') return void response.socket?.destroy();
  if (answer === 'headers') return void response.writeHead(200, { 'content-length': '10' }).flushHeaders();
  if (answer === 'drip') {
    response.writeHead(200);
    for (; !response.destroyed; await pause(20, undefined, { signal })) response.write('.');
    return;
  }
  if (answer === 'endless') return flood(response, Number.POSITIVE_INFINITY, count);
  if ('raw' in answer) return void response.socket?.end(answer.raw);
  if ('endless' in answer) {
    response.writeHead(answer.status ?? 200, answer.headers);
    return flood(response, answer.endless, count);
  }
  if (answer.delayMs !== undefined) await pause(answer.delayMs, undefined, { signal });
  response.writeHead(answer.status ?? 200, { ...answer.headers } as Record<string, string | string[]>).end(answer.body ?? '');
};

const block = Buffer.alloc(65_536, 'x');

const flood = (response: ServerResponse, bytes: number, count: Receiver['count']): Promise<void> =>
  pipeline(function* () {
    for (let left = bytes; left > 0; left -= block.length) {
      count.endlessBytes += Math.min(left, block.length);
      yield left < block.length ? block.subarray(0, left) : block;
    }
  }, response);
