import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { AuthError } from '../auth-users/error.ts';
import { type AuthRequest, authRoutes, type Users } from '../auth-users/index.ts';
import { type CallContext, type Methods, RpcError } from '../base/types.ts';
import type { Faults } from '../faults/faults.ts';
import { type Authorize, admit, tokenOf } from '../faults/guard-methods.ts';
import { plainHeaders } from '../grpc/headers.ts';
import type { Rules } from '../rules/rulesets.ts';
import type { Databases } from '../storage/databases.ts';
import { adminRoutes } from './admin-routes.ts';
import { answerCors, type Origins, refusalOf } from './cors.ts';
import { databaseRoute } from './database-routes.ts';
import { indexRoute } from './index-routes.ts';
import { readJsonBody } from './read-body.ts';
import { type RestCall, restCall, restError } from './rest.ts';
import { rulesRoute } from './rules-routes.ts';

/** The handlers of HTTP/1.1 requests. */
export interface Web {
  readonly methods: Methods;
  readonly databases: Databases;
  readonly faults: Faults;
  readonly users: Users;
  readonly rules: Rules;
  readonly authorize: Authorize | undefined;
  readonly origins: Origins;
  /** The calls of web SDKs; undefined if the path is another. */
  readonly channels: (request: IncomingMessage, response: ServerResponse, url: URL) => Promise<void> | undefined;
  readonly log: (error: unknown) => void;
}

/** REST for documents, the Admin API, Firebase Rules, Identity Toolkit accounts, faults, and the emulator's call to clear a database. */
export const web =
  (parts: Web): RequestListener =>
  (request, response) => {
    const controller = new AbortController();
    response.on('close', () => controller.abort());
    serve(parts, { request, response, signal: controller.signal }).catch((error: unknown) => {
      if (error instanceof AuthError) return reply(response, error.httpStatus, error.body);
      fail(response, { error, isList: false, log: parts.log });
    });
  };

/** An error before the first chunk gets its own status; a later one can only break the connection. */
function fail(
  response: ServerResponse,
  { error, isList, log }: { readonly error: unknown; readonly isList: boolean; readonly log: Web['log'] },
): void {
  if (response.destroyed) return;
  const { httpStatus, body } = restError(error);
  if (httpStatus === 500) log(error);
  if (response.headersSent) response.destroy();
  else reply(response, httpStatus, isList ? [body] : body);
}

async function serve(
  parts: Web,
  {
    request,
    response,
    signal,
  }: { readonly request: IncomingMessage; readonly response: ServerResponse; readonly signal: AbortSignal },
): Promise<void> {
  const url = urlOf(request.url ?? '/');
  const method = request.method ?? 'GET';
  const refusal = refusalOf(request.headers, parts.origins);
  if (refusal !== undefined) throw new RpcError('PERMISSION_DENIED', refusal);
  if (url.pathname === '/') return reply(response, 200, { status: 'ok' });
  if (isPublicApi(url.pathname) && answerCors(request, response)) return;
  const channel = parts.channels(request, response, url);
  if (channel) return channel;
  const body = await readJsonBody(request);
  const call: CallContext = { headers: plainHeaders(request.headers), signal };
  const http = { method, path: url.pathname, query: url.searchParams, body };

  const rest = restCall(parts.methods, http, call);
  if (rest)
    return stream(response, rest).catch((error: unknown) => fail(response, { error, isList: rest.isList, log: parts.log }));

  const other = databaseRoute(parts.databases, http) ?? indexRoute(parts.databases, http) ?? rulesRoute(parts.rules, http);
  if (other) {
    await admit(other.method, { name: other.name, call, faults: parts.faults, authorize: parts.authorize });
    return reply(response, 200, other.run());
  }

  const account = authRoutes(parts.users, authRequest(http));
  if (account) {
    parts.faults.count(`accounts${url.pathname.includes(':') ? url.pathname.slice(url.pathname.lastIndexOf(':')) : ''}`);
    await parts.authorize?.(tokenOf(call), account.project, 'accounts');
    parts.faults.checkCredentials(account.project);
    return reply(response, 200, account.run());
  }
  const admin = await adminRoutes(parts, http);
  if (admin) return reply(response, 200, admin.answer);
  reply(response, 404, { error: { code: 404, message: 'Not found.', status: 'NOT_FOUND' } });
}

const urlOf = (text: string): URL => {
  if (URL.canParse(text, 'http://localhost')) return new URL(text, 'http://localhost');
  throw new RpcError('INVALID_ARGUMENT', `The request target ${JSON.stringify(text)} is not a URL.`);
};

/** Paths of Google's APIs. Pages of other origins must not reach the server's own admin calls. */
const isPublicApi = (path: string): boolean =>
  /^\/(v1|identitytoolkit\.googleapis\.com|google\.firestore\.v1\.Firestore)\//.test(path);

const authRequest = (http: { method: string; path: string; query: URLSearchParams; body: unknown }): AuthRequest => ({
  ...http,
  path: http.path.replace(/^\/identitytoolkit\.googleapis\.com(?=\/)/, ''),
  now: Date.now(),
});

function reply(response: ServerResponse, httpStatus: number, body: unknown): void {
  response.writeHead(httpStatus, { 'content-type': 'application/json; charset=UTF-8' });
  response.end(`${JSON.stringify(body, null, 2)}\n`);
}

async function stream(response: ServerResponse, rest: RestCall): Promise<void> {
  for await (const piece of rest.run()) {
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'application/json; charset=UTF-8' });
    if (response.write(piece) || response.destroyed) continue;
    await drained(response);
  }
  response.end('\n');
}

/** Resolves when more can be written or the client is gone, and removes its listeners. */
const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const go = (): void => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.on('drain', go).on('close', go);
  });
