import { type Clock, deletePartition, type Item, removeAll, type Tenant, walk } from '../platform/index.ts';
import { deliveryKey } from './record.ts';

interface EndpointPurge {
  /** Of existing endpoints, and of deleted ones whose deliveries are still kept. */
  readonly prefixes: readonly string[];
  readonly until: Date;
  readonly clock: Clock;
}

/**
 * Deletes an organization's endpoints with all their deliveries. Returns false if the deadline passed first. A delivery under way
 * finds its endpoint deleted.
 */
export const purgeEndpoints = async (tenant: Tenant, { prefixes, until, clock }: EndpointPurge): Promise<boolean> => {
  for (const prefix of prefixes)
    for await (const { id, pk, sk } of walk<Item & { readonly id: string }>({ pk: `ORG#${tenant.organizationId}`, prefix })) {
      const deliveries = deliveryKey.health(tenant, id).pk;
      if (!(await deletePartition(deliveries, { deadline: { at: until, clock } }))) return false;
      await removeAll([{ pk, sk }]);
      // Deliveries created while the endpoint still existed are few, and from now on no more are created.
      await deletePartition(deliveries);
    }
  return true;
};
