/** Conditions and counters on the organization that are part of a transaction. */
import type { Role } from '../../contract/access.ts';
import { ApiError } from '../../contract/errors.ts';
import type { OrganizationLimit } from '../../contract/limits.ts';
import { check, get, organizationLimit, StaleReadError, type Tenant, update, type Write } from '../../platform/index.ts';
import { type OrganizationRecord, organizationKey } from './record.ts';

export const noSuchOrganization = (): ApiError => new ApiError('ORGANIZATION_NOT_FOUND', 'Organization not found');

export const roleRequired = (
  requiredRole: Role,
  currentRole: Role | undefined,
  message = `Requires role ${requiredRole}`,
): ApiError => new ApiError('PERMISSION_DENIED', message, { requiredRole, currentRole });

/** Fails the transaction if the organization was deleted, so that its purge misses nothing added later. */
export const whileActive = (tenant: Tenant): Write =>
  check(organizationKey.organization(tenant), { deletedAt: undefined }, noSuchOrganization);

/**
 * For every transaction that starts a job. Fails if the organization was deleted; a deletion that has looked for running jobs
 * before, and so missed this one, fails because the count has changed.
 */
export const countJobStart = (tenant: Tenant): Write =>
  update(organizationKey.organization(tenant), {
    add: { jobsStarted: 1 },
    expected: { deletedAt: undefined },
    onConditionFailed: noSuchOrganization,
  });

/** As `countJobStart`, but StaleReadError if a job has started since the organization was read: of concurrent claims one succeeds. */
export const claimJobStart = (tenant: Tenant, { jobsStarted }: Pick<OrganizationRecord, 'jobsStarted'>): Write =>
  update(organizationKey.organization(tenant), {
    add: { jobsStarted: 1 },
    expected: { deletedAt: undefined, jobsStarted },
    onConditionFailed: () => new StaleReadError(),
  });

/** Fails the transaction if the user has left, so that nothing that depends on the membership outlives it. */
export const whileMember = (tenant: Tenant, userId: string): Write =>
  check(
    organizationKey.member(tenant, userId),
    {},
    () => new ApiError('FORBIDDEN', 'The user is no longer a member of this organization'),
  );

/** Checks that a default storage destination exists, in the transaction that sets it. */
export const destinationCheck = (tenant: Tenant, destinationId: string | null | undefined): readonly Write[] =>
  destinationId ? [check(organizationKey.storageDestination(tenant, destinationId), {}, noSuchDestination)] : [];

const noSuchDestination = (): ApiError => new ApiError('STORAGE_NOT_FOUND', 'Storage destination not found');

/** The limit of this deployment, as `countOf` takes it. */
export const countLimit = (name: keyof typeof countNames): CountLimit => {
  const max = organizationLimit(name);
  return { max, message: `An organization can have at most ${max} ${countNames[name]}` };
};

const countNames = {
  schedules: 'schedules',
  webhooks: 'webhooks',
  alerts: 'alerts',
  restoreTests: 'restore tests',
} as const satisfies Partial<Record<OrganizationLimit, string>>;

type Counter = 'memberCount' | 'projectCount' | 'webhookCount' | 'scheduleCount' | 'restoreTestCount' | 'apiKeyCount';

interface CountLimit {
  readonly max: number;
  readonly message: string;
}

/** Adds to a counter of an active organization, in the transaction that adds or removes the counted items. */
export const countOf = (
  tenant: Tenant,
  { counter, amount, limit }: { readonly counter: Counter; readonly amount: 1 | -1; readonly limit?: CountLimit | undefined },
): Write => {
  const key = organizationKey.organization(tenant);
  const write = update(key, {
    add: { [counter]: amount },
    expected: { deletedAt: undefined },
    onConditionFailed: noSuchOrganization,
  });
  if (!limit) return write;
  const { max, message } = limit;
  return {
    ...write,
    condition: `${write.condition} AND (attribute_not_exists(#${counter}) OR #${counter} < :max)`,
    values: { ...write.values, ':max': max },
    onConditionFailed: async () => {
      const found = await get(key);
      return found && found.deletedAt === undefined ? new ApiError('CONFLICT', message, { max }) : noSuchOrganization();
    },
  };
};
