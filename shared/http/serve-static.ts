import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Endpoint } from '../contract/endpoint.ts';
import { type Clock, clock } from '../platform/index.ts';
import { acceptQuality } from './accept-quality.ts';
import type { Handler } from './handler-types.ts';
import { type Incoming, readQuery, refuseLargeBody } from './parse-request.ts';
import { assertWithinLimit, countAddress } from './rate-limit.ts';
import { noQuery, withEnvelope } from './request-envelope.ts';
import { type File, fileResponse, type Response } from './responses.ts';
import { answerUnrouted, isOtherMethod } from './unrouted/answer-unrouted.ts';
import { validate } from './validate.ts';

/** A public endpoint whose response is the same for everyone. */
type StaticEndpoint = Endpoint & { readonly access: 'public'; readonly reply: 'file'; readonly capabilities: readonly [] };

/** Runs an endpoint that serves a static text. Its bundle contains no AWS client, which saves two thirds of the code. */
export const serveStatic = (endpoint: StaticEndpoint, file: () => File, time: Clock = clock): Handler => {
  const compress = fileCompressor();
  return serveFiles(
    endpoint,
    (incoming) => {
      validate(noQuery, readQuery(incoming.rawQuery), 'query');
      return compress(fileResponse(file()), incoming.headers['accept-encoding']);
    },
    time,
  );
};

/** As `serveStatic`, for an endpoint that chooses the file by the request. */
export const serveFiles = (endpoint: StaticEndpoint, respond: (incoming: Incoming) => Response, time: Clock = clock): Handler =>
  withEnvelope(
    endpoint,
    async (call) => {
      if (isOtherMethod(endpoint, call)) return answerUnrouted(call);
      const { incoming, now, reportRate } = call;
      refuseLargeBody(incoming);
      const rate = countAddress(incoming.origin.ip, now);
      reportRate(rate);
      assertWithinLimit(rate);
      return respond(incoming);
    },
    time,
  );

/** Quality 5 takes a tenth of the time of 11 for nearly the same size. */
const compressors = {
  br: (text: string) => brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }),
  gzip: (text: string) => gzipSync(text),
} as const;
type Encoding = keyof typeof compressors;

/** Compresses texts as the client accepts them. A text is compressed once per container and encoding. */
const fileCompressor = (): ((response: Response, acceptEncoding: string | undefined) => Response) => {
  const cache = new Map<Encoding, { readonly text: string; readonly body: string }>();
  return (response, acceptEncoding = '') => {
    const headers = { ...response.headers, vary: 'accept-encoding' };
    const [encoding, weight] = (Object.keys(compressors) as Encoding[])
      .map((name) => [name, acceptQuality(acceptEncoding, name)] as const)
      .reduce((best, other) => (other[1] > best[1] ? other : best));
    if (weight === 0) return { ...response, headers };
    const text = response.body ?? '';
    const cached = cache.get(encoding);
    const body = cached?.text === text ? cached.body : compressors[encoding](text).toString('base64');
    cache.set(encoding, { text, body });
    return { ...response, headers: { ...headers, 'content-encoding': encoding }, body, isBase64Encoded: true };
  };
};
