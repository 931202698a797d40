/** Items of an organization. Every key begins with the tenant. */
import type { Actor } from '../../audit/index.ts';
import type { Role, Scope } from '../../contract/access.ts';
import { fingerprint, type Item, type Key, type Tenant } from '../../platform/index.ts';

export interface OrganizationRecord extends Item {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly ownerId: string;
  readonly timezone: string;
  readonly defaultStorageId: string | null;
  readonly memberCount: number;
  readonly projectCount: number;
  readonly backupCount: number;
  readonly storageUsed: number;
  /** Absent until the first one is created. */
  readonly webhookCount?: number;
  readonly scheduleCount?: number;
  readonly restoreTestCount?: number;
  readonly apiKeyCount?: number;
  /** Backups, restores and restore tests that were ever started; absent until the first one. */
  readonly jobsStarted?: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Present from deletion until recovery or purge. */
  readonly deletedAt?: string;
  /** Until when it can be recovered; absent if the deletion is permanent. */
  readonly recoveryDeadline?: string;
}

export interface MemberRecord extends Item {
  readonly userId: string;
  readonly role: Role;
  readonly joinedAt: string;
  readonly updatedAt: string;
  /** The invited address. It cannot be invited again while it is a member's. */
  readonly address: string;
}

export interface InvitationRecord extends Item {
  readonly id: string;
  readonly email: string;
  readonly role: Exclude<Role, 'owner'>;
  readonly status: 'pending' | 'accepted' | 'cancelled' | 'declined';
  readonly expiresAt: string;
  readonly createdAt: string;
  readonly invitedBy: { readonly id: string; readonly email: string };
  readonly resentAt?: string;
  /** Epoch seconds after which it counts as deleted, whether or not the table has removed it yet. */
  readonly ttl: number;
}

/** The way from an address to an invitation of an organization. */
export interface InvitedRecord extends Item {
  readonly invitationId: string;
}

/** The owner of an address: a member, or an invitation until it expires. */
export interface AddressRecord extends Item {
  readonly userId?: string;
  readonly invitationId?: string;
  readonly expiresAt?: string;
}

/** An organization waiting for its purge. */
export interface PurgeDueRecord extends Item {
  readonly organizationId: string;
  /** Whether the objects in the customer's buckets are deleted, too. */
  readonly deleteBackupData: boolean;
}

export interface ServiceAccountRecord extends Item {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly permissions: readonly Scope[];
  readonly createdAt: string;
  /** The user whose membership the key depends on and whose access to sources it uses by default. Absent for older accounts. */
  readonly createdBy?: string;
  /** When that user left: the key is refused until it is rotated. */
  readonly endedAt?: string;
  /** Until when the key before the last rotation works. */
  readonly previousKeyExpiresAt?: string;
}

/** One of the many keys of an organization. It does what its role and its permissions both allow, on its projects. */
export interface ApiKeyRecord extends Item {
  readonly id: string;
  readonly name: string;
  readonly role: Exclude<Role, 'owner'>;
  readonly permissions: readonly Scope[];
  /** Absent: all projects. */
  readonly projectIds?: readonly string[];
  /** Ranges in CIDR notation; absent: any address. */
  readonly allowedAddresses?: readonly string[];
  readonly expiresAt: string;
  /** When `expiresAt` was set: a rotation gives the new key as long a life. */
  readonly expirySetAt: string;
  readonly createdBy: Actor;
  /** Who last made, rotated or widened the key, and whose access to sources it uses by default. Absent: who created it. */
  readonly grantedBy?: Actor;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly rotatedAt?: string;
  /** Until when the key before the last rotation works. */
  readonly previousKeyExpiresAt?: string;
  /** The last use after the expiry that the audit log tells of. */
  readonly expiredUseAt?: string;
}

/**
 * The fingerprint of a key, found by the id inside the key. The account and the API key have no copy of it: functions that send
 * messages may read an organization's items, but no fingerprints.
 */
export interface FingerprintRecord extends Item {
  /** The service account or the API key. */
  readonly accountId: string;
  readonly organizationId: string;
  readonly fingerprint: string;
  /** The key before the last rotation, and the user who had made it. */
  readonly previous?: { readonly fingerprint: string; readonly expiresAt: string; readonly createdBy?: string };
  /** Of a service account: as in the account. */
  readonly email?: string;
  readonly permissions?: readonly Scope[];
  readonly endedAt?: string;
}

/** When an actor was last seen. */
export interface SeenRecord extends Item {
  /** Absent of an API key that was never used before it expired. */
  readonly at?: string;
  /** When a call with an expired API key was refused last. That is no use of it. */
  readonly refusedAt?: string;
}

export const purgeDuePartition = 'DUE#PURGE';
/** The open invitations of an address, by organization. The address of an invitation is unknown until a person signs in with it. */
export const invitedPartition = (email: string): string => `INVITED#${fingerprint(email)}`;

export const joinedPrefix = 'JOINED#';
export const invitationPrefix = 'INVITE#';
export const membershipPrefix = 'ORG#';
export const apiKeyPrefix = 'API_KEY#';

export const organizationKey = {
  organization: (tenant: Tenant): Key<OrganizationRecord> => lookup.organization(tenant.organizationId),
  member: (tenant: Tenant, userId: string): Key<MemberRecord> => lookup.member(tenant.organizationId, userId),
  /** A link per member, sorted by joining time; the member's own key is by user. */
  joined: (tenant: Tenant, joinedAt: string, userId: string): Key => ({
    pk: `ORG#${tenant.organizationId}`,
    sk: `${joinedPrefix}${joinedAt}#${userId}`,
  }),
  invitation: (tenant: Tenant, invitationId: string): Key<InvitationRecord> =>
    lookup.invitation(tenant.organizationId, invitationId),
  /** One item per invited or joined address: two invitations of one person cannot both exist. */
  address: (tenant: Tenant, email: string): Key<AddressRecord> => ({
    pk: `ORG#${tenant.organizationId}`,
    sk: `ADDRESS#${email}`,
  }),
  serviceAccount: (tenant: Tenant): Key<ServiceAccountRecord> => ({ pk: `ORG#${tenant.organizationId}`, sk: 'SERVICE_ACCOUNT' }),
  apiKey: (tenant: Tenant, id: string): Key<ApiKeyRecord> => lookup.apiKey(tenant.organizationId, id),
  storageDestination: (tenant: Tenant, id: string): Key => ({ pk: `ORG#${tenant.organizationId}`, sk: `DESTINATION#${id}` }),
  /** When each actor was last seen. In a partition of its own, so that read-only functions may write it and nothing else. */
  seen: (tenant: Tenant, actorId: string): Key<SeenRecord> => ({ pk: `SEEN#${tenant.organizationId}`, sk: actorId }),
};

/** Keys for authorization, before there is a tenant. Only code that proves or maintains membership may use them. */
export const lookup = {
  organization: (organizationId: string): Key<OrganizationRecord> => ({ pk: `ORG#${organizationId}`, sk: 'META' }),
  member: (organizationId: string, userId: string): Key<MemberRecord> => ({
    pk: `ORG#${organizationId}`,
    sk: `MEMBER#${userId}`,
  }),
  invitation: (organizationId: string, invitationId: string): Key<InvitationRecord> => ({
    pk: `ORG#${organizationId}`,
    sk: `${invitationPrefix}${invitationId}`,
  }),
  /** `email` is comparable. A link to the invitation, for the person who signs in with the address. */
  invited: (email: string, organizationId: string): Key<InvitedRecord> => ({
    pk: invitedPartition(email),
    sk: `${membershipPrefix}${organizationId}`,
  }),
  apiKey: (organizationId: string, id: string): Key<ApiKeyRecord> => ({
    pk: `ORG#${organizationId}`,
    sk: `${apiKeyPrefix}${id}`,
  }),
  fingerprint: (holderId: string): Key<FingerprintRecord> => ({ pk: `APIKEY#${holderId}`, sk: 'APIKEY' }),
  /** The user's side of a membership: a link without the role, which is stored only in the member item. */
  membership: (userId: string, organizationId: string): Key => ({
    pk: `USER#${userId}`,
    sk: `${membershipPrefix}${organizationId}`,
  }),
  slug: (slug: string): Key => ({ pk: `SLUG#${slug}`, sk: 'SLUG' }),
  /** Deleted organizations, sorted by the time of their purge, for the sweep. */
  due: (deadline: string, organizationId: string): Key<PurgeDueRecord> => ({
    pk: purgeDuePartition,
    sk: `${deadline}#${organizationId}`,
  }),
};
