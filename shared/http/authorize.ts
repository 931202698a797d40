/**
 * Authorizes a call from the current session, organization, membership or API key. Reads everything, including a stored response,
 * in one round trip. The only place that makes a Tenant from a request.
 */

import { accountKey, isOver, isUseDue, type SessionRecord, sessionEnded } from '../account/index.ts';
import type { Actor } from '../audit/index.ts';
import { type Access, isPersonal, type Role, roleAtLeast } from '../contract/access.ts';
import { isAddressWithin } from '../contract/address-range.ts';
import { ApiError, invalid, unauthorized } from '../contract/errors.ts';
import { idMessage, isId } from '../contract/ids.ts';
import {
  type ApiKeyRecord,
  type FingerprintRecord,
  isKeyTokenOf,
  lookup,
  noSuchOrganization,
  type OrganizationRecord,
  organizationKey,
  roleRequired,
} from '../organization/index.ts';
import { bestEffort, getAll, type Item, iso, type Key, note, type Tenant, unsafeTenant } from '../platform/index.ts';
import type { CallerCredentials } from './authenticate.ts';

/** A signed-in user, outside any organization. */
export interface Person {
  readonly userId: string;
  readonly sessionId: string;
  readonly email: string;
  readonly name: string;
}

/** A user, service account or API key within an organization. */
export interface Participant {
  readonly tenant: Tenant;
  readonly organization: OrganizationRecord;
  /** The role of a user or an API key; a service account has scopes only. */
  readonly role: Role | undefined;
  /** The scopes of a service account or an API key. */
  readonly permissions: readonly string[] | undefined;
  /** The projects that an API key is limited to. */
  readonly projectIds?: readonly string[] | undefined;
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
  /** The caller's IP address. */
  readonly address: string | null;
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
  credentials: Extract<CallerCredentials, { kind: 'key' }>,
  given: string | undefined,
  request: AuthorizationRequest,
): Promise<Authorized> => {
  const { holderId } = credentials;
  const { access, organizationHeader, responseKey, now } = request;
  const keyOfRecord = (organization: string | undefined) =>
    organization !== undefined && isId('apiKey', holderId) ? lookup.apiKey(organization, holderId) : undefined;
  const keyOfOrganization = (organization: string | undefined) =>
    organization === undefined ? undefined : lookup.organization(organization);
  const [secret, storedResponse, ...read] = await getAll([
    lookup.fingerprint(holderId),
    responseKey,
    keyOfOrganization(given),
    keyOfRecord(given),
  ]);
  if (!secret || !isKeyTokenOf(credentials.apiKey, secret, now)) throw unauthorized('Invalid API key');
  // A key alone is enough: without a header its own organization is meant, at the price of a second read.
  const organizationId = organizationHeader && !isPersonal(access) ? given : secret.organizationId;
  const [found, apiKey] =
    given === organizationId ? read : await getAll([keyOfOrganization(organizationId), keyOfRecord(organizationId)]);
  const isOwn = secret.organizationId === organizationId;
  // The key of a deleted organization is invalid, and so is one whose record was deleted.
  if (isOwn && (isDeleted(found) || (isId('apiKey', holderId) && !apiKey))) throw unauthorized('Invalid API key');
  if (isOwn && apiKey && apiKey.expiresAt <= iso(now)) throw await refuseExpired(apiKey, secret.organizationId, now);
  const key = isOwn && apiKey ? ofApiKey(apiKey, request) : ofServiceAccount(secret);
  if (isPersonal(access)) throw new ApiError('FORBIDDEN', `${key.plural} cannot make this call`);
  const organization = assertExists(organizationHeader || organizationId, found);
  if (!isOwn) throw new ApiError('FORBIDDEN', 'The API key belongs to another organization');
  if (access.scope === 'people-only') throw new ApiError('FORBIDDEN', `${key.plural} cannot make this call`);
  const { role, permissions, projectIds } = key;
  if (!permissions.includes(access.scope)) {
    throw new ApiError('FORBIDDEN', `The API key lacks the scope ${access.scope}`, { requiredScope: access.scope });
  }
  if (role && !roleAtLeast(role, access.role))
    throw roleRequired(access.role, role, `The API key has role ${role}; this requires ${access.role}`);
  if (projectIds && access.projects === 'organization')
    throw new ApiError('FORBIDDEN', 'This API key is limited to projects, and the call concerns the whole organization');
  const tenant = unsafeTenant(organization.id, 'service-account');
  return {
    actor: key.actor,
    person: undefined,
    participant: { tenant, organization, role, permissions, projectIds },
    storedResponse,
  };
};

interface KeyHolder extends Pick<Participant, 'role' | 'projectIds'> {
  readonly actor: Actor;
  readonly permissions: readonly string[];
  /** Names its kind at the beginning of a sentence. */
  readonly plural: string;
}

/** One more key, without a role that limits its scopes. */
const ofServiceAccount = ({ accountId, email = '', permissions = [], endedAt }: FingerprintRecord): KeyHolder => {
  if (endedAt) throw unauthorized('The API key ended when the user who created it left the organization. An admin can rotate it');
  return { actor: { type: 'service_account', id: accountId, email }, role: undefined, permissions, plural: 'Service accounts' };
};

/** Records the use, so that the sweep of incidents can write it into the audit log. */
const refuseExpired = async ({ id, expiresAt }: ApiKeyRecord, organizationId: string, now: Date): Promise<ApiError> => {
  const seen = note(organizationKey.seen(unsafeTenant(organizationId, 'service-account'), id), { refusedAt: iso(now) });
  await bestEffort('record the use of an expired API key', seen);
  return unauthorized(`The API key expired at ${expiresAt}. An admin can rotate or extend it`);
};

const ofApiKey = (
  { id, name, role, permissions, projectIds, allowedAddresses }: ApiKeyRecord,
  { address }: AuthorizationRequest,
): KeyHolder => {
  if (allowedAddresses && !isAddressWithin(address, allowedAddresses))
    throw new ApiError('FORBIDDEN', `The API key is not allowed to be used from the address ${address}`);
  return { actor: { type: 'api_key', id, email: null, name }, role, permissions, projectIds, plural: 'API keys' };
};

const assertExists = (header: string | undefined, found: OrganizationRecord | undefined): OrganizationRecord => {
  if (!header) throw invalid('X-Organization-Id', 'is required');
  if (!isId('organization', header)) throw invalid('X-Organization-Id', idMessage('organization'));
  if (!found || isDeleted(found)) throw noSuchOrganization();
  return found;
};

const isDeleted = (found: OrganizationRecord | undefined): boolean => found?.deletedAt !== undefined || found === undefined;
