/** One request and its whole answer, over connections that stay open. */
import { type Agent as HttpAgent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { StorageError } from './store.ts';

export interface Exchange {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body?: Uint8Array | string;
  readonly agent: HttpAgent;
  readonly signal: AbortSignal;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Rejects with `unavailable` where no complete answer came. Redirects are answers like any other. */
export const exchange = ({ method, url, headers, body = '', agent, signal }: Exchange): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const fail = (cause: unknown): void =>
      reject(new StorageError('unavailable', `The store did not answer (${codeOf(cause)}).`, { cause }));
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    const length = { 'content-length': Buffer.byteLength(body) };
    const call = send(url, { method, headers: { ...headers, ...length }, agent, signal }, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.once('error', fail);
      response.once('end', () => {
        const whole = Buffer.concat(parts);
        const promised = response.headers['content-length'];
        if (!response.complete || (method !== 'HEAD' && promised !== undefined && Number(promised) !== whole.length))
          return fail(new Error('the answer ended early'));
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: whole });
      });
    });
    call.once('error', fail);
    call.end(body);
  });

const codeOf = (error: unknown): string => {
  const { code, name } = error as NodeJS.ErrnoException;
  return typeof code === 'string' && /^\w{1,40}$/.test(code)
    ? code
    : name === 'TimeoutError'
      ? 'no answer in time'
      : 'connection lost';
};
