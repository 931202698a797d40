/** What one endpoint says about itself. Routes, IAM, validation, OpenAPI, the local gateway and the law tests read it. */
import type * as z from 'zod';
import type { Access } from './access.ts';
import type { Capability } from './capabilities.ts';
import type { ErrorCode } from './errors.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Row {
  readonly method: Method;
  /** Below the group's prefix; `{name}` is one path segment. */
  readonly path: string;
  readonly access: Access;
  readonly summary: string;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** True where a call without any body is the same as `{}`. */
  readonly bodyOptional?: true;
  /** The answer's `data`. A row has `data` or `list`, or answers a `message`. */
  readonly data?: z.ZodType;
  /** One element of the answer's `data` array; brings `limit`, `cursor` and `pagination` along. */
  readonly list?: z.ZodType;
  /** With `data`: what it holds is long, so the row takes `limit` and `cursor` and has `pagination` beside `data`. */
  readonly paged?: true;
  /** `file` is bytes of a type of their own, outside the envelope. */
  readonly reply?: 'json' | 'redirect' | 'file';
  /** The content types a `file` can have, with the shape of those that are JSON. */
  readonly content?: Readonly<Record<string, z.ZodType | 'text'>>;
  readonly status?: 200 | 201 | 202;
  /** A second status with the same content: work begun instead of done or the other way round, or an answer that is complete but not good news. */
  readonly alsoStatus?: 200 | 202 | 503;
  /** The audit action. A row with one must return a change that says what it touched. */
  readonly audit?: string;
  /** Errors of its own, beside those every endpoint of its access can answer. */
  readonly errors?: readonly ErrorCode[];
  /** Takes an Idempotency-Key: it creates or starts something. */
  readonly idempotent?: true;
  /** A tighter limit than the service's own, counted for this endpoint alone. */
  readonly requestsPerMinute?: number;
  /**
   * What an organization may ask of it, as a share of the service's own limit, whatever the deployer made that: for calls that wait
   * for customers' buckets and databases, each of which may hold a function for all its time.
   */
  readonly outboundShare?: number;
  readonly capabilities: readonly Capability[];
}

export interface Endpoint extends Row {
  /** `group.operation`: names the Lambda, the OpenAPI operation and the audit trail. */
  readonly id: string;
}

type Rows = Readonly<Record<string, Row>>;
type Group<N extends string, P extends string, R extends Rows> = {
  readonly [K in keyof R & string]: Omit<R[K], 'path'> & { readonly id: `${N}.${K}`; readonly path: `${P}${R[K]['path']}` };
};

export const apiPrefix = '/api/v1';

/** Gives the rows of one resource their ids and full paths. `prefix` is the whole path before each row's own. */
export const group = <const N extends string, const P extends string, const R extends Rows>(
  name: N,
  prefix: P,
  rows: R,
): Group<N, P, R> =>
  Object.fromEntries(
    Object.entries(rows).map(([operation, row]) => [operation, { ...row, id: `${name}.${operation}`, path: prefix + row.path }]),
  ) as Group<N, P, R>;

/** '/invites/{inviteId}' → { inviteId: string } */
export type Params<P extends string> = P extends `${string}{${infer N}}${infer Rest}`
  ? { readonly [K in N]: string } & Params<Rest>
  : unknown;

export const isOrganizationScoped = (endpoint: Pick<Row, 'access'>): boolean => typeof endpoint.access === 'object';
