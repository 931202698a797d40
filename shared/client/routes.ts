/** Types of every call, derived from the contract. They disappear when the code is compiled: a bundle contains no schema. */
import type * as z from 'zod/mini';
import type { Endpoint, Params } from '../contract/endpoint.ts';
import type { contract } from '../contract/index.ts';

type Groups = typeof contract;
type Rows = { [G in keyof Groups]: Groups[G][keyof Groups[G]] }[keyof Groups];
type RouteOf<E> = E extends { readonly method: infer M extends string; readonly path: infer P extends string }
  ? P extends `/api/v1${infer Below}`
    ? `${M} ${Below}`
    : `${M} ${P}`
  : never;
type Table = { [E in Exclude<Rows, { readonly reply: 'redirect' }> as RouteOf<E>]: E };

/** The method and the path below /api/v1, as in the contract: `GET /backups/{backupId}`. Other paths are complete: `GET /health`. */
export type Route = keyof Table & string;
type With<Fields> = { [R in Route]: Table[R] extends Fields ? R : never }[Route];

/** Routes of lists: their `data` is an array. */
export type ListRoute = With<{ readonly list: z.ZodMiniType }>;
/** Routes that accept `limit` and `cursor`. */
export type PageRoute = ListRoute | With<{ readonly paged: true }>;
/** Routes that accept an Idempotency-Key. */
export type IdempotentRoute = With<{ readonly idempotent: true }>;

type FileData<C> = { [T in keyof C]: C[T] extends z.ZodMiniType ? Unwrapped<z.output<C[T]>> : string }[keyof C];
/** A file that repeats its content under `data` counts as an envelope. */
type Unwrapped<T> = T extends { success: boolean; data: infer D } ? D : T;

/** What a call returns: `data`, the content of a file, or the message of a call that has neither. */
export type DataOf<R extends Route> = Table[R] extends { readonly list: infer S extends z.ZodMiniType }
  ? readonly z.output<S>[]
  : Table[R] extends { readonly data: infer S extends z.ZodMiniType }
    ? z.output<S>
    : Table[R] extends { readonly content: infer C }
      ? FileData<C>
      : { readonly message: string };

export type ElementOf<R extends ListRoute> = DataOf<R> extends readonly (infer T)[] ? T : never;

/** One page of a list. */
export interface Page<R extends PageRoute> {
  readonly data: DataOf<R>;
  readonly pagination: { readonly nextCursor: string | null; readonly hasMore: boolean };
}

type Paging<R> = R extends PageRoute
  ? { readonly limit?: number | string | undefined; readonly cursor?: string | undefined }
  : unknown;
type QueryOf<R extends Route> = (Table[R] extends { readonly query: infer Q extends z.ZodMiniType } ? z.input<Q> : unknown) &
  Paging<R>;
type BodyOf<R extends Route> = Table[R] extends { readonly body: infer B extends z.ZodMiniType } ? Given<z.input<B>> : never;
type ParamsOf<R extends Route> = Params<R>;

/** Callers may pass values that they must not change themselves. */
type Given<T> = T extends readonly (infer E)[]
  ? readonly Given<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Given<T[K]> }
    : T;
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
  Member<'params', ParamsOf<R>> &
  Member<'query', QueryOf<R>> &
  (Table[R] extends { readonly bodyOptional: true } ? Partial<Member<'body', BodyOf<R>>> : Member<'body', BodyOf<R>>);

/** The input as an argument; it can be omitted if the route requires nothing. */
export type Input<R extends Route> = IsOptional<InputOf<R>> extends true ? [input?: InputOf<R>] : [input: InputOf<R>];

/** The input of any route, for code that does not know which. */
export interface AnyInput extends CallOptions {
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>> | undefined;
  readonly body?: object | undefined;
}

export type AnyRoute = Route | `${Endpoint['method']} /${string}`;
