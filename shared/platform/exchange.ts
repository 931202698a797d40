/** One request and its whole answer, over connections that stay open. */
import {
  type ClientRequest,
  type Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { request as httpsRequest } from 'node:https';

export interface Exchange {
  readonly method: string;
  /** Where to; of its path only where no other is given. */
  readonly url: URL;
  /** Path and query as they are sent: what a URL makes of dots is not always meant. */
  readonly path?: string;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body?: Uint8Array | string;
  readonly agent: HttpAgent;
  readonly signal: AbortSignal;
  /** Of an answer that succeeds. */
  readonly maxBytes: number;
  /** Of every other. */
  readonly refusalMaxBytes: number;
  /** How long a connection may take to be made; the signal ends all of it. */
  readonly connectMs?: number;
  /** Whether the other side is asked if it wants a large body, before it is sent. */
  readonly asksFirst?: boolean;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** An answer that is longer than it may be: what is too long is ended, not read on. */
export class AnswerTooLong extends Error {}

/** Who asks first does so from here on: what is refused is then refused by an answer, not by a connection that is cut in the middle of a body. */
const askFirstBytes = 2 << 20;
/** Who does not say that it wants the body gets it after this time all the same. */
const askFirstMs = 1_000;

/** Rejects where no complete answer came. Redirects are answers like any other. */
export const exchange = (asked: Exchange): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { method, url, path, headers, body = '', agent, signal, connectMs } = asked;
    const lengthBytes = Buffer.byteLength(body);
    const isAsked = asked.asksFirst === true && lengthBytes >= askFirstBytes;
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const call = send(
      url,
      {
        ...{ method, agent, signal, ...(path !== undefined && { path }) },
        headers: { ...headers, 'content-length': lengthBytes, ...(isAsked && { expect: '100-continue' }) },
      },
      (response) => {
        take(response, asked).then(resolve, reject);
      },
    );
    call.once('error', reject);
    if (connectMs !== undefined) endSlowConnection(call, connectMs);
    if (isAsked) endWhenWanted(call, body);
    else call.end(body);
  });

const endWhenWanted = (call: ClientRequest, body: Uint8Array | string): void => {
  const go = (): void => {
    clearTimeout(timer);
    call.end(body);
  };
  const timer = setTimeout(go, askFirstMs);
  call.once('continue', go);
  call.once('close', () => clearTimeout(timer));
  call.once('response', (response) => {
    clearTimeout(timer);
    // A body that was not wanted is still owed to the connection, which therefore cannot be used again.
    if (!call.writableEnded) response.once('close', () => call.destroy());
  });
  call.flushHeaders();
};

const endSlowConnection = (call: ClientRequest, connectMs: number): void => {
  call.once('socket', (socket) => {
    if (!socket.connecting) return;
    const timer = setTimeout(
      () => call.destroy(Object.assign(new Error('no connection in time'), { code: 'ETIMEDOUT' })),
      connectMs,
    );
    const ready = (): void => clearTimeout(timer);
    socket.once('connect', ready).once('close', ready);
  });
};

const take = async (response: IncomingMessage, { method, maxBytes, refusalMaxBytes }: Exchange): Promise<Answer> => {
  const { statusCode: status = 0, headers } = response;
  const limitBytes = status < 300 ? maxBytes : refusalMaxBytes;
  const promised = method === 'HEAD' ? undefined : headers['content-length'];
  try {
    if (Number(promised ?? 0) > limitBytes) throw new AnswerTooLong();
    const body = await readBody(response, limitBytes);
    if (!response.complete || (promised !== undefined && Number(promised) !== body.length))
      throw Object.assign(new Error('the answer ended early'), { code: 'ECONNRESET' });
    return { status, headers, body };
  } catch (error) {
    response.destroy();
    throw error;
  }
};

/** All of a body that is no longer than it may be; leaving the loop ends the stream. */
const readBody = async (body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> => {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > maxBytes) throw new AnswerTooLong();
    pieces.push(piece);
  }
  return Buffer.concat(pieces, size);
};
