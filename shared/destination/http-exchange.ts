/** One request and its whole answer, over connections that stay open. */
import { type Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { answerMaxBytes, readBody } from './bounded-body.ts';
import { tooLarge } from './extent.ts';
import { StorageError } from './store.ts';

export interface Exchange {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body?: Uint8Array | string;
  readonly agent: HttpAgent;
  readonly signal: AbortSignal;
  /** Of an answer that is an object; all others have a bound of their own. */
  readonly maxBytes?: number | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Rejects with `unavailable` where no complete answer came, `invalid` where it is too long. Redirects are answers like any other. */
export const exchange = ({
  method,
  url,
  headers,
  body = '',
  agent,
  signal,
  maxBytes = answerMaxBytes,
}: Exchange): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const fail = (cause: unknown): void =>
      reject(
        cause instanceof StorageError
          ? cause
          : new StorageError('unavailable', `The store did not answer (${codeOf(cause)}).`, { cause }),
      );
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const length = { 'content-length': Buffer.byteLength(body) };
    const call = send(url, { method, headers: { ...headers, ...length }, agent, signal }, (response) => {
      take(response, maxBytes).then(resolve, fail);
    });
    call.once('error', fail);
    call.end(body);
  });

const take = async (response: IncomingMessage, maxBytes: number): Promise<Answer> => {
  const { statusCode: status = 0, headers } = response;
  const limitBytes = status < 300 ? maxBytes : answerMaxBytes;
  const promised = headers['content-length'];
  try {
    if (Number(promised ?? 0) > limitBytes) throw tooLarge();
    const body = await readBody(response, limitBytes);
    if (!response.complete || (promised !== undefined && Number(promised) !== body.length))
      throw new Error('the answer ended early');
    return { status, headers, body };
  } catch (error) {
    response.destroy();
    throw error;
  }
};

const codeOf = (error: unknown): string => {
  const { code, name } = error as NodeJS.ErrnoException;
  return typeof code === 'string' && /^\w{1,40}$/.test(code)
    ? code
    : name === 'TimeoutError'
      ? 'no answer in time'
      : 'connection lost';
};
