/** API client for the running stage. */
import type * as z from 'zod/mini';
import { sendRequest } from '../../../shared/client/index.ts';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';
import { noteCapture } from './captures.ts';
import { withRepeats } from './with-repeats.ts';

/** A variable set by test/setup/stage-env.ts; only in files of the project `stage`. */
export const stageVariable = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: a test that needs the stage belongs to stageFiles in test/vitest-config.ts`);
  return value;
};

export const stageUrl = (): string => stageVariable('STAGE_URL');

export interface CallOptions {
  readonly token?: string | undefined;
  readonly org?: string | undefined;
  /** Sent as JSON, unless it is a string. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The caller handles a 503 itself. */
  readonly isOnce?: boolean;
}

/** All members are present for convenience; tests of the envelope use `text`. */
export interface Body<D> {
  readonly success: boolean;
  readonly data: D;
  readonly message: string;
  readonly pagination: { readonly nextCursor: string | null; readonly hasMore: boolean };
  readonly error: {
    readonly code: string;
    readonly message: string;
    readonly details: Readonly<Record<string, unknown>>;
    readonly requestId: string;
  };
}

export interface Result<D> {
  readonly status: number;
  /** The parsed JSON; an empty object if the response is not JSON. */
  readonly body: Body<D>;
  readonly text: string;
  readonly headers: Headers;
}

/** `path` starts at the root: /api/v1/… or /health. Redirects are not followed. A 503 is repeated, as `withRepeats` says. */
export const api = <D = Record<string, unknown>>(method: string, path: string, options: CallOptions = {}): Promise<Result<D>> =>
  options.isOnce
    ? sendOnce<D>(method, path, options)
    : withRepeats(`${method} ${path}`, () => sendOnce<D>(method, path, options));

const sendOnce = async <D>(method: string, path: string, { token, org, body, headers }: CallOptions): Promise<Result<D>> => {
  const {
    status,
    headers: answered,
    text,
  } = await sendRequest(
    {
      baseUrl: stageUrl(),
      fetch: (url, init) => fetch(url, init),
      credentials: 'omit',
      redirect: 'manual',
      // Tests see every response, and wait as long as the test does.
      retry: { attempts: 1, backoffMs: 0, timeoutMs: 300_000 },
    },
    {
      method,
      path,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(org !== undefined && { 'x-organization-id': org }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      isRepeatable: false,
    },
  );
  if (status < 300) noteCapture({ method, path, by: { token, org } });
  const isJson = /\bjson\b/.test(answered.get('content-type') ?? '');
  return {
    status,
    body: (isJson && text !== '' ? JSON.parse(text) : {}) as Body<D>,
    text,
    headers: answered,
  };
};

type DataOf<E extends Endpoint> = E['list'] extends z.ZodMiniType
  ? readonly z.output<E['list']>[]
  : E['data'] extends z.ZodMiniType
    ? z.output<E['data']>
    : unknown;

export interface RowOptions extends CallOptions {
  /** Path parameters by name; encoded when inserted. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

/** Calls an endpoint of the contract; the response has the endpoint's type. */
export const call = async <E extends Endpoint>(endpoint: E, { params = {}, query, ...options }: RowOptions = {}) => {
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = query ? `?${new URLSearchParams(query)}` : '';
  return api<DataOf<E>>(endpoint.method, path + search, options);
};
