/** Fixed one-minute windows. Authenticated actors are counted in the table; others by IP address, per Lambda instance. */
import type { Endpoint } from '../contract/endpoint.ts';
import { ApiError } from '../contract/errors.ts';
import { requestsPerMinute } from '../contract/limits.ts';
import { count, epochSeconds, warm } from '../platform/index.ts';

const windowSeconds = 60;
/** Addresses per instance. The oldest are evicted, which errs on the side of admitting a caller. */
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

interface Counted {
  readonly actor: string;
  readonly scope: string;
  /** The endpoint's own limit, counted separately. */
  readonly own?: { readonly id: string; readonly limit: number } | undefined;
}

export const countActor = async ({ actor, scope, own }: Counted, now: Date): Promise<Rate> => {
  const { start, resetSeconds } = windowOf(now);
  const used = await count({ pk: `RATE#${scope}#${actor}`, sk: `${start}${own ? `#${own.id}` : ''}` }, start + 2 * windowSeconds);
  return { limit: own?.limit ?? configured(), used, resetSeconds };
};

/**
 * Limits an organization's calls of an endpoint that waits for outbound requests. Counts only calls that are about to run, because
 * a refused call occupies nothing.
 */
export const countOutboundCall = async (
  { id, outboundShare }: Endpoint,
  organizationId: string,
  now: Date,
): Promise<Rate | undefined> => {
  if (outboundShare === undefined) return undefined;
  const own = { id, limit: Math.ceil(configured() * outboundShare) };
  return countActor({ actor: 'everyone', scope: organizationId, own }, now);
};

/** Calls by address, in the window that began at `start`. */
const counted = warm(() => ({ start: 0, addresses: new Map<string, number>() }));

export const countAddress = (ip: string | null, now: Date): Rate => {
  const { start, resetSeconds } = windowOf(now);
  const window = counted();
  const { addresses } = window;
  if (window.start !== start) addresses.clear();
  window.start = start;
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

export const assertWithinLimit = ({ limit, used, resetSeconds }: Rate): void => {
  if (used <= limit) return;
  const message = `Rate limit exceeded: at most ${limit} requests per minute`;
  const headers = { 'retry-after': String(resetSeconds) };
  throw new ApiError('RATE_LIMITED', message, { retryAfterSeconds: resetSeconds }, { headers });
};
