/** API client for the running stage. */
import type * as z from 'zod';
import type { Endpoint } from '../../../shared/contract/endpoint.ts';

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

/** `path` starts at the root: /api/v1/… or /health. Redirects are not followed. */
export const api = async <D = Record<string, unknown>>(
  method: string,
  path: string,
  { token, org, body, headers }: CallOptions = {},
): Promise<Result<D>> => {
  const answer = await fetch(stageUrl() + path, {
    method,
    redirect: 'manual',
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(org !== undefined && { 'x-organization-id': org }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await answer.text();
  const isJson = /\bjson\b/.test(answer.headers.get('content-type') ?? '');
  return { status: answer.status, body: (isJson ? JSON.parse(text) : {}) as Body<D>, text, headers: answer.headers };
};

type DataOf<E extends Endpoint> = E['list'] extends z.ZodType
  ? readonly z.output<E['list']>[]
  : E['data'] extends z.ZodType
    ? z.output<E['data']>
    : unknown;

export interface RowOptions extends CallOptions {
  /** Path parameters by name; encoded when inserted. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

/** Calls an endpoint of the contract; the response has the endpoint's type. */
export const call = <E extends Endpoint>(endpoint: E, { params = {}, query, ...options }: RowOptions = {}) => {
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = query ? `?${new URLSearchParams(query)}` : '';
  return api<DataOf<E>>(endpoint.method, path + search, options);
};
