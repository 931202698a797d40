/**
 * What calls take and return, and what webhooks receive, derived from the contract. The types disappear when the code is compiled: a bundle
 * contains no schema. The released package has its own version of this file, written from the OpenAPI document, because these need zod.
 */
import type * as z from 'zod/mini';
import type { Params } from '../contract/endpoint.ts';
import type { events } from '../contract/events/event-catalogue.ts';
import type { EventName, SimpleEventName } from '../contract/events/event-names.ts';
import type { simpleEvents } from '../contract/events/simple-events.ts';
import type { contract } from '../contract/index.ts';
import type { standardBodies } from '../contract/openapi/event-bodies.ts';

type Groups = typeof contract;
type Rows = { [G in keyof Groups]: Groups[G][keyof Groups[G]] }[keyof Groups];
type RouteOf<E> = E extends { readonly method: infer M extends string; readonly path: infer P extends string }
  ? P extends `/api/v1${infer Below}`
    ? `${M} ${Below}`
    : `${M} ${P}`
  : never;

/** By method and path below /api/v1, as in the contract. Other paths are complete. */
export type RouteTable = { [E in Exclude<Rows, { readonly reply: 'redirect' }> as RouteOf<E>]: RouteTypes<E> };

interface RouteTypes<E> {
  readonly params: E extends { readonly path: infer P extends string } ? Params<P> : unknown;
  readonly query: E extends { readonly query: infer Q extends z.ZodMiniType } ? z.input<Q> : unknown;
  readonly body: E extends { readonly body: infer B extends z.ZodMiniType } ? Given<z.input<B>> : never;
  readonly bodyOptional: E extends { readonly bodyOptional: true } ? true : false;
  readonly data: DataIn<E>;
  readonly list: E extends { readonly list: z.ZodMiniType } ? true : false;
  readonly paged: E extends { readonly list: z.ZodMiniType } | { readonly paged: true } ? true : false;
  readonly idempotent: E extends { readonly idempotent: true } ? true : false;
}

/** Callers may pass values that they must not change themselves. */
type Given<T> = T extends readonly (infer E)[]
  ? readonly Given<E>[]
  : T extends object
    ? { readonly [K in keyof T]: Given<T[K]> }
    : T;

type DataIn<E> = E extends { readonly list: infer S extends z.ZodMiniType }
  ? readonly z.output<S>[]
  : E extends { readonly data: infer S extends z.ZodMiniType }
    ? z.output<S>
    : E extends { readonly content: infer C }
      ? FileData<C>
      : { readonly message: string };
type FileData<C> = { [T in keyof C]: C[T] extends z.ZodMiniType ? Unwrapped<z.output<C[T]>> : string }[keyof C];
/** A file that repeats its content under `data` counts as an envelope. */
type Unwrapped<T> = T extends { success: boolean; data: infer D } ? D : T;

/** The body of a delivery in the standard format. `type` tells which event it is. */
export type StandardEvent = {
  [N in EventName]: Omit<z.output<(typeof standardBodies)[N]>, 'type' | 'data'> & {
    readonly type: N;
    readonly data: z.output<(typeof events)[N]>;
  };
}[EventName];

/** The body of a delivery in the simple format. `event` tells which event it is. */
export type SimpleEvent = {
  [N in SimpleEventName]: { readonly event: N; readonly timestamp: string; readonly data: z.output<(typeof simpleEvents)[N]> };
}[SimpleEventName];
