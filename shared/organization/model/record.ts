/** Where organizations and what belongs to them are kept. Every key begins with the tenant. */
import type { Role, Scope } from '../../contract/access.ts';
import type { Item, Key, Tenant } from '../../platform/index.ts';

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
  /** Absent until there is one. */
  readonly webhookCount?: number;
  readonly scheduleCount?: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Present from deletion until recovery or purge. */
  readonly deletedAt?: string;
  /** Until when it can be recovered; absent when the deletion is for good. */
  readonly recoveryDeadline?: string;
}

export interface MemberRecord extends Item {
  readonly userId: string;
  readonly role: Role;
  readonly joinedAt: string;
  readonly updatedAt: string;
  /** The address that was invited: while it is a member's, it cannot be invited again. */
  readonly address: string;
}

export interface InvitationRecord extends Item {
  readonly id: string;
  readonly email: string;
  readonly role: Exclude<Role, 'owner'>;
  readonly status: 'pending' | 'accepted' | 'cancelled';
  readonly expiresAt: string;
  readonly createdAt: string;
  readonly invitedBy: { readonly id: string; readonly email: string };
  readonly resentAt?: string;
  /** Epoch seconds after which it is forgotten, whether or not the table has cleaned it up yet. */
  readonly ttl: number;
}

/** Whose an address is: a member's, or an invitation's until it expires. */
export interface AddressRecord extends Item {
  readonly userId?: string;
  readonly invitationId?: string;
  readonly expiresAt?: string;
}

/** An organization waiting for its purge. */
export interface DueRecord extends Item {
  readonly organizationId: string;
  /** Whether the objects in the customer's buckets go with it. */
  readonly deleteBackupData: boolean;
}

export interface ServiceAccountRecord extends Item {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  readonly permissions: readonly Scope[];
  readonly createdAt: string;
  /** The person whose access to a source the account uses where it names none; older accounts do not know. */
  readonly createdBy?: string;
}

/** Found by the account id inside the API key; holds the key's fingerprint, never the key. */
export interface ApiKeyRecord extends Item {
  readonly accountId: string;
  readonly organizationId: string;
  readonly email: string;
  readonly permissions: readonly Scope[];
  readonly fingerprint: string;
}

export const duePartition = 'DUE#PURGE';
export const joinedPrefix = 'JOINED#';
export const invitationPrefix = 'INVITE#';
export const membershipPrefix = 'ORG#';

export const organizationKey = {
  organization: (tenant: Tenant): Key<OrganizationRecord> => lookup.organization(tenant.organizationId),
  member: (tenant: Tenant, userId: string): Key<MemberRecord> => lookup.member(tenant.organizationId, userId),
  /** Members in the order they joined: a bare link, because the member's own key is made to be found by user. */
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
  storageDestination: (tenant: Tenant, id: string): Key => ({ pk: `ORG#${tenant.organizationId}`, sk: `DESTINATION#${id}` }),
  /** When each actor was last seen in the organization. Not in its own partition, so that readers may note it but write nothing else. */
  seen: (tenant: Tenant, actorId: string): Key => ({ pk: `SEEN#${tenant.organizationId}`, sk: actorId }),
};

/** Keys used to find out who a caller is, before there is a tenant. Only what proves or maintains membership may use them. */
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
  apiKey: (accountId: string): Key<ApiKeyRecord> => ({ pk: `APIKEY#${accountId}`, sk: 'APIKEY' }),
  /** The user's side of a membership: a bare link, so that a role is written in one place only. */
  membership: (userId: string, organizationId: string): Key => ({
    pk: `USER#${userId}`,
    sk: `${membershipPrefix}${organizationId}`,
  }),
  slug: (slug: string): Key => ({ pk: `SLUG#${slug}`, sk: 'SLUG' }),
  /** Deleted organizations in the order in which they are to be purged, for the sweep. */
  due: (deadline: string, organizationId: string): Key<DueRecord> => ({ pk: duePartition, sk: `${deadline}#${organizationId}` }),
};
