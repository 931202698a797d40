/** The HTTP API: routes requests to functions. Its own refusals use the service's error envelope. */
import type { IncomingMessage, OutgoingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import { type ErrorCode, errors } from '../../../shared/contract/errors.ts';
import type { Permit } from '../base/types.ts';
import { FunctionError, isThrottled } from '../lambda/function-spec.ts';
import { corsOf } from './cors.ts';
import { type Api, buildEvent, type Reply, readReply } from './http-event.ts';
import { compileRoutes, type Match, type Route } from './routes.ts';

interface GatewayOptions {
  readonly api: Api;
  readonly routes: readonly Route[];
  readonly cors: unknown;
  readonly permit: Permit;
  readonly invoke: (functionArn: string, event: unknown) => Promise<unknown>;
  /** The time for bundling a function does not count: Lambda has none. */
  readonly whenBundled?: (functionArn: string) => Promise<void> | undefined;
  /** The stage's own pages below /_local; undefined if there is none. */
  readonly page: (path: string) => Reply | undefined;
}

/** Limits of the HTTP API. */
const bodyMaxBytes = 10_000_000;
const headersMaxBytes = 10_240;
/** Larger than the limit: closing the connection in the middle of a request would hide the error response. */
export const headersReadBytes = 1_048_576;

export const makeGateway = (options: GatewayOptions): RequestListener => {
  const find = compileRoutes(options.routes);
  const cors = corsOf(options.cors);

  const answer = async (request: IncomingMessage): Promise<Reply> => {
    if (headerBytes(request) > headersMaxBytes) {
      // The service issues no tokens of this size.
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
      // As on AWS, a route that matches OPTIONS (such as $default) is invoked, but the headers come from the configuration.
      const requested = find('OPTIONS', path);
      const reply = requested
        ? await call({ request, path, rawQuery: rest.join('?'), body: empty }, requested)
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
    // If it fails, the invocation does, too.
    await options.whenBundled?.(match.route.functionArn)?.catch(() => undefined);
    try {
      const result = await withTimeout(options.invoke(match.route.functionArn, buildEvent(received, match, options.api)), match);
      const reply = readReply(result);
      return reply ? { ...reply, headers: ownHeaders(reply.headers) } : refusal('INTERNAL_ERROR', 'Internal Server Error');
    } catch (error) {
      if (!(error instanceof FunctionError)) throw error;
      if (error.name === 'RequestTooLargeException') return refusal('PAYLOAD_TOO_LARGE', 'The body is too large');
      return error.reason === 'timed-out' || isThrottled(error)
        ? refusal('SERVICE_UNAVAILABLE', 'Service Unavailable')
        : refusal('INTERNAL_ERROR', 'Internal Server Error');
    }
  };

  return (request, response) => {
    const failed = refusal('INTERNAL_ERROR', 'Internal Server Error');
    const reply = (what: Reply): void => send(request, { response, reply: what, corsHeaders: cors.headers(request.headers) });
    answer(request)
      .catch(() => failed)
      .then(reply)
      // The response has a header that HTTP cannot carry.
      .catch(() => reply(failed));
  };
};

const empty = Buffer.alloc(0);

/** As on AWS, a route whose role may not invoke its function answers 500. */
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

/** A body over the limit is read and discarded up to this size: many clients read the response only after sending everything. */
const bodyReadMaxBytes = 100_000_000;

/** The complete body, or undefined if it is too large. */
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
  const timeout = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new FunctionError('timed-out', 'Timeout', 'the integration timed out')), route.timeoutMs);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
};

const refusal = (code: ErrorCode, message: string, details: Readonly<Record<string, string>> = {}): Reply => {
  const requestId = crypto.randomUUID();
  return {
    status: errors[code],
    headers: { 'content-type': 'application/json; charset=utf-8', 'x-request-id': requestId },
    body: Buffer.from(JSON.stringify({ success: false, error: { code, message, details, requestId } })),
  };
};

const bodiless = new Set([204, 304]);

const send = (
  request: IncomingMessage,
  {
    response,
    reply,
    corsHeaders,
  }: { readonly response: ServerResponse; readonly reply: Reply; readonly corsHeaders: Record<string, string> },
): void => {
  // The unread rest of the body would be parsed as the next request.
  if (!request.complete) response.setHeader('connection', 'close');
  const length = bodiless.has(reply.status) ? {} : { 'content-length': reply.body.length };
  response.writeHead(reply.status, { ...(reply.headers as OutgoingHttpHeaders), ...length, ...corsHeaders });
  response.end(bodiless.has(reply.status) || request.method === 'HEAD' ? undefined : reply.body);
};

/** Drops CORS and length headers of the function: the gateway sets these. */
const ownHeaders = (headers: Reply['headers']): Reply['headers'] =>
  Object.fromEntries(
    Object.entries(headers).filter(
      ([name]) => !name.startsWith('access-control-') && name !== 'content-length' && name !== 'transfer-encoding',
    ),
  );

/** The size of the request line and header values, as the HTTP API counts it. */
const headerBytes = ({ rawHeaders, url = '' }: IncomingMessage): number =>
  rawHeaders.reduce((sum, text, n) => sum + (n % 2 === 1 ? text.length : 0), url.length);
