import { createServer as createHttp1, type RequestListener } from 'node:http';
import { createServer as createHttp2 } from 'node:http2';
import { type AddressInfo, createServer as createTcp, type Socket, type Server as TcpServer } from 'node:net';
import type { Methods } from '../base/types.ts';
import { type Log, serveCall } from './call.ts';

export interface ServerOptions {
  /** Already listening. */
  readonly server: TcpServer;
  readonly methods: Methods;
  /** Handles HTTP/1.1 requests. */
  readonly web: RequestListener;
  readonly log: Log;
}

export interface Server {
  readonly port: number;
  /** Ends all connections and resolves when they are closed. */
  close(): Promise<void>;
}

/** Silent connections are closed after this time. */
const silenceMs = 30_000;
/** Idle HTTP/1.1 connections stay open as long as those of production, so that REST clients can pause between calls. */
const keepAliveMs = 240_000;
const preface = Buffer.from('PRI');

/** 0: any free port. */
export const listen = async (port: number, host: string): Promise<TcpServer> => {
  const tcp = createTcp({ noDelay: true });
  await new Promise<void>((resolve, reject) => {
    tcp.once('error', reject);
    tcp.listen(port, host, resolve);
  });
  return tcp;
};

/** Serves gRPC (HTTP/2 without TLS) and HTTP/1.1 on one port, selected by the first three bytes. */
export function serve({ server: tcp, methods, web, log }: ServerOptions): Server {
  // Clients that reuse a connection at the last moment must find it open: headers may come a little later.
  const http1 = createHttp1({ keepAliveTimeout: keepAliveMs, headersTimeout: keepAliveMs + 5_000 }, web);
  const http2 = createHttp2({
    // Uploads of 10 MiB should not wait for window updates; a session may buffer this many MB.
    settings: { initialWindowSize: 4 << 20, maxConcurrentStreams: 1000, maxFrameSize: 1 << 20 },
    maxSessionMemory: 512,
  });
  http2.on('session', (session) => {
    session.on('error', () => {});
    session.on('connect', () => session.setLocalWindowSize(16 << 20));
  });
  http2.on('sessionError', () => {});
  http2.on('stream', (stream, headers) => serveCall(stream, { headers, methods, log }));

  const sockets = new Set<Socket>();
  tcp.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    sniff(socket, (isHttp2) => (isHttp2 ? http2 : http1).emit('connection', socket));
  });
  return {
    port: (tcp.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve) => {
        tcp.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

function sniff(socket: Socket, decide: (isHttp2: boolean) => void): void {
  let seen = Buffer.alloc(0);
  const giveUp = () => socket.destroy();
  const read = () => {
    const chunk = socket.read() as Buffer | null;
    if (!chunk) return;
    seen = Buffer.concat([seen, chunk]);
    if (seen.length < preface.length && preface.subarray(0, seen.length).equals(seen)) return;
    socket.off('readable', read);
    socket.setTimeout(0);
    socket.off('timeout', giveUp);
    socket.unshift(seen);
    decide(seen.subarray(0, preface.length).equals(preface));
  };
  socket.setTimeout(silenceMs, giveUp);
  socket.on('readable', read);
}
