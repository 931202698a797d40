import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';

const methods = 'DELETE,GET,HEAD,OPTIONS,PATCH,POST,PUT';
const maxAgeSeconds = 3600;
const exposed = 'content-encoding,date,server,content-length,x-http-session-id';

/** Pages of which origins are answered: all, as by Google's APIs, or those of this machine and some others. */
export type Origins = 'any' | readonly string[];

/** Answers the preflight requests of pages. Returns true if it has answered one. */
export function answerCors({ method, headers }: IncomingMessage, response: ServerResponse): boolean {
  const { origin } = headers;
  if (origin === undefined) return false;
  response.setHeader('access-control-allow-origin', origin);
  // WebChannel sends its requests with credentials. There are no cookies here.
  response.setHeader('access-control-allow-credentials', 'true');
  response.setHeader('vary', 'Origin, X-Origin, Referer');
  const requested = headers['access-control-request-headers'];
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) {
    response.setHeader('access-control-expose-headers', exposed);
    return false;
  }
  response.writeHead(200, {
    'access-control-allow-methods': methods,
    'access-control-max-age': String(maxAgeSeconds),
    'content-length': 0,
    ...(requested !== undefined && { 'access-control-allow-headers': requested }),
    ...(headers['access-control-request-private-network'] === 'true' && { 'access-control-allow-private-network': 'true' }),
  });
  response.end();
  return true;
}

/** Why a request is refused: it comes from a page of another origin. */
export function refusalOf({ origin, host }: IncomingHttpHeaders, origins: Origins): string | undefined {
  if (origins === 'any') return undefined;
  if (origin !== undefined && !origins.includes(origin) && !isLocal(hostOf(origin)))
    return `Pages of ${origin} are not allowed to use this Firestore.`;
  // A page whose own name leads to this machine (DNS rebinding) sends no origin when it reads.
  const name = hostOf(`http://${host ?? ''}`);
  if (!isLocal(name) && !names.has(name) && !origins.some((one) => hostOf(one) === name))
    return `This Firestore is not reached under the name ${JSON.stringify(name)}.`;
  return undefined;
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).hostname : '');

/** Names that no foreign page can have. */
const isLocal = (name: string): boolean => /^((.+\.)?localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(name);

/** What containers call the machine that they run on. */
const names: ReadonlySet<string> = new Set(['host.docker.internal', 'host.containers.internal']);
