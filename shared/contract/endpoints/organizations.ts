import * as z from 'zod/mini';
import { roles } from '../access.ts';
import { apiPrefix, group } from '../endpoint.ts';
import { id, Moment, Name, noBody, ShownName, Slug, Timezone } from '../fields.ts';
import { organizationLimits, plans } from '../limits.ts';
import { UnfinishedJob } from '../models/job.ts';

export const Settings = z.object({ timezone: z.string(), defaultStorageId: z.nullable(z.string()) });
export const Statistics = z.object({ memberCount: z.int(), projectCount: z.int(), backupCount: z.int(), storageUsed: z.int() });
const Subscription = z.object({ plan: z.enum(plans), status: z.literal('active'), billingCycle: z.literal('monthly') });

export const Organization = z.object({
  id: z.string(),
  name: ShownName,
  slug: z.string(),
  ownerId: z.string(),
  owner: z.object({ id: z.string(), email: z.string(), name: ShownName }),
  settings: Settings,
  statistics: Statistics,
  subscription: Subscription,
  role: z.enum(roles),
  memberCount: z.int(),
  projectCount: z.int(),
  createdAt: Moment,
  updatedAt: Moment,
});

const limitNames = Object.keys(organizationLimits) as (keyof typeof organizationLimits)[];
/** A limit of this deployment, and how much of it the organization uses now. */
export const LimitUse = z.object({ limit: z.int(), used: z.int() });
export const Limits = z.object(
  Object.fromEntries(limitNames.map((name) => [name, LimitUse])) as Record<(typeof limitNames)[number], typeof LimitUse>,
);

/** With the AWS account that the trust policies of customers' roles name. */
export const CurrentOrganization = z.extend(
  z.omit(Organization, {
    ownerId: true,
    role: true,
    memberCount: true,
    projectCount: true,
  }),
  { limits: Limits, awsAccountId: z.string(), hasServiceAccount: z.boolean() },
);

export const Deletion = z.object({
  id: z.string(),
  deleted: z.literal(true),
  deletionType: z.enum(['soft', 'permanent']),
  recoveryDeadline: z.nullable(Moment),
  cancelledJobs: z.optional(z.array(UnfinishedJob)),
});

export const organizations = group('organizations', `${apiPrefix}/organizations`, {
  create: {
    route: 'POST',
    access: 'user',
    summary: 'Create an organization; the caller becomes its owner',
    body: z.strictObject({ name: Name, slug: z.optional(Slug) }),
    data: z.pick(Organization, { id: true, name: true, slug: true, ownerId: true, createdAt: true }),
    status: 201,
    location: `${apiPrefix}/organizations/current`,
    audit: 'organization.created',
    errors: ['SLUG_TAKEN'],
    idempotent: true,
    capabilities: ['table:write'],
  },
  list: {
    route: 'GET',
    access: 'user',
    summary: 'List the organizations of the caller',
    note: 'With status=deleted: the soft-deleted ones that the caller can recover.',
    query: z.strictObject({ status: z._default(z.enum(['active', 'deleted']), 'active') }),
    list: z.extend(
      z.pick(Organization, {
        id: true,
        name: true,
        slug: true,
        role: true,
        memberCount: true,
        projectCount: true,
        createdAt: true,
      }),
      { deletedAt: z.optional(Moment), recoveryDeadline: z.optional(Moment) },
    ),
    capabilities: ['table:read'],
  },
  current: {
    route: 'GET /current',
    access: { role: 'viewer', scope: 'organization:read', projects: 'organization' },
    summary: 'Get the organization of X-Organization-Id',
    data: CurrentOrganization,
    capabilities: ['table:read', 'google:name'],
  },
  update: {
    route: 'PUT /current',
    access: { role: 'admin', scope: 'organization:write', projects: 'organization' },
    summary: 'Update the name or settings of the organization; only the given fields change',
    body: z.strictObject({
      name: z.optional(Name),
      settings: z.optional(
        z.strictObject({ timezone: z.optional(Timezone), defaultStorageId: z.optional(z.nullable(id('storageDestination'))) }),
      ),
    }),
    data: z.pick(Organization, { id: true, name: true, settings: true, updatedAt: true }),
    audit: 'organization.updated',
    errors: ['STORAGE_NOT_FOUND'],
    capabilities: ['table:write'],
  },
  remove: {
    route: 'POST /current/delete',
    access: { role: 'owner', scope: 'people-only' },
    summary: 'Delete the organization; it can be recovered for 30 days',
    note: 'With force it is deleted permanently.',
    body: z.strictObject({
      confirmName: z.string('must be the name of the organization'),
      force: z.optional(z.boolean('must be true or false')),
      deleteBackupData: z.optional(z.boolean('must be true or false')),
      cancelJobs: z.optional(z.boolean('must be true or false')),
    }),
    data: Deletion,
    // With force the purge has started.
    alsoStatus: 202,
    location: `${apiPrefix}/organizations`,
    audit: 'organization.deleted',
    errors: ['JOB_IN_PROGRESS'],
    idempotent: true,
    destructive: true,
    capabilities: ['table:write'],
  },
  leave: {
    route: 'POST /current/leave',
    access: { role: 'viewer', scope: 'people-only' },
    summary: 'Leave the organization; the owner must transfer ownership first',
    body: z.strictObject({}),
    bodyOptional: true,
    audit: 'member.left',
    errors: ['CANNOT_REMOVE_OWNER', 'CONFLICT'],
    destructive: true,
    capabilities: ['table:write'],
  },
  recover: {
    route: 'POST /{id}/recover',
    access: 'user',
    summary: 'Recover a soft-deleted organization; owner only, within 30 days',
    ...noBody,
    data: z.pick(Organization, { id: true, name: true, slug: true, createdAt: true, updatedAt: true }),
    audit: 'organization.recovered',
    idempotent: true,
    errors: ['ORGANIZATION_NOT_FOUND', 'CONFLICT', 'PERMISSION_DENIED'],
    capabilities: ['table:write'],
  },
});
