import type { ClientRequest, Agent as HttpAgent } from 'node:http';
import { Readable } from 'node:stream';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { answerMaxBytes, tooLarge } from '../byte-range.ts';
import { StorageError } from '../object-store.ts';

type Handle = NodeHttpHandler['handle'];
type Request = Parameters<Handle>[0];
type Response = Awaited<ReturnType<Handle>>['response'];

export type S3SendOptions = NonNullable<Parameters<Handle>[1]> & {
  /** Bound for the body of an object that is read; every other body has a fixed bound. */
  readonly maxBytes?: number | undefined;
};

/**
 * The SDK's transport, restricted for a store that may send anything: every connection goes through the given agent, every body
 * is read to its end and no further than its bound, and nothing is redirected.
 */
export class S3RequestHandler {
  readonly metadata = { handlerProtocol: 'http/1.1' };
  readonly #transport: NodeHttpHandler;

  constructor({ agent, connectMs }: { readonly agent: HttpAgent; readonly connectMs: number }) {
    // With an agent for only one protocol the SDK would make one of its own, without a guard, for the other.
    this.#transport = new NodeHttpHandler({ httpAgent: agent, httpsAgent: agent as never, connectionTimeout: connectMs });
  }

  async handle(request: Request, { maxBytes, ...options }: S3SendOptions = {}): Promise<{ response: Response }> {
    const { response } = await this.#transport.handle(deferredIfLarge(request), options);
    const stream = response.body as Readable & { readonly complete: boolean };
    try {
      const bytes = await readBody(request.method, response, stream, maxBytes);
      response.body = Readable.from(bytes.length === 0 ? [] : [bytes]);
    } catch (error) {
      stream.destroy();
      throw error;
    }
    // The SDK would take over an unreadable time as its clock, and could then sign nothing more.
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
  { statusCode, headers }: Response,
  stream: Readable & { readonly complete: boolean },
  maxBytes: number | undefined,
): Promise<Buffer> => {
  const isSuccess = statusCode < 300;
  const limitBytes = isSuccess && maxBytes !== undefined ? maxBytes : answerMaxBytes;
  const promised = method === 'HEAD' ? undefined : headers['content-length'];
  if (Number(promised ?? 0) > limitBytes) throw tooLarge();
  const bytes = await collect(stream, limitBytes);
  if (!stream.complete || (promised !== undefined && Number(promised) !== bytes.length))
    throw Object.assign(new Error('the answer ended early'), { code: 'ECONNRESET' });
  // A store sends blanks to keep the connection open while it works, and may break off after them.
  if (isSuccess && maxBytes === undefined && bytes.length > 0 && bytes.toString().trim() === '')
    throw new StorageError('unavailable', 'The store began an answer and said nothing.');
  return bytes;
};

/** Leaving the loop ends the stream. */
const collect = async (stream: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> => {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of stream) {
    size += piece.length;
    if (size > maxBytes) throw tooLarge();
    pieces.push(piece);
  }
  return Buffer.concat(pieces, size);
};

/** With an agent of the caller's the SDK sends `Expect: 100-continue` and does not wait for the answer. */
const deferredIfLarge = (request: Request): Request =>
  request.headers.Expect === '100-continue' && ArrayBuffer.isView(request.body)
    ? Object.assign(request.clone(), { body: new DeferredBody(request.body as Uint8Array) })
    : request;

/** A store that does not ask for the body gets it after this time all the same. */
const continueMaxMs = 1_000;

/** Sends a large body only when the store asks for it: a refusal then arrives as an answer, not as a broken connection. */
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
      // The body is still owed to this connection, so it cannot be used again.
      if (!request.writableEnded) response.once('close', () => request.destroy());
    });
    request.flushHeaders();
    return destination;
  }
}
