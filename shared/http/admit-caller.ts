/** Authenticates, authorizes and rate-limits a call: one round trip, concurrent with the rate count. */
import type { Endpoint } from '../contract/endpoint.ts';
import { isId } from '../contract/ids.ts';
import { organizationKey } from '../organization/index.ts';
import { addLogContext, bestEffort, iso, type Key, note } from '../platform/index.ts';
import { authenticate, rateIdentity } from './authenticate.ts';
import { type Authorized, authorize } from './authorize.ts';
import { responseKey } from './idempotency.ts';
import type { Incoming } from './parse-request.ts';
import { assertWithinLimit, countActor, countAddress, type Rate } from './rate-limit.ts';

interface AdmittedCaller {
  readonly authorized?: Authorized;
  /** Of the stored response, if the call has an Idempotency-Key. */
  readonly key?: Key | undefined;
  /** A write in progress to await before the response. Never rejects. */
  readonly seen?: Promise<void>;
}

/** `reportRate` gets the rate limit that applies, even if the call is refused. */
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
    // A refused caller could use another key or organization in every call, so it is counted by address.
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
  const { participant, actor, deletedOrganizationId } = verdict.authorized;
  const organizationId = participant?.tenant.organizationId ?? deletedOrganizationId;
  addLogContext({ ...(organizationId && { organizationId }), actorId: actor.id });
  // The first call of each minute records when the actor was last seen: one write a minute, without a read.
  const seen =
    participant && rate.used === 1
      ? bestEffort(
          'record when the actor was last seen',
          note(organizationKey.seen(participant.tenant, actor.id), 'at', iso(now)),
        )
      : undefined;
  return { authorized: verdict.authorized, key, ...(seen && { seen }) };
};
