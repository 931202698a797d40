/**
 * One POST to a customer-supplied address. A hostile receiver costs at most the timeout and a few kilobytes. Of its response only the
 * status and Retry-After are returned, unless the caller asks for more.
 */
import type { ClientRequest, IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { warm } from '../warm.ts';
import { guardedLookup, guardWebhookUrl } from './address-guard.ts';
import { dnsLookup, type ResolveHostname } from './dns-lookup.ts';

export interface GuardedPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as UTF-8. */
  readonly body: string;
  /** Total time: lookup, connection, handshake, headers and body of the response. */
  readonly timeoutMs: number;
  /** Hosts that the deployment trusts: they may be private. */
  readonly trusted: readonly string[];
  /** Also returns headers and body, for receivers that explain their status there. They must not be shown as they are. */
  readonly keepsResponse?: boolean | undefined;
}

/** The headers, and the body as UTF-8, truncated to 4 KiB. */
export interface KeptResponse {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** `unreachable` covers both a blocked address and one without a listener, so that it cannot be used to map a network. */
export type PostOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly retryAfter: string | undefined;
      readonly response?: KeptResponse;
      readonly durationMs: number;
    }
  | {
      readonly kind: 'failed';
      readonly reason: 'timeout' | 'unreachable' | 'certificate' | 'protocol';
      readonly durationMs: number;
    };

/** Never rejects. Follows no redirect, decompresses nothing, and reads at most 4 KiB of the response body. */
export const postGuarded = (post: GuardedPost): Promise<PostOutcome> => poster()(post);
const poster = warm(() => makePoster());

/** Tests pass their own name servers and definition of a public address. */
export const makePoster = (resolve: ResolveHostname = dnsLookup, allows?: (address: string) => boolean) => {
  const guarded = createAgents(guardedLookup(resolve, allows));
  const trusted = createAgents();
  return async (post: GuardedPost): Promise<PostOutcome> => {
    const startedMs = performance.now();
    const end = await new Promise<End>((settle) => {
      try {
        const { url, isTrusted } = guardWebhookUrl(post.url, post.trusted);
        attempt(url, { post, agents: isTrusted ? trusted : guarded, settle });
      } catch {
        settle(failed('unreachable'));
      }
    });
    return { ...end, durationMs: Math.round(performance.now() - startedMs) };
  };
};

type WithoutDuration<O> = O extends PostOutcome ? Omit<O, 'durationMs'> : never;
type End = WithoutDuration<PostOutcome>;
type Reason = Extract<PostOutcome, { kind: 'failed' }>['reason'];
const failed = (reason: Reason): End => ({ kind: 'failed', reason });

const attempt = (
  url: URL,
  {
    post: { headers, body, timeoutMs, keepsResponse },
    agents,
    settle,
  }: { readonly post: GuardedPost; readonly agents: Agents; readonly settle: (end: End) => void },
): void => {
  let call: ClientRequest | undefined;
  let isOver = false;
  const finish = (end: End): void => {
    isOver = true;
    clearTimeout(deadline);
    settle(end);
  };
  const deadline = setTimeout(() => {
    finish(failed('timeout'));
    call?.destroy();
  }, timeoutMs);

  const send = (agent: Agent): void => {
    const sent = request(url, { method: 'POST', agent, headers, maxHeaderSize: headerBytesMax });
    call = sent;
    let bytesBefore = 0;
    sent.once('socket', (socket) => {
      bytesBefore = socket.bytesRead;
    });
    sent.once('response', (response) => readShortBody(response, keepsResponse === true, finish));
    let interimResponses = 0;
    sent.on('information', () => {
      interimResponses += 1;
      if (interimResponses <= maxInterimResponses) return;
      finish(failed('protocol'));
      sent.destroy();
    });
    sent.on('error', (error) => {
      if (isOver) return;
      // The receiver may close an idle connection at the moment a request is sent on it.
      const isStale = sent.reusedSocket && sent.socket?.bytesRead === bytesBefore;
      if (isStale) send(agents.fresh);
      else finish(failed(reasonOf(error, sent.socket)));
    });
    // Also covers a connection that ends without a response or an error, such as a protocol switch.
    sent.once('close', () => {
      if (call === sent) finish(failed('protocol'));
    });
    sent.end(body);
  };
  try {
    send(agents.pool);
  } catch {
    finish(failed('unreachable'));
  }
};

/** Reads a short body, so that the connection can be reused. The status counts only if the response is complete. */
const readShortBody = (response: IncomingMessage, isKept: boolean, finish: (end: End) => void): void => {
  const { statusCode: status = 0, headers } = response;
  const parts: Buffer[] = [];
  const end = (): End => ({
    kind: 'answered',
    status,
    retryAfter: headers['retry-after'],
    ...(isKept && { response: { headers, body: Buffer.concat(parts).subarray(0, bodyBytesMax).toString('utf8') } }),
  });
  let bytes = 0;
  response.on('data', (part: Buffer) => {
    bytes += part.length;
    if (isKept) parts.push(part);
    if (bytes <= bodyBytesMax) return;
    finish(end());
    response.destroy();
  });
  response.once('end', () => finish(end()));
  response.on('error', () => finish(failed('protocol')));
};

const reasonOf = (error: NodeJS.ErrnoException, socket: Socket | null): Reason => {
  if (error.code?.startsWith('HPE_')) return 'protocol';
  // Set after the handshake has checked the certificate, so the connection was to an allowed address.
  return socket instanceof TLSSocket && socket.authorizationError ? 'certificate' : 'unreachable';
};

interface Agents {
  /** Keeps connections open between calls. */
  readonly pool: Agent;
  /** One connection per call. */
  readonly fresh: Agent;
}

const createAgents = (lookup?: LookupFunction): Agents => {
  const tlsOptions = { minVersion: 'TLSv1.2', rejectUnauthorized: true, ...(lookup && { lookup }) } as const;
  return {
    pool: new Pool({ ...tlsOptions, keepAlive: true, timeout: idleMs, ...socketLimits }),
    fresh: new Agent({ ...tlsOptions, keepAlive: false }),
  };
};

const bodyBytesMax = 4_096;
const headerBytesMax = 16_384;
/** Limit of 1xx responses per call: a flood of them would delay concurrent calls. */
const maxInterimResponses = 10;
/** Idle connections are closed before most servers and load balancers (60 s) close them. */
const idleMs = 30_000;
/** A host may have several full batches, so that its slow paths do not delay its fast ones. */
const socketLimits = { maxSockets: 64, maxFreeSockets: 10, maxTotalSockets: 640 };
/** Idle connections use at most half of all sockets. */
const maxIdleHosts = socketLimits.maxTotalSockets / 2 / socketLimits.maxFreeSockets;

class Pool extends Agent {
  override keepSocketAlive(socket: Duplex) {
    return Object.keys(this.freeSockets).length < maxIdleHosts && super.keepSocketAlive(socket);
  }
}
