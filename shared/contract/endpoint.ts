/** Definition of an endpoint. Routes, IAM, validation, OpenAPI, the local gateway and the law tests derive from it. */
import type * as z from 'zod/mini';
import type { Access } from './access.ts';
import type { AuditAction } from './audit-actions.ts';
import type { Capability } from './capabilities.ts';
import type { ErrorCode } from './errors.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface Row {
  /** The method, and the path below the group's prefix; `{name}` is one path segment. */
  readonly route: Method | `${Method} /${string}`;
  /** Further paths of the same function, which the OpenAPI document omits; `{name+}` is one or more path segments. */
  readonly alsoPaths?: readonly `/${string}`[];
  readonly access: Access;
  readonly summary: string;
  /** Sentences that the description has in addition, such as a limit that no other field states. */
  readonly note?: string;
  readonly query?: z.ZodMiniObject;
  readonly body?: z.ZodMiniObject;
  /** An absent body is treated as `{}`. */
  readonly bodyOptional?: true;
  /** Schema of `data`. A row has `data` or `list`, or responds with a `message`. */
  readonly data?: z.ZodMiniType;
  /** Schema of one element of the `data` array; implies `limit`, `cursor` and `pagination`. */
  readonly list?: z.ZodMiniType;
  /** With `data`: adds `limit`, `cursor` and `pagination`. */
  readonly paged?: true;
  /** `file` responds with its own content type, outside the envelope. */
  readonly reply?: 'json' | 'redirect' | 'file';
  /** Content types of a `file`, with the schema of JSON ones. */
  readonly content?: Readonly<Record<string, z.ZodMiniType | 'text'>>;
  readonly status?: 200 | 201 | 202;
  /** Path of the created resource or started job, for responses 201 and 202; `{name}` is a field of `data` or a path parameter. */
  readonly location?: string;
  /** A second status with the same content: accepted instead of done or vice versa, or a degraded health report. */
  readonly alsoStatus?: 200 | 202 | 503;
  /** Audit action. A row with one must return a change that names the resource. */
  readonly audit?: AuditAction;
  /** Specific errors, besides those implied by access and input. */
  readonly errors?: readonly ErrorCode[];
  /** Accepts an Idempotency-Key: it creates or starts something. */
  readonly idempotent?: true;
  /**
   * Overwrites or ends something, such as data, a job or a key. Implied by DELETE. Clients ask for a confirmation before they send
   * such a call (`x-destructive` of the OpenAPI document).
   */
  readonly destructive?: true;
  /** A tighter limit than the service's, counted for this endpoint alone. */
  readonly requestsPerMinute?: number;
  /**
   * Limit per organization as a share of the service's limit. For calls that wait for customers' buckets and databases, each of
   * which may occupy a function until it times out.
   */
  readonly outboundShare?: number;
  /** It will go: every response says so by the headers `Deprecation` (RFC 9745) and `Sunset` (RFC 8594). */
  readonly deprecated?: Deprecation;
  readonly capabilities: readonly Capability[];
}

export interface Deprecation {
  /** Days in UTC, such as 2026-12-31. After the sunset the endpoint may answer 404. */
  readonly since: string;
  readonly sunset: string;
  /** The endpoint to use instead, such as `GET /api/v1/backups`. */
  readonly use: `${Method} /${string}`;
}

export interface Endpoint extends Omit<Row, 'route'> {
  /** `group.operation`: names the Lambda, the OpenAPI operation and the audit trail. */
  readonly id: string;
  readonly method: Method;
  readonly path: string;
}

type Rows = Readonly<Record<string, Row>>;
type Routed<P extends string, R extends Row['route']> = R extends `${infer M extends Method} ${infer Below}`
  ? { readonly method: M; readonly path: `${P}${Below}` }
  : { readonly method: R; readonly path: P };
type Group<N extends string, P extends string, R extends Rows> = {
  readonly [K in keyof R & string]: Omit<R[K], 'route'> & { readonly id: `${N}.${K}` } & Routed<P, R[K]['route']>;
};

export const apiPrefix = '/api/v1';

/** Adds ids and full paths to the rows of one resource. */
export const group = <const N extends string, const P extends string, const R extends Rows>(
  name: N,
  prefix: P,
  rows: R,
): Group<N, P, R> =>
  Object.fromEntries(
    Object.entries(rows).map(([operation, { route, ...row }]) => {
      const [method, below = ''] = route.split(' ');
      return [operation, { ...row, id: `${name}.${operation}`, method, path: prefix + below }];
    }),
  ) as unknown as Group<N, P, R>;

/** '/invites/{inviteId}' → { inviteId: string } */
export type Params<P extends string> = P extends `${string}{${infer N}}${infer Rest}`
  ? { readonly [K in N]: string } & Params<Rest>
  : unknown;

export const isDestructive = ({ method, destructive }: Pick<Endpoint, 'method' | 'destructive'>): boolean =>
  method === 'DELETE' || destructive === true;

export const isOrganizationScoped = (endpoint: Pick<Row, 'access'>): boolean => typeof endpoint.access === 'object';
