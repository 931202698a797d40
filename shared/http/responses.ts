/** API Gateway responses: the envelope, problem+json and common headers. */
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { ApiError, type ErrorDetails } from '../contract/errors.ts';
import { escapeHtml, isTransientAwsError } from '../platform/index.ts';
import { acceptQuality } from './accept-quality.ts';

export type Response = APIGatewayProxyStructuredResultV2 & { headers: Record<string, string> };

const always = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'strict-transport-security': 'max-age=63072000; includeSubDomains',
};
const json = { ...always, 'content-type': 'application/json; charset=utf-8' };

export const jsonResponse = (status: number, body: string, headers: Record<string, string> = {}): Response => ({
  statusCode: status,
  headers: { ...json, ...headers },
  body,
});

export const redirectResponse = (location: string): Response => ({ statusCode: 302, headers: { ...always, location }, body: '' });

export interface File {
  readonly body: string;
  readonly contentType: string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export const fileResponse = ({ body, contentType, status = 200, headers = {} }: File): Response => ({
  statusCode: status,
  headers: { ...always, 'content-type': contentType, ...headers },
  body,
});

/** Any other error is logged as the cause; the caller only learns whether a retry is worthwhile. */
export const asApiError = (error: unknown): ApiError => {
  if (error instanceof ApiError) return error;
  if (!isTransientAwsError(error)) return new ApiError('INTERNAL_ERROR', 'Internal error', undefined, { cause: error });
  const headers = { 'retry-after': '1' };
  return new ApiError('SERVICE_UNAVAILABLE', 'The service is temporarily unavailable. Try again shortly', undefined, {
    cause: error,
    headers,
  });
};

/** Only if it is named: a wildcard asks for the envelope. */
const acceptsProblem = (accept = ''): boolean =>
  accept.toLowerCase().includes(problemType) && acceptQuality(accept, problemType) > 0;
const problemType = 'application/problem+json';

/** Browsers rank HTML above everything else; API clients send JSON or a wildcard. */
export const prefersHtml = (accept: string | undefined): boolean =>
  acceptQuality(accept, 'text/html') > acceptQuality(accept, 'application/json');

export const errorResponse = (error: ApiError, requestId: string, accept: string | undefined): Response => {
  const { code, message, status, headers } = error;
  const details = detailsOf(error);
  if (acceptsProblem(accept)) {
    const problem = {
      type: `urn:backup-management-service:error:${code}`,
      title: titleOf(code),
      status,
      detail: message,
      code,
      details,
      requestId,
    };
    return { ...jsonResponse(status, JSON.stringify(problem), { ...headers, 'content-type': problemType }) };
  }
  if (prefersHtml(accept))
    return jsonResponse(status, errorPage(error, titleOf(code), requestId), { ...headers, ...errorPageHeaders });
  return jsonResponse(status, JSON.stringify({ success: false, error: { code, message, details, requestId } }), { ...headers });
};

/** Always an object. A validation error lists all problems, also if there is only one. */
const detailsOf = ({ code, details = {} }: ApiError): ErrorDetails =>
  code !== 'VALIDATION_ERROR' || details.field === undefined || 'errors' in details ? details : { ...details, errors: [details] };

/** 'SLUG_TAKEN' → 'Slug taken' */
const titleOf = (code: string): string => code.charAt(0) + code.slice(1).toLowerCase().replaceAll('_', ' ');

/** Nothing is loaded, run or submitted, and no other page can frame it. */
const errorPageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
};

/** An error for a person in a browser. */
const errorPage = ({ status, code, message }: ApiError, title: string, requestId: string): string =>
  `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${escapeHtml(title)}</title></head><body>
<h1>${escapeHtml(title)}</h1><p>${escapeHtml(message)}.</p>
<p><small>Status ${status}, ${code}. Request id: <code>${escapeHtml(requestId)}</code></small></p></body></html>
`;
