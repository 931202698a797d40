/** Conditions and counters on the organization that are part of a transaction. */
import { ApiError } from '../../contract/errors.ts';
import { get, type Tenant, update, type Write } from '../../platform/index.ts';
import { organizationKey } from './record.ts';

export const noSuchOrganization = (): ApiError => new ApiError('ORGANIZATION_NOT_FOUND', 'Organization not found');

/** Fails the transaction if the organization was deleted, so that its purge misses nothing added later. */
export const whileActive = (tenant: Tenant): Write => ({
  check: organizationKey.organization(tenant),
  condition: 'attribute_exists(pk) AND attribute_not_exists(deletedAt)',
  onConditionFailed: noSuchOrganization,
});

type Counter = 'memberCount' | 'projectCount' | 'webhookCount' | 'scheduleCount';

interface CountLimit {
  readonly max: number;
  readonly message: string;
}

/** Adds to a counter of an active organization, in the transaction that adds or removes the counted items. */
export const countOf = (counter: Counter, tenant: Tenant, amount: 1 | -1, limit?: CountLimit): Write => {
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
