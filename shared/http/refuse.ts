/** What every answer has in common, whoever makes it. */
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import type { ApiError } from '../contract/errors.ts';
import { clock } from '../platform/index.ts';
import { countAddress, overLimit, type Rate, rateHeaders } from './rate-limit.ts';
import { readEvent } from './request.ts';
import { errorResponse, type Response } from './respond.ts';

export const framed = (response: Response, rate: Rate, requestId: string): Response => ({
  ...response,
  headers: { ...response.headers, ...rateHeaders(rate), 'x-request-id': requestId },
});

/** Answers an event that reached no endpoint. */
export const refuse = (event: APIGatewayProxyEventV2, error: ApiError): Response => {
  const { origin, headers } = readEvent(event);
  const rate = countAddress(origin.ip, clock.now());
  return framed(errorResponse(overLimit(rate) ?? error, origin.requestId, headers.accept), rate, origin.requestId);
};
