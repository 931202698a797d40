/**
 * Listen and Write for the web SDK, which has neither gRPC nor streams of requests in a browser. It speaks WebChannel, as Closure's
 * `goog.labs.net.webChannel` does.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Methods, RpcError } from '../base/types.ts';
import { maxRequestBytes } from '../grpc/frames.ts';
import { plainHeaders } from '../grpc/headers.ts';
import { readBody } from '../web/read-body.ts';
import { awayMs, type ChannelMethod, ChannelSession } from './channel-session.ts';
import { parseForward, parseHeaders, parseNumber } from './forward-data.ts';

interface ChannelOptions {
  readonly methods: Methods;
  readonly log: (error: unknown) => void;
  /** For tests. */
  readonly limits?: { readonly sessions: number; readonly awayMs: number };
}

/** The calls of web SDKs. */
export interface WebChannels {
  /** Answers a request; undefined if its path is another. */
  serve(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> | undefined;
  /** The number of sessions. */
  readonly size: number;
  close(): void;
}

const pathOfChannel = /^\/google\.firestore\.v1\.Firestore\/(Listen|Write)\/channel$/;
/** A page has two. Each keeps up to 4 MiB. */
const usualLimits = { sessions: 100, awayMs };
/** Percent-encoding makes a request up to three times as long. */
const maxFormBytes = 3 * maxRequestBytes;

export const webChannels = ({ methods, log, limits = usualLimits }: ChannelOptions): WebChannels => {
  const sessions = new Map<string, ChannelSession>();

  const opened = (method: ChannelMethod, headers: Readonly<Record<string, string>>): ChannelSession => {
    if (sessions.size >= limits.sessions) [...sessions.values()].find(({ isAwaited }) => !isAwaited)?.end();
    if (sessions.size >= limits.sessions) throw new RpcError('UNAVAILABLE', 'Too many channels are open.');
    const onEnd = ({ id }: ChannelSession): void => void sessions.delete(id);
    const session = new ChannelSession(method, { headers, log, onEnd, awayMs: limits.awayMs });
    sessions.set(session.id, session);
    return session;
  };

  const answer = async (method: ChannelMethod, { request, response, url }: Exchange): Promise<void> => {
    const { searchParams: query } = url;
    const body = request.method === 'POST' ? (await readBody(request, maxFormBytes)).toString('utf8') : '';
    const given = query.get('SID') ?? 'null';
    if (given === 'null') {
      const data = parseForward(query.get('$req') ?? body);
      const encoded = { ...parseHeaders(query.get('$httpHeaders') ?? ''), ...data.headers };
      const session = opened(method, { ...plainHeaders(request.headers), ...encoded });
      session.receive(data);
      // The client puts it into the addresses of all later requests.
      if (query.has('X-HTTP-Session-Id')) response.setHeader('x-http-session-id', session.id);
      return send(response, session.handshake);
    }
    const session = sessions.get(given);
    if (query.get('TYPE') === 'terminate') {
      session?.end();
      return send(response, '');
    }
    // The client looks for these words, and begins anew.
    if (!session) return send(response.writeHead(400, textHeaders), 'Error: Unknown SID');
    const lastId = parseNumber(query.get('AID') ?? '0', 'AID');
    if (request.method === 'POST') {
      session.acknowledge(lastId);
      session.receive(parseForward(body));
      return send(response, session.state);
    }
    const timeout = query.get('TO');
    const timeoutMs = timeout === null ? undefined : parseNumber(timeout, 'TO');
    response.writeHead(200, textHeaders);
    session.attach(response, { lastId, isStreaming: query.get('CI') !== '1', timeoutMs });
  };

  return {
    serve: (request, response, url) => {
      const [, name] = pathOfChannel.exec(url.pathname) ?? [];
      const method = name === undefined ? undefined : methods[name];
      if (name === undefined || method?.kind !== 'bidi') return undefined;
      return answer({ name, run: method.run }, { request, response, url });
    },
    get size() {
      return sessions.size;
    },
    close: () => {
      for (const session of [...sessions.values()]) session.end();
    },
  };
};

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
}

const textHeaders = {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'no-cache, no-store, max-age=0',
  'x-content-type-options': 'nosniff',
};

const send = (response: ServerResponse, text: string): void => {
  if (!response.headersSent) response.writeHead(200, textHeaders);
  response.end(text);
};
