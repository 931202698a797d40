/** The middy stack of an API call: header names, log context, errors and timeouts as responses, and common headers. */
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import * as z from 'zod/mini';
import type { Deprecation, Endpoint } from '../contract/endpoint.ts';
import { ApiError, errors } from '../contract/errors.ts';
import { idsIn } from '../contract/ids.ts';
import { type Clock, emitMetric, FunctionTimeoutError, lambdaStack, log } from '../platform/index.ts';
import { refuseBypass } from './cloudfront.ts';
import { deprecationHeaders } from './deprecation-headers.ts';
import type { Handler } from './handler-types.ts';
import { type Incoming, parseRequest } from './parse-request.ts';
import { countAddress, type Rate, rateHeaders } from './rate-limit.ts';
import { asApiError, errorResponse, type Response } from './responses.ts';

/** Strict: a mistyped parameter must not be ignored. */
export const noQuery = z.strictObject({});

export interface CallInProgress {
  readonly incoming: Incoming;
  readonly now: Date;
  /** Reports every rate limit that applies, even if the call is refused. */
  readonly reportRate: (rate: Rate) => void;
}

/** The state of a call between the middleware. */
interface StackEvent {
  readonly incoming: Incoming;
  readonly now: Date;
  rate: Rate | undefined;
}

/** Every failure of a call, including a timeout, becomes a response. Rejects only an event that is not from API Gateway. */
export const withEnvelope = (
  { id: operation, deprecated }: Pick<Endpoint, 'id' | 'deprecated'>,
  respond: (call: CallInProgress) => Promise<Response>,
  time: Clock,
): Handler =>
  lambdaStack<StackEvent, Response>(
    (call) => {
      const reportRate = (rate: Rate): void => {
        // The limit that refuses the call takes precedence.
        if (!call.rate || rate.used > rate.limit) call.rate = rate;
      };
      refuseBypass(call.incoming.headers);
      return respond({ incoming: call.incoming, now: call.now, reportRate });
    },
    { idsOf: (event) => logIds(event as unknown as APIGatewayProxyEventV2, operation) },
  )
    .use(httpHeaderNormalizer())
    .before((request) => {
      request.event = {
        incoming: parseRequest(request.event as unknown as APIGatewayProxyEventV2),
        now: time.now(),
        rate: undefined,
      };
    })
    .after((request) => {
      if (request.response) request.response = finish(request.event, request.response, deprecated);
    })
    .onError((request) => finish(request.event, answerError(request.event, request.error), deprecated)) as unknown as Handler;

const logIds = ({ requestContext, pathParameters }: APIGatewayProxyEventV2, operation: string) => ({
  requestId: requestContext.requestId,
  operation,
  ...idsIn(pathParameters ?? {}),
});

const answerError = ({ incoming: { origin, headers } }: StackEvent, error: unknown): Response => {
  const known = error instanceof FunctionTimeoutError ? timeoutError(error) : asApiError(error);
  if (known.status >= 500) log.error('call failed', (known.cause ?? known) as Error);
  return errorResponse(known, origin.requestId, headers.accept);
};

const timeoutError = (cause: FunctionTimeoutError): ApiError =>
  new ApiError(
    'SERVICE_UNAVAILABLE',
    'The call timed out and its outcome is unknown. Check the result before you repeat it, or repeat it with the same Idempotency-Key',
    undefined,
    { cause, headers: { 'retry-after': '5' } },
  );

const finish = (
  { incoming: { origin }, now, rate }: StackEvent,
  response: Response,
  deprecated: Deprecation | undefined,
): Response => {
  log.info('call finished', { status: response.statusCode });
  if (response.statusCode === errors.RATE_LIMITED) emitMetric('rate limit exceeded', { CallsOverLimit: 1 });
  const limits = rateHeaders(rate ?? countAddress(origin.ip, now));
  const headers = { ...response.headers, ...deprecationHeaders(deprecated), ...limits, 'x-request-id': origin.requestId };
  return { ...response, headers };
};
