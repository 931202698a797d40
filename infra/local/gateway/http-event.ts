/** Builds the event of an HTTP API (payload format 2.0) and reads the function's response. */
import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { Match } from './routes.ts';

interface Received {
  readonly request: IncomingMessage;
  /** Decoded. */
  readonly path: string;
  readonly rawQuery: string;
  readonly body: Buffer;
}

export const buildEvent = ({ request, path, rawQuery, body }: Received, match: Match, api: Api): APIGatewayProxyEventV2 => {
  const { headers, cookies } = readHeaders(request.rawHeaders);
  const sourceIp = (request.socket.remoteAddress ?? '127.0.0.1').replace(/^::ffff:/, '');
  const now = new Date();
  headers['x-forwarded-for'] = [headers['x-forwarded-for'], sourceIp].filter(Boolean).join(', ');
  headers['x-forwarded-port'] = String(request.socket.localPort ?? '');
  headers['x-forwarded-proto'] = 'http';
  headers['x-amzn-trace-id'] ??= `Root=1-${Math.floor(now.getTime() / 1_000).toString(16)}-${randomBytes(12).toString('hex')}`;
  const text = asText(body, headers['content-type']);
  const query = readQuery(rawQuery);
  const method = request.method ?? 'GET';
  return {
    version: '2.0',
    routeKey: match.route.key,
    rawPath: path,
    rawQueryString: rawQuery,
    ...(cookies.length > 0 && { cookies }),
    headers,
    ...(query && { queryStringParameters: query }),
    ...(Object.keys(match.params).length > 0 && { pathParameters: match.params }),
    requestContext: {
      accountId: api.account,
      apiId: api.id,
      domainName: headers.host ?? 'localhost',
      domainPrefix: (headers.host ?? 'localhost').split('.')[0] ?? '',
      http: {
        method,
        path,
        protocol: `HTTP/${request.httpVersion}`,
        sourceIp,
        userAgent: headers['user-agent'] ?? '',
      },
      requestId: randomUUID(),
      routeKey: match.route.key,
      stage: '$default',
      time: commonLogTime(now),
      timeEpoch: now.getTime(),
    },
    ...(body.length > 0 && { body: text ?? body.toString('base64') }),
    isBase64Encoded: body.length > 0 && text === undefined,
  };
};

export interface Api {
  readonly id: string;
  readonly account: string;
}

/** Values of repeated headers are joined by commas; cookies are passed separately. */
const readHeaders = (raw: readonly string[]): { headers: Record<string, string>; cookies: string[] } => {
  const headers: Record<string, string> = Object.create(null);
  const cookies: string[] = [];
  for (let n = 0; n < raw.length; n += 2) {
    const name = raw[n]?.toLowerCase() ?? '';
    // Node decodes header bytes as Latin-1, but clients send UTF-8.
    const value = Buffer.from(raw[n + 1] ?? '', 'latin1').toString('utf8');
    if (name === 'cookie') cookies.push(...value.split(/;\s*/).filter(Boolean));
    else headers[name] = name in headers ? `${headers[name]},${value}` : value;
  }
  return { headers, cookies };
};

const readQuery = (raw: string): Record<string, string> | undefined => {
  if (raw === '') return undefined;
  const query: Record<string, string> = {};
  for (const [name, value] of new URLSearchParams(raw)) query[name] = name in query ? `${query[name]},${value}` : value;
  return query;
};

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const textTypes = /^(text\/|application\/(.+\+)?(json|xml|javascript)\b)/i;

/** The body as text, or undefined if it must be passed as base64: a binary content type, or bytes that are not UTF-8. */
const asText = (body: Buffer, contentType: string | undefined): string | undefined => {
  if (contentType !== undefined && !textTypes.test(contentType)) return undefined;
  try {
    return utf8.decode(body);
  } catch {
    return undefined;
  }
};

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** 12/Mar/2026:19:03:58 +0000 */
const commonLogTime = (at: Date): string => {
  const day = String(at.getUTCDate()).padStart(2, '0');
  return `${day}/${months[at.getUTCMonth()]}/${at.getUTCFullYear()}:${at.toISOString().slice(11, 19)} +0000`;
};

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: Buffer;
}

/** The function's result as an HTTP response. Without statusCode the whole result is the JSON body; undefined if invalid. */
export const readReply = (result: unknown): Reply | undefined => {
  if (typeof result !== 'object' || result === null || !('statusCode' in result)) {
    return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(JSON.stringify(result) ?? '') };
  }
  const { statusCode, headers = {}, cookies = [], body = '', isBase64Encoded = false } = result as Structured;
  const status = Number(statusCode ?? 200);
  if (!Number.isInteger(status) || status < 200 || status > 599) return undefined;
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return {
    status,
    headers: {
      ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)])),
      ...(cookies.length > 0 && { 'set-cookie': cookies }),
    },
    body: Buffer.from(text, isBase64Encoded ? 'base64' : 'utf8'),
  };
};

interface Structured {
  readonly statusCode?: unknown;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly cookies?: readonly string[];
  readonly body?: unknown;
  readonly isBase64Encoded?: boolean;
}
