/** Authenticates, authorizes and rate-limits a call: one round trip, concurrent with the rate count. */
import { noteSessionUse } from '../account/index.ts';
import { isPersonal } from '../contract/access.ts';
import type { Endpoint } from '../contract/endpoint.ts';
import { isId } from '../contract/ids.ts';
import { organizationKey } from '../organization/index.ts';
import { addLogContext, bestEffort, fingerprint, iso, type Key, note } from '../platform/index.ts';
import { authenticate, rateIdentity } from './authenticate.ts';
import { type Authorized, authorize } from './authorize.ts';
import { responseKey } from './idempotency.ts';
import { assertWithinLimit, countActor, countAddress } from './rate-limit.ts';
import type { CallInProgress } from './request-envelope.ts';

interface AdmittedCaller {
  readonly authorized?: Authorized;
  /** Of the stored response, if the call has an Idempotency-Key. */
  readonly key?: Key | undefined;
  /** A write in progress to await before the response. Never rejects. */
  readonly seen?: Promise<unknown>;
}

export const admitCaller = async (endpoint: Endpoint, call: CallInProgress): Promise<AdmittedCaller> => {
  const { access } = endpoint;
  const { incoming, now, reportRate } = call;
  const byAddress = (): void => {
    const rate = countAddress(incoming.origin.ip, now);
    reportRate(rate);
    assertWithinLimit(rate);
  };
  if (access === 'public') {
    byAddress();
    await countPublicCall(endpoint, call);
    return {};
  }
  try {
    return await checkCredentials(access, endpoint, call);
  } catch (error) {
    // A refused caller could use another key or organization in every call, so it is counted by address.
    byAddress();
    throw error;
  }
};

/** The own limit of a public endpoint, per IP address and for all instances together. */
const countPublicCall = async (endpoint: Endpoint, { incoming, now, reportRate }: CallInProgress): Promise<void> => {
  const own = ownLimit(endpoint);
  if (!own) return;
  const rate = await countActor({ actor: fingerprint(incoming.origin.ip ?? '').slice(0, 22), scope: 'public', own }, now);
  reportRate(rate);
  assertWithinLimit(rate);
};

const ownLimit = ({ id, requestsPerMinute }: Endpoint): { id: string; limit: number } | undefined =>
  requestsPerMinute === undefined ? undefined : { id, limit: requestsPerMinute };

const checkCredentials = async (
  access: Exclude<Endpoint['access'], 'public'>,
  endpoint: Endpoint,
  { incoming, now, reportRate }: CallInProgress,
): Promise<AdmittedCaller> => {
  const credentials = await authenticate(incoming);
  const identity = rateIdentity(credentials);
  const header = incoming.headers['x-organization-id'];
  const route = `${endpoint.method} ${incoming.path}`;
  const key = endpoint.idempotent
    ? responseKey(incoming.headers['idempotency-key'], { actor: identity, organization: isPersonal(access) ? '' : header, route })
    : undefined;
  // A key belongs to one organization, whether the call names it or not.
  const scope =
    credentials.kind === 'key' ? 'key' : isPersonal(access) || !isId('organization', header ?? '') ? 'none' : (header ?? '');
  const [rate, verdict] = await Promise.all([
    countActor({ actor: identity, scope, own: ownLimit(endpoint) }, now),
    authorize({ access, credentials, organizationHeader: header, responseKey: key, address: incoming.origin.ip, now }).then(
      (authorized) => ({ authorized }),
      (error: unknown) => ({ error }),
    ),
  ]);
  reportRate(rate);
  assertWithinLimit(rate);
  if ('error' in verdict) throw verdict.error;
  const { participant, actor, deletedOrganizationId, unnotedUse } = verdict.authorized;
  const organizationId = participant?.tenant.organizationId ?? deletedOrganizationId;
  addLogContext({ ...(organizationId && { organizationId }), actorId: actor.id });
  // The first call of each minute records when the actor was last seen: one write a minute, without a read.
  const seen = [
    ...(participant && rate.used === 1 ? [note(organizationKey.seen(participant.tenant, actor.id), { at: iso(now) })] : []),
    ...(unnotedUse ? [noteSessionUse(unnotedUse, incoming.origin, now)] : []),
  ].map((write) => bestEffort('record when the actor was last seen', write));
  return { authorized: verdict.authorized, key, ...(seen.length > 0 && { seen: Promise.all(seen) }) };
};
