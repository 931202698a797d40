import type { IncomingMessage, ServerResponse } from 'node:http';

const methods = 'DELETE,GET,HEAD,OPTIONS,PATCH,POST,PUT';
const maxAgeSeconds = 3600;

/** Allows pages of every origin, like Google's APIs. Returns true if it has answered a preflight request. */
export function answerCors({ method, headers }: IncomingMessage, response: ServerResponse): boolean {
  const { origin } = headers;
  if (origin === undefined) return false;
  response.setHeader('access-control-allow-origin', origin);
  response.setHeader('vary', 'Origin, X-Origin, Referer');
  const requested = headers['access-control-request-headers'];
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) {
    response.setHeader('access-control-expose-headers', 'content-encoding,date,server,content-length');
    return false;
  }
  response.writeHead(200, {
    'access-control-allow-methods': methods,
    'access-control-max-age': String(maxAgeSeconds),
    'content-length': 0,
    ...(requested !== undefined && { 'access-control-allow-headers': requested }),
  });
  response.end();
  return true;
}
