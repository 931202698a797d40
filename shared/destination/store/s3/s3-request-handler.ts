import type { ClientRequest, Agent as HttpAgent } from 'node:http';
import { Readable } from 'node:stream';
import { answerMaxBytes, collect, tooLarge } from '../byte-range.ts';
import { StorageError } from '../object-store.ts';
import { NodeHttpHandler } from './s3-library.ts';

type Handle = NodeHttpHandler['handle'];
type Request = Parameters<Handle>[0];
type Response = Awaited<ReturnType<Handle>>['response'];

export type S3SendOptions = NonNullable<Parameters<Handle>[1]> & {
  /** Limit of an object's body; every other body has a fixed limit. */
  readonly maxBytes?: number | undefined;
};

/**
 * The SDK's transport, restricted for untrusted stores: every connection goes through the given agent, every body is read completely
 * up to its limit, and redirects are not followed.
 */
export class S3RequestHandler {
  readonly metadata = { handlerProtocol: 'http/1.1' };
  readonly #transport: NodeHttpHandler;

  constructor({ agent, connectMs }: { readonly agent: HttpAgent; readonly connectMs: number }) {
    // With an agent for one protocol only, the SDK would create an unguarded one for the other.
    this.#transport = new NodeHttpHandler({ httpAgent: agent, httpsAgent: agent as never, connectionTimeout: connectMs });
  }

  async handle(request: Request, { maxBytes, ...options }: S3SendOptions = {}): Promise<{ response: Response }> {
    const { response } = await this.#transport.handle(deferredIfLarge(request), options);
    const stream = response.body as Readable & { readonly complete: boolean };
    try {
      const bytes = await readBody(request.method, { response, stream, maxBytes });
      response.body = Readable.from(bytes.length === 0 ? [] : [bytes]);
    } catch (error) {
      stream.destroy();
      throw error;
    }
    // The SDK would adopt an unreadable time as its clock offset and could not sign requests any more.
    if (Number.isNaN(Date.parse(response.headers.date ?? ''))) delete response.headers.date;
    return { response };
  }

  destroy(): void {
    this.#transport.destroy();
  }

  updateHttpClientConfig(): void {}

  httpHandlerConfigs(): Record<string, never> {
    return {};
  }
}

const readBody = async (
  method: string,
  {
    response: { statusCode, headers },
    stream,
    maxBytes,
  }: {
    readonly response: Response;
    readonly stream: Readable & { readonly complete: boolean };
    readonly maxBytes: number | undefined;
  },
): Promise<Buffer> => {
  const isSuccess = statusCode < 300;
  const limitBytes = isSuccess && maxBytes !== undefined ? maxBytes : answerMaxBytes;
  const announced = method === 'HEAD' ? undefined : headers['content-length'];
  if (Number(announced ?? 0) > limitBytes) throw tooLarge();
  const bytes = await collect(stream, limitBytes);
  if (!stream.complete || (announced !== undefined && Number(announced) !== bytes.length))
    throw Object.assign(new Error('the response ended early'), { code: 'ECONNRESET' });
  // A store may send white space to keep the connection open, and then fail.
  if (isSuccess && maxBytes === undefined && bytes.length > 0 && bytes.toString().trim() === '')
    throw new StorageError('unavailable', 'The store returned an empty response.');
  return bytes;
};

/** With a custom agent the SDK sends `Expect: 100-continue` without waiting for the response. */
const deferredIfLarge = (request: Request): Request =>
  request.headers.Expect === '100-continue' && ArrayBuffer.isView(request.body)
    ? Object.assign(request.clone(), { body: new DeferredBody(request.body as Uint8Array) })
    : request;

/** A store that does not request the body gets it after this time. */
const continueMaxMs = 1_000;

/** Sends a large body only when the store requests it, so that a rejection arrives as a response and not as a broken connection. */
class DeferredBody extends Readable {
  readonly #bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    super();
    this.#bytes = bytes;
  }

  override pipe<T extends NodeJS.WritableStream>(destination: T): T {
    const request = destination as unknown as ClientRequest;
    const send = (): void => {
      clearTimeout(timer);
      request.end(this.#bytes);
    };
    const timer = setTimeout(send, continueMaxMs);
    request.once('continue', send);
    request.once('close', () => clearTimeout(timer));
    request.once('response', (response) => {
      clearTimeout(timer);
      // The body was not sent, so the connection cannot be reused.
      if (!request.writableEnded) response.once('close', () => request.destroy());
    });
    request.flushHeaders();
    return destination;
  }
}
