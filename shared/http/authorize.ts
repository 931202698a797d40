/**
 * Authorizes a call from the current session, organization, membership or API key. Reads everything, including a stored response,
 * in one round trip. The only place that makes a Tenant from a request.
 */
import { accountKey, isOver, isUseDue, type SessionRecord, sessionEnded } from '../account/index.ts';
import type { Actor } from '../audit/index.ts';
import { type Access, isPersonal, type Role, roleAtLeast } from '../contract/access.ts';
import { ApiError, invalid, unauthorized } from '../contract/errors.ts';
import { idMessage, isId } from '../contract/ids.ts';
import { isKeyOf, lookup, noSuchOrganization, type OrganizationRecord, roleRequired } from '../organization/index.ts';
import { getAll, type Item, type Key, type Tenant, unsafeTenant } from '../platform/index.ts';
import type { CallerCredentials } from './authenticate.ts';

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
  /** The scopes of a service account. */
  readonly permissions: readonly string[] | undefined;
}

export interface Authorized {
  readonly actor: Actor;
  readonly person: Person | undefined;
  readonly participant: Participant | undefined;
  /** The item at `responseKey`. */
  readonly storedResponse: Item | undefined;
  /** The session, if its last recorded use is a minute ago. */
  readonly unnotedUse?: SessionRecord | undefined;
  /** Set if the organization is deleted but a response is stored: this may be a repetition of the call that deleted it. */
  readonly deletedOrganizationId?: string;
}

interface AuthorizationRequest {
  readonly access: Exclude<Access, 'public'>;
  readonly credentials: CallerCredentials;
  /** X-Organization-Id. */
  readonly organizationHeader: string | undefined;
  readonly responseKey: Key | undefined;
  readonly now: Date;
}

export const authorize = (request: AuthorizationRequest): Promise<Authorized> => {
  const { credentials, organizationHeader } = request;
  const isScoped = !isPersonal(request.access);
  const organizationId =
    isScoped && organizationHeader && isId('organization', organizationHeader) ? organizationHeader : undefined;
  return credentials.kind === 'person'
    ? authorizePerson(credentials, organizationId, request)
    : authorizeKey(credentials, organizationId, request);
};

const authorizePerson = async (
  credentials: Extract<CallerCredentials, { kind: 'person' }>,
  organizationId: string | undefined,
  { access, organizationHeader, responseKey, now }: AuthorizationRequest,
): Promise<Authorized> => {
  const { userId, sessionId, email, name } = credentials.claims;
  const [session, revoked, lastUse, found, member, storedResponse] = await getAll([
    accountKey.session(sessionId),
    accountKey.revokedSessions(userId),
    accountKey.sessionUse(userId, sessionId),
    organizationId === undefined ? undefined : lookup.organization(organizationId),
    organizationId === undefined ? undefined : lookup.member(organizationId, userId),
    responseKey,
  ]);
  if (!session || session.userId !== userId || isOver(session, revoked, now)) {
    throw sessionEnded();
  }
  const person = { userId, sessionId, email, name };
  const actor: Actor = { type: 'user', id: userId, email };
  if (access === 'browser') assertBrowser(credentials, session);
  const unnotedUse = isUseDue(lastUse, now) ? session : undefined;
  if (isPersonal(access)) return { actor, person, participant: undefined, storedResponse, unnotedUse };
  if (storedResponse && organizationId && isDeleted(found)) {
    return { actor, person, participant: undefined, storedResponse, deletedOrganizationId: organizationId };
  }
  const organization = assertExists(organizationHeader, found);
  if (!member) throw new ApiError('FORBIDDEN', 'You are not a member of this organization');
  if (!roleAtLeast(member.role, access.role)) throw roleRequired(access.role, member.role);
  const tenant = unsafeTenant(organization.id, 'membership');
  return {
    actor,
    person,
    participant: { tenant, organization, role: member.role, permissions: undefined },
    storedResponse,
    unnotedUse,
  };
};

/** The session's own mark counts, too: a token of an app or a device could be sent as a cookie. */
const assertBrowser = ({ isCookie }: Extract<CallerCredentials, { kind: 'person' }>, { isBrowser }: SessionRecord): void => {
  if (!isCookie) throw new ApiError('FORBIDDEN', 'Only the console can make this call, with the session of its browser');
  if (!isBrowser) throw new ApiError('FORBIDDEN', 'Sign out of the console, sign in again, and repeat this');
};

const authorizeKey = async (
  { apiKey, accountId }: Extract<CallerCredentials, { kind: 'key' }>,
  organizationId: string | undefined,
  { access, organizationHeader, responseKey, now }: AuthorizationRequest,
): Promise<Authorized> => {
  const [key, found, storedResponse] = await getAll([
    lookup.apiKey(accountId),
    organizationId === undefined ? undefined : lookup.organization(organizationId),
    responseKey,
  ]);
  if (!key || !isKeyOf(apiKey, key, now)) throw unauthorized('Invalid API key');
  if (key.endedAt)
    throw unauthorized('The API key ended when the user who created it left the organization. An admin can rotate it');
  const actor: Actor = { type: 'service_account', id: key.accountId, email: key.email };
  if (isPersonal(access)) throw new ApiError('FORBIDDEN', 'Service accounts cannot make this call');
  // The key of a deleted organization is invalid.
  if (key.organizationId === organizationId && isDeleted(found)) throw unauthorized('Invalid API key');
  const organization = assertExists(organizationHeader, found);
  if (key.organizationId !== organization.id) throw new ApiError('FORBIDDEN', 'The API key belongs to another organization');
  if (access.scope === 'people-only') throw new ApiError('FORBIDDEN', 'Service accounts cannot make this call');
  if (!key.permissions.includes(access.scope)) {
    throw new ApiError('FORBIDDEN', `The API key lacks the scope ${access.scope}`, { requiredScope: access.scope });
  }
  const tenant = unsafeTenant(organization.id, 'service-account');
  const participant = { tenant, organization, role: undefined, permissions: key.permissions };
  return { actor, person: undefined, participant, storedResponse };
};

const assertExists = (header: string | undefined, found: OrganizationRecord | undefined): OrganizationRecord => {
  if (!header) throw invalid('X-Organization-Id', 'is required');
  if (!isId('organization', header)) throw invalid('X-Organization-Id', idMessage('organization'));
  if (!found || isDeleted(found)) throw noSuchOrganization();
  return found;
};

const isDeleted = (found: OrganizationRecord | undefined): boolean => found?.deletedAt !== undefined || found === undefined;
