/** Who calls, whether they may, and how often they have: one round trip, beside the count. */
import type { Endpoint } from '../contract/endpoint.ts';
import { isId } from '../contract/ids.ts';
import { organizationKey } from '../organization/index.ts';
import { addLogContext, bestEffort, iso, type Key, note } from '../platform/index.ts';
import { authenticate, rateIdentity } from './authenticate.ts';
import { type Authorized, authorize } from './authorize.ts';
import { responseKey } from './idempotency.ts';
import type { Incoming } from './parse-request.ts';
import { assertWithinLimit, countActor, countAddress, type Rate } from './rate-limit.ts';

export interface AdmittedCaller {
  readonly authorized?: Authorized;
  /** Where the answer to this call's Idempotency-Key is kept. */
  readonly key?: Key | undefined;
  /** A note under way that must be done before the call is answered. Never rejects. */
  readonly seen?: Promise<void>;
}

/** `reportRate` is told the count that applies, also when the call is refused. */
export const admitCaller = async (
  endpoint: Endpoint,
  incoming: Incoming,
  now: Date,
  reportRate: (rate: Rate) => void,
): Promise<AdmittedCaller> => {
  const { access } = endpoint;
  const byAddress = (): void => {
    const rate = countAddress(incoming.origin.ip, now);
    reportRate(rate);
    assertWithinLimit(rate);
  };
  if (access === 'public') {
    byAddress();
    return {};
  }
  try {
    return await checkCredentials(access, endpoint, incoming, now, reportRate);
  } catch (error) {
    // A caller who is refused could be someone else at every call: a new key, a new organization. The address stays.
    byAddress();
    throw error;
  }
};

const checkCredentials = async (
  access: Exclude<Endpoint['access'], 'public'>,
  endpoint: Endpoint,
  incoming: Incoming,
  now: Date,
  reportRate: (rate: Rate) => void,
): Promise<AdmittedCaller> => {
  const credentials = await authenticate(incoming);
  const identity = rateIdentity(credentials);
  const header = incoming.headers['x-organization-id'];
  const key = endpoint.idempotent
    ? responseKey(
        incoming.headers['idempotency-key'],
        identity,
        access === 'user' ? undefined : header,
        `${endpoint.method} ${incoming.path}`,
      )
    : undefined;
  const scope = access !== 'user' && header && isId('organization', header) ? header : 'none';
  const own = endpoint.requestsPerMinute && { id: endpoint.id, limit: endpoint.requestsPerMinute };
  const [rate, verdict] = await Promise.all([
    countActor(identity, scope, own || undefined, now),
    authorize(access, credentials, header, key, now).then(
      (authorized) => ({ authorized }),
      (error: unknown) => ({ error }),
    ),
  ]);
  reportRate(rate);
  assertWithinLimit(rate);
  if ('error' in verdict) throw verdict.error;
  const { participant, actor } = verdict.authorized;
  addLogContext({ ...(participant && { organizationId: participant.tenant.organizationId }), actorId: actor.id });
  // The first call of each minute notes when the actor was last seen: at most one write a minute, and no read to decide it.
  const seen =
    participant && rate.used === 1
      ? bestEffort('note who was seen', note(organizationKey.seen(participant.tenant, actor.id), 'at', iso(now)))
      : undefined;
  return { authorized: verdict.authorized, key, ...(seen && { seen }) };
};
