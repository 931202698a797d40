/** The HTTP API: routes a request to its function and its answer back. What the gateway itself refuses is in our envelope. */
import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import { type ErrorCode, errors } from '../../../shared/contract/errors.ts';
import type { Permit } from '../base/types.ts';
import { FunctionError } from '../lambda/function-spec.ts';
import { corsOf } from './cors.ts';
import { type Api, buildEvent, type Reply, readReply } from './http-event.ts';
import { compileRoutes, type Match, type Route } from './routes.ts';

export interface GatewayOptions {
  readonly api: Api;
  readonly routes: readonly Route[];
  readonly cors: unknown;
  readonly permit: Permit;
  readonly invoke: (functionArn: string, event: unknown) => Promise<unknown>;
  /** Pages of the stage itself, below /_local; undefined where there is none. */
  readonly page: (path: string) => Reply | undefined;
}

/** The HTTP API's own limits. */
const bodyMaxBytes = 10_000_000;
const headersMaxBytes = 10_240;
/** More is read than is taken: a connection closed in the middle of a request would hide the answer. */
export const headersReadBytes = 1_048_576;

export const makeGateway = (options: GatewayOptions): RequestListener => {
  const find = compileRoutes(options.routes);
  const cors = corsOf(options.cors);

  const answer = async (request: IncomingMessage): Promise<Reply> => {
    if (headerBytes(request) > headersMaxBytes) {
      // A token of that size is no token of ours.
      if ((request.headers.authorization?.length ?? 0) > headersMaxBytes / 2)
        return refusal('UNAUTHORIZED', 'This token is malformed');
      const large = refusal('PAYLOAD_TOO_LARGE', `The request line and headers may have at most ${headersMaxBytes} bytes`);
      return { ...large, status: 431 };
    }
    const [rawPath = '/', ...rest] = (request.url ?? '/').split('?');
    const path = decode(rawPath);
    if (path === undefined || !path.startsWith('/')) {
      return refusal('VALIDATION_ERROR', 'The path is not validly encoded', { field: 'path', reason: 'is not validly encoded' });
    }
    if (cors.isPreflight(request.method, request.headers)) {
      // A route that takes it, such as $default, is asked, as on AWS; the headers are the configuration's.
      const asked = find('OPTIONS', path);
      const reply = asked
        ? await call({ request, path, rawQuery: rest.join('?'), body: empty }, asked)
        : { status: 204, body: empty };
      return { ...reply, headers: cors.preflight(request.headers) };
    }
    const page = path.startsWith('/_local/') ? options.page(path) : undefined;
    if (page) return page;
    const body = await readBody(request);
    if (!body) return refusal('PAYLOAD_TOO_LARGE', `The body may have at most ${bodyMaxBytes} bytes`);
    const match = find(request.method ?? 'GET', path);
    if (!match) return refusal('NOT_FOUND', 'Not Found');
    return call({ request, path, rawQuery: rest.join('?'), body }, match);
  };

  const call = async (received: Parameters<typeof buildEvent>[0], match: Match): Promise<Reply> => {
    if (!isAllowed(match.route, options)) return refusal('INTERNAL_ERROR', 'Internal Server Error');
    try {
      const result = await withTimeout(options.invoke(match.route.functionArn, buildEvent(received, match, options.api)), match);
      const reply = readReply(result);
      return reply ? { ...reply, headers: ownHeaders(reply.headers) } : refusal('INTERNAL_ERROR', 'Internal Server Error');
    } catch (error) {
      if (!(error instanceof FunctionError)) throw error;
      if (error.name === 'RequestTooLargeException') return refusal('PAYLOAD_TOO_LARGE', 'The body is too large');
      return error.reason === 'timed-out'
        ? refusal('SERVICE_UNAVAILABLE', 'Service Unavailable')
        : refusal('INTERNAL_ERROR', 'Internal Server Error');
    }
  };

  return (request, response) => {
    const failed = refusal('INTERNAL_ERROR', 'Internal Server Error');
    const reply = (what: Reply): void => send(request, response, what, cors.headers(request.headers));
    answer(request)
      .catch(() => failed)
      .then(reply)
      // A header that HTTP cannot carry.
      .catch(() => reply(failed));
  };
};

const empty = Buffer.alloc(0);

/** On AWS a route whose role may not start its function answers 500; so does this one. */
const isAllowed = ({ credentialsArn, functionArn }: Route, { permit }: GatewayOptions): boolean => {
  if (credentialsArn === undefined) return true;
  const actor = { service: 'apigateway.amazonaws.com', sourceArn: functionArn };
  try {
    permit(credentialsArn, actor, { action: 'lambda:InvokeFunction', resources: [functionArn] });
    return true;
  } catch {
    return false;
  }
};

const decode = (path: string): string | undefined => {
  try {
    return decodeURIComponent(path);
  } catch {
    return undefined;
  }
};

/** What is too large is still read, and dropped, up to this: many clients look for an answer only when all is sent. */
const bodyReadMaxBytes = 100_000_000;

/** The whole body, or undefined if it is too large. */
const readBody = async (request: IncomingMessage): Promise<Buffer | undefined> => {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += (part as Buffer).length;
    if (bytes <= bodyMaxBytes) parts.push(part as Buffer);
    else parts.length = 0;
    if (bytes > bodyReadMaxBytes) return undefined;
  }
  return bytes <= bodyMaxBytes ? Buffer.concat(parts) : undefined;
};

const withTimeout = async <T>(work: Promise<T>, { route }: Match): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new FunctionError('timed-out', 'Timeout', 'the integration took too long')), route.timeoutMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
};

const refusal = (code: ErrorCode, message: string, details?: Readonly<Record<string, string>>): Reply => {
  const requestId = crypto.randomUUID();
  return {
    status: errors[code],
    headers: { 'content-type': 'application/json; charset=utf-8', 'x-request-id': requestId },
    body: Buffer.from(JSON.stringify({ success: false, error: { code, message, details, requestId } })),
  };
};

const bodiless = new Set([204, 304]);

const send = (request: IncomingMessage, response: ServerResponse, reply: Reply, more: Record<string, string>): void => {
  // An unread rest of a body would be taken for the next request.
  if (!request.complete) response.setHeader('connection', 'close');
  const length = bodiless.has(reply.status) ? {} : { 'content-length': reply.body.length };
  response.writeHead(reply.status, { ...(reply.headers as OutgoingHttpHeaders), ...length, ...more });
  response.end(bodiless.has(reply.status) || request.method === 'HEAD' ? undefined : reply.body);
};

/** The gateway alone speaks of CORS and of lengths: what a function says of them is dropped. */
const ownHeaders = (headers: Reply['headers']): Reply['headers'] =>
  Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !name.startsWith('access-control-') && name !== 'content-length' && name !== 'transfer-encoding',
    ),
  );

/** The request line and the header values, as the HTTP API counts them. */
const headerBytes = ({ rawHeaders, url = '' }: IncomingMessage): number =>
  rawHeaders.reduce((sum, text, n) => sum + (n % 2 === 1 ? text.length : 0), url.length);
