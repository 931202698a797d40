/**
 * Authorizes a call from the current session, organization, membership or API key. Reads everything, including a stored response,
 * in one round trip. The only place that makes a Tenant from a request.
 */
import { accountKey, type SessionRecord } from '../account/index.ts';
import type { Actor } from '../audit/index.ts';
import { type Access, type Role, roleAtLeast } from '../contract/access.ts';
import { ApiError, invalid, unauthorized } from '../contract/errors.ts';
import { isId } from '../contract/ids.ts';
import {
  type ApiKeyRecord,
  isKeyOf,
  lookup,
  type MemberRecord,
  noSuchOrganization,
  type OrganizationRecord,
  roleRequired,
} from '../organization/index.ts';
import { epochSeconds, getAll, type Item, type Key, type Tenant, unsafeTenant } from '../platform/index.ts';
import type { Credentials } from './authenticate.ts';

/** A signed-in user, outside any organization. */
export interface Person {
  readonly userId: string;
  readonly sessionId: string;
  readonly email: string;
  readonly name: string;
}

/** A user or service account within an organization. */
export interface Participant {
  readonly tenant: Tenant;
  readonly organization: OrganizationRecord;
  /** The role of a user; a service account has scopes instead. */
  readonly role: Role | undefined;
}

export interface Authorized {
  readonly actor: Actor;
  readonly person: Person | undefined;
  readonly participant: Participant | undefined;
  /** The item at `responseKey`. */
  readonly storedResponse: Item | undefined;
  /** Set if the organization is deleted but a response is stored: this may be a repetition of the call that deleted it. */
  readonly deletedOrganizationId?: string;
}

export const authorize = async (
  access: Exclude<Access, 'public'>,
  credentials: Credentials,
  organizationHeader: string | undefined,
  responseKey: Key | undefined,
  now: Date,
): Promise<Authorized> => {
  const scoped = access !== 'user';
  const organizationId =
    scoped && organizationHeader && isId('organization', organizationHeader) ? organizationHeader : undefined;
  const keys = {
    credential:
      credentials.kind === 'person' ? accountKey.session(credentials.claims.sessionId) : lookup.apiKey(credentials.accountId),
    organization: organizationId && lookup.organization(organizationId),
    member:
      organizationId && credentials.kind === 'person' ? lookup.member(organizationId, credentials.claims.userId) : undefined,
    response: responseKey,
  };
  const found = await readNamed(keys);

  if (credentials.kind === 'person') {
    const { userId, sessionId, email, name } = credentials.claims;
    const session = found.credential as SessionRecord | undefined;
    if (!session || session.revokedAt || session.userId !== userId || session.endsAt <= epochSeconds(now)) {
      throw unauthorized('The session has ended. Sign in again');
    }
    const person = { userId, sessionId, email, name };
    const actor: Actor = { type: 'user', id: userId, email };
    if (!scoped) return { actor, person, participant: undefined, storedResponse: found.response };
    if (found.response && organizationId && isDeleted(found.organization)) {
      return { actor, person, participant: undefined, storedResponse: found.response, deletedOrganizationId: organizationId };
    }
    const organization = assertExists(organizationHeader, found.organization);
    const member = found.member as MemberRecord | undefined;
    if (!member) throw new ApiError('FORBIDDEN', 'You are not a member of this organization');
    if (!roleAtLeast(member.role, access.role)) throw roleRequired(access.role, member.role);
    const tenant = unsafeTenant(organization.id, 'membership');
    return { actor, person, participant: { tenant, organization, role: member.role }, storedResponse: found.response };
  }

  const key = found.credential as ApiKeyRecord | undefined;
  if (!key || !isKeyOf(credentials.apiKey, key.fingerprint)) throw unauthorized('Invalid API key');
  const actor: Actor = { type: 'service_account', id: key.accountId, email: key.email };
  if (!scoped) throw new ApiError('FORBIDDEN', 'Service accounts cannot make this call');
  // The key of a deleted organization is invalid.
  if (key.organizationId === organizationId && isDeleted(found.organization)) {
    throw unauthorized('Invalid API key');
  }
  const organization = assertExists(organizationHeader, found.organization);
  if (key.organizationId !== organization.id) throw new ApiError('FORBIDDEN', 'The API key belongs to another organization');
  if (access.scope === 'people-only') throw new ApiError('FORBIDDEN', 'Service accounts cannot make this call');
  if (!key.permissions.includes(access.scope)) {
    throw new ApiError('FORBIDDEN', `The API key lacks the scope ${access.scope}`, { requiredScope: access.scope });
  }
  const tenant = unsafeTenant(organization.id, 'service-account');
  return { actor, person: undefined, participant: { tenant, organization, role: undefined }, storedResponse: found.response };
};

const assertExists = (header: string | undefined, found: Item | undefined): OrganizationRecord => {
  if (!header) throw invalid('X-Organization-Id', 'is required');
  if (!isId('organization', header)) throw invalid('X-Organization-Id', 'must be an organization id');
  if (isDeleted(found)) throw noSuchOrganization();
  return found as OrganizationRecord;
};

const isDeleted = (found: Item | undefined): boolean =>
  found === undefined || (found as OrganizationRecord).deletedAt !== undefined;

const readNamed = async <N extends string>(keys: Record<N, Key | '' | undefined>): Promise<Record<N, Item | undefined>> => {
  const wanted = Object.entries(keys).filter((entry): entry is [N, Key] => Boolean(entry[1]));
  const items = await getAll(wanted.map(([, key]) => key));
  return Object.fromEntries(wanted.map(([name], n) => [name, items[n]])) as Record<N, Item | undefined>;
};
