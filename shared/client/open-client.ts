/** Typed client of the API, for browsers and Node. It has no dependencies, and imports only the version and types of the contract. */
import { version } from '../contract/version.ts';
import { ApiFailure } from './failures.ts';
import { idempotentRoutes } from './idempotent-routes.ts';
import type { AnyInput, AnyRoute, DataOf, ElementOf, Input, ListRoute, Page, PageRoute, Route } from './routes.ts';
import {
  type Answer,
  type ApiConnection,
  defaultRetryPolicy,
  type Fetch,
  type RetryPolicy,
  retryAfterOf,
  sendRequest,
} from './send-request.ts';
import { type JobKind, type JobReaders, type Jobs, type WaitOptions, waitForJob } from './wait-for-job.ts';

type Setting = string | undefined | (() => string | undefined);

export interface ClientOptions {
  /** Without a trailing slash. Empty in a browser: calls go to the page's own origin. */
  readonly baseUrl: string;
  /** Access token. Without one, and without an API key, a browser sends its session cookie. */
  readonly token?: Setting;
  /** API key of a service account. */
  readonly apiKey?: Setting;
  readonly organizationId?: Setting;
  /** Sent with every call. Outside of browsers, the User-Agent is `bms-client/<version>` unless it is given here. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly fetch?: Fetch | undefined;
  /** Called for a 401, once for all calls that are waiting. The calls are repeated if it returns true: the session was renewed. */
  readonly onUnauthorized?: (() => boolean | Promise<boolean>) | undefined;
  readonly retry?: Partial<RetryPolicy> | undefined;
  /** `manual` returns redirects instead of following them; outside of browsers only. */
  readonly redirect?: 'manual' | undefined;
}

export interface Client {
  /** Returns `data`. Throws an ApiFailure, a NetworkFailure, or the reason of the aborted signal. */
  request<R extends Route>(route: R, ...input: Input<R>): Promise<DataOf<R>>;
  /** Returns one page of a list. */
  page<R extends PageRoute>(route: R, ...input: Input<R>): Promise<Page<R>>;
  /** All pages of a list, from `cursor` on. */
  pages<R extends PageRoute>(route: R, ...input: Input<R>): AsyncIterable<Page<R>>;
  /** All elements of a list, from `cursor` on. `limit` is the size of a page. */
  list<R extends ListRoute>(route: R, ...input: Input<R>): AsyncIterable<ElementOf<R>>;
  /**
   * Polls a job until it has ended. Lost connections and a busy service are retried until the signal is aborted, because they say
   * nothing about the job.
   */
  waitFor<K extends JobKind>(kind: K, id: string, options?: WaitOptions<Jobs[K]>): Promise<Jobs[K]>;
  /** Returns the response to any call without judging its status. */
  send(route: AnyRoute, input?: AnyInput): Promise<Answer>;
}

interface Envelope {
  readonly success?: boolean;
  readonly data?: unknown;
  readonly message?: string;
  readonly pagination?: unknown;
  readonly error?: { readonly code: string; readonly message: string; readonly details?: Readonly<Record<string, unknown>> };
}

const apiPrefix = '/api/v1';
/** Paths outside of the API's prefix. */
const isOutside = (path: string): boolean => /^\/(api\/|health(\?|$)|docs(\?|$)|console(\?|$)|\.well-known\/)/.test(path);
/** Their 401 does not mean that the session ended. */
const isSignIn = (route: string): boolean => /^POST \/auth\/(refresh|token|device|device\/token)$/.test(route);

export const openClient = (options: ClientOptions): Client => {
  const { baseUrl, onUnauthorized } = options;
  const credentialsOf = (): string | undefined => settingOf(options.token) ?? settingOf(options.apiKey);
  const connectionOf = (credentials: string | undefined): ApiConnection => ({
    baseUrl,
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    credentials: credentials === undefined ? 'same-origin' : 'omit',
    redirect: options.redirect,
    retry: { ...defaultRetryPolicy, ...options.retry },
  });
  let renewal: Promise<boolean> | undefined;
  let renewals = 0;
  /** A call that was sent before the last renewal needs no other one. */
  const renew = async (known: number): Promise<boolean> => {
    if (known < renewals) return true;
    renewal ??= Promise.resolve(onUnauthorized?.() ?? false).finally(() => {
      renewal = undefined;
    });
    const isRenewed = await renewal;
    if (isRenewed && known === renewals) renewals += 1;
    return isRenewed;
  };

  const attempt = (route: string, input: AnyInput, key: string): Promise<Answer> => {
    const [method = '', template = ''] = route.split(' ');
    const credentials = credentialsOf();
    const organizationId = settingOf(options.organizationId);
    const isIdempotent = Object.hasOwn(idempotentRoutes, route);
    return sendRequest(connectionOf(credentials), {
      method,
      path: pathOf(template, input),
      headers: {
        accept: 'application/json',
        ...userAgentFor(options.headers),
        ...options.headers,
        ...(credentials !== undefined && { authorization: `Bearer ${credentials}` }),
        ...(organizationId !== undefined && { 'x-organization-id': organizationId }),
        ...(input.body && { 'content-type': 'application/json' }),
        ...(isIdempotent && { 'idempotency-key': key }),
      },
      ...(input.body && { body: JSON.stringify(input.body) }),
      signal: input.signal,
      isRepeatable: method !== 'POST' || isIdempotent,
    });
  };
  const send = async (route: string, input: AnyInput = {}): Promise<Answer> => {
    // All attempts share one Idempotency-Key.
    const key = input.idempotencyKey ?? crypto.randomUUID();
    const known = renewals;
    const answer = await attempt(route, input, key);
    if (answer.status !== 401 || !onUnauthorized || isSignIn(route) || !(await renew(known))) return answer;
    return attempt(route, input, key);
  };
  const call = async (route: string, input: AnyInput = {}): Promise<Envelope> => {
    const [method, template = ''] = route.split(' ');
    return envelopeIn(`${method} ${pathOf(template, { params: input.params })}`, await send(route, input));
  };

  async function* pages(route: string, input: AnyInput = {}): AsyncGenerator<Page<ListRoute>> {
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const query = { ...input.query, ...(cursor && { cursor }) };
      const page = (await call(route, { ...input, query })) as unknown as Page<ListRoute>;
      cursor = page.pagination.hasMore ? page.pagination.nextCursor : null;
      yield page;
    }
  }
  async function* list(route: string, input?: AnyInput): AsyncGenerator<unknown> {
    for await (const { data } of pages(route, input)) yield* data;
  }
  const request = async (route: string, input?: AnyInput): Promise<unknown> => {
    const envelope = await call(route, input);
    return envelope.data ?? { message: envelope.message };
  };
  const page = async (route: string, input?: AnyInput): Promise<unknown> => {
    const { data, pagination } = await call(route, input);
    return { data, pagination };
  };
  // The implementation knows routes as text; their types are those of the interface.
  const client = { request, page, pages, list, send } as unknown as Client;
  const read: JobReaders = {
    backup: (backupId, signal) => client.request('GET /backups/{backupId}', { params: { backupId }, signal }),
    export: (exportId, signal) => client.request('GET /exports/{exportId}', { params: { exportId }, signal }),
    restore: (restoreJobId, signal) =>
      client.request('GET /backups/restore/{restoreJobId}', { params: { restoreJobId }, signal }),
  };
  return { ...client, waitFor: (kind, id, wait) => waitForJob((signal) => read[kind](id, signal), wait) };
};

/** Browsers send their own. */
const userAgentFor = (headers: ClientOptions['headers'] = {}): Readonly<Record<string, string>> => {
  const { process } = globalThis as { readonly process?: { readonly versions?: { readonly node?: string } } };
  const isGiven = Object.keys(headers).some((name) => name.toLowerCase() === 'user-agent');
  return process?.versions?.node === undefined || isGiven ? {} : { 'user-agent': `bms-client/${version}` };
};

const settingOf = (setting: Setting): string | undefined => (typeof setting === 'function' ? setting() : setting);

const pathOf = (template: string, { params = {}, query = {} }: AnyInput): string => {
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const given = Object.entries(query).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, String(value)]],
  );
  const search = given.length > 0 ? `?${new URLSearchParams(given)}` : '';
  return (isOutside(template) ? '' : apiPrefix) + path + search;
};

/** A file is its own data. */
const envelopeIn = (route: string, answer: Answer): Envelope => {
  const { status, headers, text } = answer;
  const isJson = /\bjson\b/.test(headers.get('content-type') ?? '');
  const json = isJson ? parsed(text) : undefined;
  const envelope = (typeof json === 'object' && json !== null ? json : {}) as Envelope;
  if (status >= 200 && status < 300 && (!isJson || json !== undefined))
    return typeof envelope.success === 'boolean' ? envelope : { data: isJson ? json : text };
  throw new ApiFailure({
    route,
    status,
    code: envelope.error?.code ?? 'UNKNOWN',
    message: envelope.error?.message ?? `The response with status ${status} is not from this service`,
    details: envelope.error?.details ?? {},
    requestId: headers.get('x-request-id'),
    retryAfter: retryAfterOf(answer),
  });
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};
