/** Types of every call, by its route. */
import type { RouteTable } from './route-table.ts';

/** The method and the path below /api/v1, as in the contract: `GET /backups/{backupId}`. Other paths are complete: `GET /health`. */
export type Route = keyof RouteTable & string;
type With<Fields> = { [R in Route]: RouteTable[R] extends Fields ? R : never }[Route];

/** Routes of lists: their `data` is an array. */
export type ListRoute = With<{ readonly list: true }>;
/** Routes that accept `limit` and `cursor`. */
export type PageRoute = With<{ readonly paged: true }>;
/** Routes that accept an Idempotency-Key. */
export type IdempotentRoute = With<{ readonly idempotent: true }>;

/** What a call returns: `data`, the content of a file, or the message of a call that has neither. */
export type DataOf<R extends Route> = RouteTable[R] extends { readonly data: infer Data } ? Data : never;

export type ElementOf<R extends ListRoute> = DataOf<R> extends readonly (infer T)[] ? T : never;

/** One page of a list. */
export interface Page<R extends PageRoute> {
  readonly data: DataOf<R>;
  readonly pagination: { readonly nextCursor: string | null; readonly hasMore: boolean };
}

type Paging<R> = R extends PageRoute
  ? { readonly limit?: number | string | undefined; readonly cursor?: string | undefined }
  : unknown;
type QueryOf<R extends Route> = RouteTable[R]['query'] & Paging<R>;

type Loose<T> = { [K in keyof T]: T[K] | undefined };
type IsOptional<T> = Record<never, never> extends T ? true : false;
type Member<Name extends string, T> = unknown extends T
  ? unknown
  : [T] extends [never]
    ? unknown
    : IsOptional<T> extends true
      ? { readonly [K in Name]?: Loose<T> | undefined }
      : { readonly [K in Name]: T };

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /** Replaces the generated key, for a call that may be repeated after the page or process was restarted. */
  readonly idempotencyKey?: string | undefined;
}

export type InputOf<R extends Route> = CallOptions &
  Member<'params', RouteTable[R]['params']> &
  Member<'query', QueryOf<R>> &
  (RouteTable[R]['bodyOptional'] extends true
    ? Partial<Member<'body', RouteTable[R]['body']>>
    : Member<'body', RouteTable[R]['body']>);

/** The input as an argument; it can be omitted if the route requires nothing. */
export type Input<R extends Route> = IsOptional<InputOf<R>> extends true ? [input?: InputOf<R>] : [input: InputOf<R>];

/** The input of any route, for code that does not know which. */
export interface AnyInput extends CallOptions {
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  readonly body?: object | undefined;
}

export type AnyRoute = Route | `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} /${string}`;
