/** What surrounds every call, whatever its row asks for: the log, errors as answers, and the headers that all answers have. */
import * as z from 'zod';
import type { Endpoint } from '../contract/endpoint.ts';
import { errors } from '../contract/errors.ts';
import { idsIn } from '../contract/id.ts';
import { type Clock, log, measure, withIds } from '../platform/index.ts';
import type { Handler } from './call.ts';
import { countAddress, type Rate } from './rate-limit.ts';
import { framed } from './refuse.ts';
import { type Incoming, readEvent } from './request.ts';
import { asApiError, errorResponse, type Response } from './respond.ts';

/** A mistyped parameter must not pass for one that was left out. */
export const noQuery = z.strictObject({});

/** `counted` is told every count that applies, also when the call is refused. */
export type Respond = (incoming: Incoming, now: Date, counted: (rate: Rate) => void) => Promise<Response>;

/** Never rejects: whatever goes wrong becomes an answer. */
export const answering =
  (endpoint: Endpoint, respond: Respond, time: Clock): Handler =>
  async (event) => {
    const now = time.now();
    const incoming = readEvent(event);
    const { requestId } = incoming.origin;
    let rate: Rate | undefined;
    const counted = (made: Rate): void => {
      // The count that refuses the call is the one to be told of.
      if (!rate || made.used > made.limit) rate = made;
    };
    const response = await withIds({ requestId, operation: endpoint.id, ...idsIn(incoming.params) }, () =>
      told(incoming, () => respond(incoming, now, counted)),
    );
    return framed(response, rate ?? countAddress(incoming.origin.ip, now), requestId);
  };

const told = async ({ origin, headers }: Incoming, respond: () => Promise<Response>): Promise<Response> => {
  const response = await respond().catch((error: unknown) => {
    const known = asApiError(error);
    if (known.status >= 500) log.error('the call failed', (known.cause ?? known) as Error);
    return errorResponse(known, origin.requestId, headers.accept);
  });
  log.info('answered', { status: response.statusCode });
  if (response.statusCode === errors.RATE_LIMITED) measure('too many calls', { CallsOverLimit: 1 });
  return response;
};
