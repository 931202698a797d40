/** API Gateway responses: the envelope, problem+json and common headers. */
import type { APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { ApiError } from '../contract/errors.ts';
import { isTransientAwsError } from '../platform/index.ts';

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

export const errorResponse = (error: ApiError, requestId: string, accept: string | undefined): Response => {
  const { code, message, details, status, headers } = error;
  if (accept?.includes('application/problem+json')) {
    const problem = {
      type: `urn:backup-management-service:error:${code}`,
      title: titleOf(code),
      status,
      detail: message,
      code,
      details,
      requestId,
    };
    return { ...jsonResponse(status, JSON.stringify(problem), { ...headers, 'content-type': 'application/problem+json' }) };
  }
  return jsonResponse(status, JSON.stringify({ success: false, error: { code, message, details, requestId } }), { ...headers });
};

/** 'SLUG_TAKEN' → 'Slug taken' */
const titleOf = (code: string): string => code.charAt(0) + code.slice(1).toLowerCase().replaceAll('_', ' ');
