import { createServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { frame } from '../../../infra/local/engines/firestore/grpc/frames.ts';
import { proto } from '../../../infra/local/engines/firestore/proto/codecs.ts';
import { root } from './firestore-server.ts';

export type Answer = (stream: ServerHttp2Stream, session: ServerHttp2Session) => unknown;

/** A server that responds to its n-th call with the n-th script; the last script repeats. */
export const startScripted = async (...scripts: readonly Answer[]) => {
  let calls = 0;
  const server = createServer();
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('error', () => {});
  });
  server.on('stream', (stream) => {
    stream.on('error', () => {});
    stream.resume();
    const script = scripts[Math.min(calls++, scripts.length - 1)];
    if (stream.session) script?.(stream, stream.session as ServerHttp2Session);
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls: () => calls,
    connections: () => sessions.size,
    close: async (): Promise<void> => {
      for (const session of sessions) session.destroy();
      await new Promise((done) => server.close(done));
    },
  };
};

/** A message of a query response. */
export const found = (path: string): Uint8Array =>
  proto.RunQueryResponse.encode({ document: proto.Document.encode({ name: `${root}/${path}`, fields: new Map() }) });

export const head = { ':status': 200, 'content-type': 'application/grpc' };

/** Sends documents and optionally a status. The client has time to read them: grpc-js drops unread messages when a call fails. */
export const answer =
  (paths: readonly string[], status: string | null = '0'): Answer =>
  (stream) => {
    stream.respond(head, { waitForTrailers: status !== null });
    if (status !== null) stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': status }));
    stream.write(frame(paths.map(found)), () => afterTurns(20, () => stream.end()));
  };

/** The client is in the same process: it reads what has arrived once per turn of the event loop, however busy the machine is. */
export const afterTurns = (turns: number, act: () => void): void => {
  if (turns === 0) act();
  else setImmediate(() => afterTurns(turns - 1, act));
};

/** Sends any bytes, then OK. */
export const raw =
  (bytes: Uint8Array): Answer =>
  (stream) => {
    stream.respond(head, { waitForTrailers: true });
    stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
    stream.end(bytes);
  };
