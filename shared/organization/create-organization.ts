/** Making an organization: its slug, its owner's membership and its first address, all or nothing. */
import type { UserRecord } from '../account/index.ts';
import { ApiError } from '../contract/errors.ts';
import { emit } from '../event/index.ts';
import { type Change, create, iso, newId, StaleReadError, unsafeTenant } from '../platform/index.ts';
import { joinWrites } from './member/membership.ts';
import { lookup, type OrganizationRecord, organizationKey } from './model/record.ts';
import { isSlug, slugOf, slugWith } from './slug.ts';

export interface NewOrganization {
  readonly name: string;
  /** Undefined: made from the name. */
  readonly slug: string | undefined;
}

/** The slug to look up before deciding: the one asked for, or what the name reads like. */
export const preferredSlug = ({ name, slug }: NewOrganization): string => slug ?? slugOf(name);

const suffixLength = 6;

/** A slug asked for is had or refused; one made from the name gives way to others by taking a suffix. */
export const createOrganization = (
  owner: UserRecord,
  wish: NewOrganization,
  isTaken: boolean,
  now: Date,
): { organization: OrganizationRecord; change: Change } => {
  const id = newId('organization', now);
  const tenant = unsafeTenant(id, 'created');
  const wanted = preferredSlug(wish);
  // The end of a ULID is random: 30 bits of it tell equal names apart.
  const slug =
    wish.slug === undefined && (isTaken || !isSlug(wanted)) ? slugWith(wanted, id.slice(-suffixLength).toLowerCase()) : wanted;
  const taken = () =>
    wish.slug === undefined ? new StaleReadError() : new ApiError('SLUG_TAKEN', 'This slug is taken', { field: 'slug', slug });
  const createdAt = iso(now);
  const organization: OrganizationRecord = {
    ...organizationKey.organization(tenant),
    id,
    name: wish.name,
    slug,
    ownerId: owner.id,
    timezone: 'UTC',
    defaultStorageId: null,
    memberCount: 1,
    projectCount: 0,
    backupCount: 0,
    storageUsed: 0,
    createdAt,
    updatedAt: createdAt,
  };
  const address = owner.email.toLowerCase();
  return {
    organization,
    change: {
      writes: [
        create({ ...lookup.slug(slug), organizationId: id }, taken),
        create(organization),
        ...joinWrites(tenant, owner.id, 'owner', address, now),
        create({ ...organizationKey.address(tenant, address), userId: owner.id }),
        emit(tenant, 'organization.created', { organization }, now),
      ],
      audit: [{ scope: id, resource: { type: 'organization', id }, details: { name: wish.name, slug } }],
    },
  };
};
