/** Parses an API Gateway event (HTTP API, payload 2.0). */
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Origin } from '../audit/index.ts';
import { ApiError, invalid } from '../contract/errors.ts';
import { bodyMaxBytes, bodyMaxDepth, bodyMaxValues } from '../contract/limits.ts';
import { viewerAddress, viewerLocation } from './cloudfront.ts';

export interface Incoming {
  readonly method: string;
  readonly path: string;
  /** Lower-case names; a header sent twice has its values joined by commas, as API Gateway does. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly cookies: Readonly<Record<string, string>>;
  readonly params: Readonly<Record<string, string>>;
  readonly rawQuery: string;
  readonly rawBody: string;
  readonly rawBodyIsBase64: boolean;
  readonly origin: Origin;
}

const userAgentMax = 512;

export const parseRequest = (event: APIGatewayProxyEventV2): Incoming => {
  const headers = Object.fromEntries(Object.entries(event.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    method: event.requestContext.http.method,
    path: event.rawPath,
    headers,
    cookies: readCookies(event.cookies ?? []),
    params: Object.fromEntries(Object.entries(event.pathParameters ?? {}).map(([name, value]) => [name, value ?? ''])),
    rawQuery: event.rawQueryString,
    rawBody: event.body ?? '',
    rawBodyIsBase64: event.isBase64Encoded,
    origin: {
      ip: viewerAddress(headers, event.requestContext.http.sourceIp),
      userAgent: printable(headers['user-agent']?.slice(0, userAgentMax)),
      location: viewerLocation(headers),
      requestId: event.requestContext.requestId,
    },
  };
};

const printable = (text: string | undefined): string | null => text?.toWellFormed().replace(/\p{Cc}/gu, ' ') ?? null;

const readCookies = (cookies: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    cookies.map((cookie) => {
      const [name = '', ...value] = cookie.split('=');
      return [name.trim(), value.join('=').trim()];
    }),
  );

/** Throws VALIDATION_ERROR for a repeated parameter. */
export const readQuery = (rawQuery: string): Readonly<Record<string, string>> => {
  const query: Record<string, string> = Object.create(null);
  for (const [name, value] of new URLSearchParams(rawQuery)) {
    if (name in query) throw invalid(name.slice(0, 100), 'must be given only once');
    query[name] = value;
  }
  return { ...query };
};

const readText = ({ rawBody, rawBodyIsBase64 }: Incoming): string => {
  const bytes = Buffer.from(rawBody, rawBodyIsBase64 ? 'base64' : 'utf8');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalid('body', 'must be valid UTF-8');
  }
};

export const refuseLargeBody = ({ rawBody, rawBodyIsBase64 }: Incoming): void => {
  const bytes = Buffer.byteLength(rawBody, rawBodyIsBase64 ? 'base64' : 'utf8');
  if (bytes > bodyMaxBytes) throw new ApiError('PAYLOAD_TOO_LARGE', `The body must be at most ${bodyMaxBytes} bytes`);
};

/** Duplicate JSON keys: the last one wins. */
export const readJson = (incoming: Incoming, optional: boolean): unknown => {
  if (incoming.rawBody === '') {
    if (optional) return {};
    throw invalid('body', 'must be a JSON object');
  }
  const type = incoming.headers['content-type'] ?? '';
  if (!/^application\/json\s*(;|$)/i.test(type)) {
    throw new ApiError('UNSUPPORTED_MEDIA_TYPE', 'The Content-Type must be application/json');
  }
  const body = parseJson(readText(incoming));
  assertPlain(body);
  return body;
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw invalid('body', 'is not valid JSON');
  }
};

/** A value of the body, and where it is. */
interface Place {
  readonly value: unknown;
  readonly key: string;
  readonly parent: Place | undefined;
}

/**
 * Refuses what code that walks a value may not expect: very many values, very many levels, and keys that name a prototype. `constructor`
 * alone may be the name of a field, unlike `__proto__`, which Firestore reserves. Without recursion, since nothing is known of the body.
 */
const assertPlain = (body: unknown): void => {
  let level: Place[] = [{ value: body, key: '', parent: undefined }];
  let values = 0;
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > bodyMaxDepth) throw invalid('body', `must have at most ${bodyMaxDepth} levels`);
    const next: Place[] = [];
    for (const place of level) {
      const { value } = place;
      if (typeof value !== 'object' || value === null) continue;
      const forbidden = prototypeKeyOf(value);
      if (forbidden !== undefined)
        throw invalid(fieldAt({ value: undefined, key: forbidden, parent: place }), 'names a prototype, not a field');
      for (const [key, inner] of Object.entries(value)) {
        if (++values > bodyMaxValues) throw invalid('body', `must have at most ${bodyMaxValues} values`);
        if (typeof inner === 'object') next.push({ value: inner, key, parent: place });
      }
    }
    level = next;
  }
};

const fieldAt = ({ key, parent }: Place): string => (parent?.parent ? `${fieldAt(parent)}.${key}` : key);

const prototypeKeyOf = (value: object): string | undefined => {
  if (Object.hasOwn(value, '__proto__')) return '__proto__';
  const { constructor: own } = Object.hasOwn(value, 'constructor') ? (value as { readonly constructor: unknown }) : {};
  return typeof own === 'object' && own !== null && Object.hasOwn(own, 'prototype') ? 'constructor.prototype' : undefined;
};
