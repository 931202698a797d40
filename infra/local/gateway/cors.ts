/** CORS of the HTTP API: response headers depend on the configuration only. */
import type { IncomingHttpHeaders } from 'node:http';

interface Configuration {
  readonly AllowOrigins?: readonly string[];
  readonly AllowMethods?: readonly string[];
  readonly AllowHeaders?: readonly string[];
  readonly ExposeHeaders?: readonly string[];
  readonly AllowCredentials?: boolean;
  readonly MaxAge?: number;
}

interface Cors {
  readonly isPreflight: (method: string | undefined, headers: IncomingHttpHeaders) => boolean;
  readonly preflight: (headers: IncomingHttpHeaders) => Record<string, string>;
  readonly headers: (headers: IncomingHttpHeaders) => Record<string, string>;
}

/** `configuration` is the API's CorsConfiguration. Without one, preflight requests are not answered and no headers are added. */
export const corsOf = (configuration: unknown): Cors => {
  if (!configuration) return { isPreflight: () => false, preflight: () => ({}), headers: () => ({}) };
  const {
    AllowOrigins = [],
    AllowMethods,
    AllowHeaders,
    ExposeHeaders,
    AllowCredentials,
    MaxAge,
  } = configuration as Configuration;
  const any = AllowOrigins.includes('*');
  const answer = (headers: IncomingHttpHeaders, more: Record<string, string>): Record<string, string> => {
    const origin = any ? '*' : AllowOrigins.find((allowed) => allowed === headers.origin);
    if (origin === undefined || headers.origin === undefined) return {};
    return {
      'access-control-allow-origin': origin,
      ...(!any && { vary: 'Origin' }),
      ...(AllowCredentials && { 'access-control-allow-credentials': 'true' }),
      ...more,
    };
  };
  return {
    isPreflight: (method, headers) =>
      method === 'OPTIONS' && headers.origin !== undefined && headers['access-control-request-method'] !== undefined,
    preflight: (headers) =>
      answer(headers, {
        ...(AllowMethods && { 'access-control-allow-methods': AllowMethods.join(',') }),
        ...(AllowHeaders && { 'access-control-allow-headers': AllowHeaders.join(',') }),
        ...(MaxAge !== undefined && { 'access-control-max-age': String(MaxAge) }),
      }),
    headers: (headers) => answer(headers, ExposeHeaders ? { 'access-control-expose-headers': ExposeHeaders.join(',') } : {}),
  };
};
