/** Shared components of the OpenAPI document: headers, parameters, errors and security schemes. */

import { type ErrorCode, errors } from '../errors.ts';
import { idPattern } from '../ids.ts';
import { endpoints } from '../index.ts';
import { pageDefault, pageMax } from '../limits.ts';
import { errorDescriptions, errorsOf } from './error-responses.ts';
import { inputSchema, outputSchema, type Schema } from './json-schema.ts';
import { namedSchemas } from './named-schemas.ts';

export interface Ref {
  readonly $ref: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

export interface Content {
  readonly schema: Schema;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, Ref>>;
  readonly content?: Readonly<Record<string, Content>>;
}

const ref = (section: string, name: string): Ref => ({ $ref: `#/components/${section}/${name}` });

const header = (description: string, schema: Schema) => ({ description, schema });
const count = { type: 'integer', minimum: 0 };
const headers = {
  'X-Request-Id': header('Identifies the request in logs and audit entries', { type: 'string' }),
  'RateLimit-Limit': header('Requests allowed per minute', count),
  'RateLimit-Remaining': header('Remaining requests in this window', count),
  'RateLimit-Reset': header('Seconds until the window resets', count),
  'Retry-After': header('Seconds to wait before retrying', count),
  'WWW-Authenticate': header('Required authentication scheme', { type: 'string', const: 'Bearer' }),
  'Idempotent-Replayed': header('Present if this is the stored response of an earlier request with the same Idempotency-Key', {
    type: 'string',
    const: 'true',
  }),
  Location: header('Redirect target, or the path of the created resource or started job', {
    type: 'string',
    format: 'uri-reference',
  }),
} as const;
type HeaderName = keyof typeof headers;

/** Headers of every response, plus the given ones. */
export const responseHeaders = (...more: readonly HeaderName[]): Readonly<Record<string, Ref>> =>
  Object.fromEntries(
    (['X-Request-Id', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset', ...more] as const).map((name) => [
      name,
      ref('headers', name),
    ]),
  );

const parameters = {
  OrganizationId: {
    name: 'X-Organization-Id',
    in: 'header',
    required: true,
    description: 'Organization of the request. With an API key it may be absent',
    schema: { type: 'string', pattern: idPattern('organization').source, examples: ['org_01JZ8Q4V0M6T3X9C2B7N5K1HRD'] },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'A unique value chosen by the client. Repeating the key with the same body within 24 hours returns the first response',
    schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x20-\\x7e]+$' },
  },
  Limit: {
    name: 'limit',
    in: 'query',
    required: false,
    description: 'Maximum number of entries',
    schema: { type: 'integer', minimum: 1, maximum: pageMax, default: pageDefault },
  },
  Cursor: {
    name: 'cursor',
    in: 'query',
    required: false,
    description: 'pagination.nextCursor of the previous page',
    schema: { type: 'string', maxLength: 2_048 },
  },
} as const satisfies Record<string, Parameter>;

export const sharedParameter = (name: keyof typeof parameters): Ref => ref('parameters', name);

const codeSchema: Schema = { type: 'string', enum: Object.keys(errors) };
const detailsSchema: Schema = {
  type: 'object',
  description:
    'Details by code, empty if there are none. VALIDATION_ERROR: field and reason of the first problem, and all problems in errors, each with field and reason',
};
const schemas = {
  Error: {
    type: 'object',
    required: ['success', 'error'],
    properties: {
      success: { type: 'boolean', const: false },
      error: {
        type: 'object',
        required: ['code', 'message', 'details', 'requestId'],
        properties: { code: codeSchema, message: { type: 'string' }, details: detailsSchema, requestId: { type: 'string' } },
      },
    },
  },
  Problem: {
    type: 'object',
    description: 'The same error in the format of RFC 9457, for Accept: application/problem+json',
    required: ['type', 'title', 'status', 'detail', 'code', 'details', 'requestId'],
    properties: {
      type: { type: 'string', format: 'uri' },
      title: { type: 'string' },
      status: { type: 'integer' },
      detail: { type: 'string' },
      code: codeSchema,
      details: detailsSchema,
      requestId: { type: 'string' },
    },
  },
  Pagination: {
    type: 'object',
    required: ['nextCursor', 'hasMore'],
    properties: { nextCursor: { type: ['string', 'null'] }, hasMore: { type: 'boolean' } },
  },
} as const;

export const sharedSchema = (name: keyof typeof schemas): Ref => ref('schemas', name);

/** OpenAPI has one response per status, so its name lists all error codes. */
const responseName = (codes: readonly ErrorCode[]): string => codes.join('.');

/** Error responses of an endpoint by status. */
export const errorResponses = (codes: readonly ErrorCode[]): Readonly<Record<string, Ref>> => {
  const byStatus = Object.groupBy(codes, (code) => String(errors[code]));
  return Object.fromEntries(Object.entries(byStatus).map(([status, of = []]) => [status, ref('responses', responseName(of))]));
};

const ownHeaders: Partial<Record<ErrorCode, readonly HeaderName[]>> = {
  UNAUTHORIZED: ['WWW-Authenticate'],
  RATE_LIMITED: ['Retry-After'],
};

const errorResponse = (codes: readonly ErrorCode[]): ResponseObject => ({
  description: codes.map((code) => `${code}: ${errorDescriptions[code]}`).join('. '),
  headers: responseHeaders(...codes.flatMap((code) => ownHeaders[code] ?? [])),
  content: {
    'application/json': {
      schema: { allOf: [sharedSchema('Error'), { properties: { error: { properties: { code: { enum: codes } } } } }] },
    },
    'application/problem+json': { schema: { allOf: [sharedSchema('Problem'), { properties: { code: { enum: codes } } }] } },
  },
});

const responses = (): Readonly<Record<string, ResponseObject>> =>
  Object.fromEntries(
    endpoints
      .flatMap((endpoint) => Object.values(Object.groupBy(errorsOf(endpoint), (code) => String(errors[code]))))
      .map((codes = []) => [responseName(codes), errorResponse(codes)]),
  );

const securitySchemes = {
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'The accessToken of POST /api/v1/auth/token or /refresh. Operations list the minimum role.',
  },
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'fb_key_… or fb_sa_…',
    description:
      'An API key, or the key of the service account. Operations list the required scope; an API key also needs the role. X-Organization-Id may be absent: a key belongs to one organization.',
  },
  sessionCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-bms_access',
    description: 'Set in the browser after signing in. Requests that change something must carry an allowed Origin.',
  },
} as const;

/**
 * Generators take a field with a default for one that is always there, also in a request, and refuse the default of a union. So the
 * description states it in words.
 */
const withoutDefaults = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutDefaults);
  if (typeof value !== 'object' || value === null) return value;
  const { default: given, properties, ...rest } = value as Schema & { readonly properties?: Schema };
  const plain = {
    ...mapValues(rest, withoutDefaults),
    ...(properties && { properties: mapValues(properties, withoutDefaults) }),
  };
  const text = wordsFor(given);
  const { description = '' } = rest;
  if (text === undefined || /\bdefault/i.test(String(description))) return plain;
  return { ...plain, description: [description, `Default: ${text}`].filter(Boolean).join('. ') };
};

const mapValues = (object: Schema, map: (value: unknown) => unknown): Schema =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]));

/** Nothing for what is empty without words: null, no entries, no fields. */
const wordsFor = (given: unknown): string | undefined => {
  if (given === undefined || given === null || JSON.stringify(given) === '{}' || JSON.stringify(given) === '[]') return undefined;
  return typeof given === 'string' ? given : JSON.stringify(given);
};

const named = (): Readonly<Record<string, Schema>> =>
  Object.fromEntries(
    namedSchemas.map(({ name, schema, io, description, example }) => [
      name,
      {
        ...(withoutDefaults(io === 'input' ? inputSchema(schema) : outputSchema(schema)) as Schema),
        description,
        examples: [example],
      },
    ]),
  );

export const components = () => ({
  securitySchemes,
  parameters,
  headers,
  schemas: { ...schemas, ...named() },
  responses: responses(),
});
