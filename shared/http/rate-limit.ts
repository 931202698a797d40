/** Fixed one-minute windows: known actors are counted in the table, for all containers; unknown ones by address, in this container. */
import type { Endpoint } from '../contract/endpoint.ts';
import { ApiError } from '../contract/errors.ts';
import { requestsPerMinute } from '../contract/limits.ts';
import { count, epochSeconds } from '../platform/index.ts';

const windowSeconds = 60;
/** Addresses remembered per container; the oldest are forgotten, which errs towards letting a caller in. */
const addressesMax = 10_000;

export interface Rate {
  readonly limit: number;
  readonly used: number;
  readonly resetSeconds: number;
}

const windowOf = (now: Date): { start: number; resetSeconds: number } => {
  const seconds = epochSeconds(now);
  const start = seconds - (seconds % windowSeconds);
  return { start, resetSeconds: start + windowSeconds - seconds };
};

const configured = (): number => Number(process.env.REQUESTS_PER_MINUTE ?? requestsPerMinute);

/** `own` is an endpoint's tighter limit, counted apart. */
export const countActor = async (
  actor: string,
  scope: string,
  own: { id: string; limit: number } | undefined,
  now: Date,
): Promise<Rate> => {
  const { start, resetSeconds } = windowOf(now);
  const used = await count({ pk: `RATE#${scope}#${actor}`, sk: `${start}${own ? `#${own.id}` : ''}` }, start + 2 * windowSeconds);
  return { limit: own?.limit ?? configured(), used, resetSeconds };
};

/**
 * What all of an organization may ask of an endpoint whose calls wait for others. Counted only for calls that are about to run:
 * one that is refused holds nothing.
 */
export const countOutboundCall = async (
  { id, outboundShare }: Endpoint,
  organizationId: string,
  now: Date,
): Promise<Rate | undefined> => {
  if (outboundShare === undefined) return undefined;
  return countActor('everyone', organizationId, { id, limit: Math.ceil(configured() * outboundShare) }, now);
};

const addresses = new Map<string, number>();
let addressesOf = 0;

export const countAddress = (ip: string | null, now: Date): Rate => {
  const { start, resetSeconds } = windowOf(now);
  if (addressesOf !== start) addresses.clear();
  addressesOf = start;
  const used = (addresses.get(ip ?? '') ?? 0) + 1;
  addresses.delete(ip ?? '');
  addresses.set(ip ?? '', used);
  if (addresses.size > addressesMax) addresses.delete(addresses.keys().next().value ?? '');
  return { limit: configured(), used, resetSeconds };
};

export const rateHeaders = ({ limit, used, resetSeconds }: Rate): Record<string, string> => ({
  'ratelimit-limit': String(limit),
  'ratelimit-remaining': String(Math.max(0, limit - used)),
  'ratelimit-reset': String(resetSeconds),
});

/** The error a caller over the limit meets. */
export const overLimit = ({ limit, used, resetSeconds }: Rate): ApiError | undefined =>
  used <= limit
    ? undefined
    : new ApiError(
        'RATE_LIMITED',
        `At most ${limit} requests a minute`,
        { retryAfterSeconds: resetSeconds },
        { headers: { 'retry-after': String(resetSeconds) } },
      );

export const assertWithinLimit = (rate: Rate): void => {
  const error = overLimit(rate);
  if (error) throw error;
};
