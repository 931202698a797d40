/**
 * One POST to an address that a customer named. Whatever is at that address, and whatever it does, costs at most the time and
 * the few kilobytes that are said here, and nothing of it comes back but a status.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import type { LookupFunction, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import { guardedLookup, guardWebhookUrl } from './address-guard.ts';
import { dnsLookup, type Resolve } from './dns-lookup.ts';

export interface GuardedPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Sent as UTF-8. */
  readonly body: string;
  /** Over everything: lookup, connection, handshake, headers and body of the answer. */
  readonly timeoutMs: number;
  /** Hosts that the deployer vouches for: they may be private. */
  readonly trusted: readonly string[];
}

/** `unreachable` is said alike of a blocked address and of one where nobody listens: what cannot be told apart maps nothing. */
export type PostOutcome =
  | { readonly kind: 'answered'; readonly status: number; readonly retryAfter: string | undefined; readonly durationMs: number }
  | {
      readonly kind: 'failed';
      readonly reason: 'timeout' | 'unreachable' | 'certificate' | 'protocol';
      readonly durationMs: number;
    };

/** Never rejects. Nothing is followed, nothing is unpacked, nothing of the answer's body is kept. */
export const postGuarded = (post: GuardedPost): Promise<PostOutcome> => {
  poster ??= makePoster();
  return poster(post);
};
let poster: ReturnType<typeof makePoster> | undefined;

/** For tests, which have name servers of their own and another idea of what is public. */
export const makePoster = (resolve: Resolve = dnsLookup, allows?: (address: string) => boolean) => {
  const vetted = openDoors(guardedLookup(resolve, allows));
  const vouched = openDoors();
  return async (post: GuardedPost): Promise<PostOutcome> => {
    const startedMs = performance.now();
    const end = await new Promise<End>((settle) => {
      try {
        const { url, isTrusted } = guardWebhookUrl(post.url, post.trusted);
        attempt(url, post, isTrusted ? vouched : vetted, settle);
      } catch {
        settle(failed('unreachable'));
      }
    });
    return { ...end, durationMs: Math.round(performance.now() - startedMs) };
  };
};

type Told<O> = O extends PostOutcome ? Omit<O, 'durationMs'> : never;
type End = Told<PostOutcome>;
type Reason = Extract<PostOutcome, { kind: 'failed' }>['reason'];
const failed = (reason: Reason): End => ({ kind: 'failed', reason });

const attempt = (url: URL, { headers, body, timeoutMs }: GuardedPost, doors: Doors, settle: (end: End) => void): void => {
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
    sent.once('response', (answer) => readAway(answer, finish));
    let announcements = 0;
    sent.on('information', () => {
      announcements += 1;
      if (announcements <= announcementsMax) return;
      finish(failed('protocol'));
      sent.destroy();
    });
    sent.on('error', (error) => {
      if (isOver) return;
      // An idle connection ends when the other side tires of it, and a call may be on its way at that moment.
      const isStale = sent.reusedSocket && sent.socket?.bytesRead === bytesBefore;
      if (isStale) send(doors.fresh);
      else finish(failed(reasonOf(error, sent.socket)));
    });
    // Also the end of what is neither an answer nor an error, as another protocol that was switched to.
    sent.once('close', () => {
      if (call === sent) finish(failed('protocol'));
    });
    sent.end(body);
  };
  try {
    send(doors.pool);
  } catch {
    finish(failed('unreachable'));
  }
};

/** The body is read so that the connection can be used again, as far as it is short; the status stands only with its whole answer. */
const readAway = (answer: IncomingMessage, finish: (end: End) => void): void => {
  const end: End = { kind: 'answered', status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'] };
  let bytes = 0;
  answer.on('data', (part: Buffer) => {
    bytes += part.length;
    if (bytes <= bodyBytesMax) return;
    finish(end);
    answer.destroy();
  });
  answer.once('end', () => finish(end));
  answer.on('error', () => finish(failed('protocol')));
};

const reasonOf = (error: NodeJS.ErrnoException, socket: Socket | null): Reason => {
  if (error.code?.startsWith('HPE_')) return 'protocol';
  // Set by a handshake whose certificate was looked at: there was a connection, to an address that is allowed.
  return socket instanceof TLSSocket && socket.authorizationError ? 'certificate' : 'unreachable';
};

interface Doors {
  /** Connections that stay open between calls. */
  readonly pool: Agent;
  /** One connection for one call. */
  readonly fresh: Agent;
}

const openDoors = (lookup?: LookupFunction): Doors => {
  const safe = { minVersion: 'TLSv1.2', rejectUnauthorized: true, ...(lookup && { lookup }) } as const;
  return {
    pool: new Pool({ ...safe, keepAlive: true, timeout: idleMs, ...room }),
    fresh: new Agent({ ...safe, keepAlive: false }),
  };
};

const bodyBytesMax = 4_096;
const headerBytesMax = 16_384;
/** Answers that only announce another one; a flood of them would take the time of everybody beside it. */
const announcementsMax = 10;
/** An idle connection is given up before most servers and every load balancer (60 s) give it up. */
const idleMs = 30_000;
/** A host has room for several full batches, so that its slow paths do not hold up its quick ones. */
const room = { maxSockets: 64, maxFreeSockets: 10, maxTotalSockets: 640 };
/** Idle connections take at most half of all the room. */
const idleHostsMax = room.maxTotalSockets / 2 / room.maxFreeSockets;

class Pool extends Agent {
  override keepSocketAlive(socket: Duplex) {
    return Object.keys(this.freeSockets).length < idleHostsMax && super.keepSocketAlive(socket);
  }
}
