import type { UserRecord } from '../account/index.ts';
import { auditNote } from '../audit/index.ts';
import { comparableEmail } from '../contract/comparable-email.ts';
import { ApiError } from '../contract/errors.ts';
import { organizationEvents } from '../contract/event-data/organization-events.ts';
import { emit } from '../event/index.ts';
import { type Change, create, iso, newId, StaleReadError, type Tenant, unsafeTenant } from '../platform/index.ts';
import { joinWrites } from './member/membership.ts';
import { lookup, type OrganizationRecord, organizationKey } from './model/record.ts';
import { isSlug, slugOf, slugWith } from './slug.ts';

interface NewOrganization {
  readonly name: string;
  /** Default: derived from the name. */
  readonly slug: string | undefined;
}

/** The requested slug, or the one derived from the name. */
export const preferredSlug = ({ name, slug }: NewOrganization): string => slug ?? slugOf(name);

const suffixLength = 6;

/** A requested slug that is taken is an error; one derived from the name gets a suffix. */
export const createOrganization = (
  owner: UserRecord,
  { input, isTaken, now }: { readonly input: NewOrganization; readonly isTaken: boolean; readonly now: Date },
): { tenant: Tenant; organization: OrganizationRecord; change: Change } => {
  const id = newId('organization', now);
  const tenant = unsafeTenant(id, 'created');
  const wanted = preferredSlug(input);
  // The end of a ULID is random: 30 bits distinguish equal names.
  const slug =
    input.slug === undefined && (isTaken || !isSlug(wanted)) ? slugWith(wanted, id.slice(-suffixLength).toLowerCase()) : wanted;
  const taken = () =>
    input.slug === undefined
      ? new StaleReadError()
      : new ApiError('SLUG_TAKEN', 'This slug is already taken', { field: 'slug', slug });
  const createdAt = iso(now);
  const organization: OrganizationRecord = {
    ...organizationKey.organization(tenant),
    id,
    name: input.name,
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
  const address = comparableEmail(owner.email) ?? owner.email;
  return {
    tenant,
    organization,
    change: {
      writes: [
        create({ ...lookup.slug(slug), organizationId: id }, taken),
        create(organization),
        ...joinWrites(tenant, { userId: owner.id, role: 'owner', address, now }),
        create({ ...organizationKey.address(tenant, address), userId: owner.id }),
        emit(tenant, { schemas: organizationEvents, name: 'organization.created', data: { organization }, now }),
      ],
      audit: [auditNote(tenant, { type: 'organization', id, details: { name: input.name, slug } })],
    },
  };
};
