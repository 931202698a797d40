import { type Clock, deletePartition, removeAll, type Tenant, walk } from '../../platform/index.ts';
import { removedPrefix, type WebhookRecord, webhookKey, webhookPrefix } from '../model/record.ts';

/**
 * Deletes an organization's webhooks with all their deliveries. Returns false if the deadline passed first. A delivery under way
 * finds its webhook deleted.
 */
export const purgeDeliveries = async (tenant: Tenant, until: Date, clock: Clock): Promise<boolean> => {
  for await (const { id, pk, sk } of webhooksEver(tenant)) {
    const deliveries = webhookKey.health(tenant, id).pk;
    if (!(await deletePartition(deliveries, { deadline: { at: until, clock } }))) return false;
    await removeAll([{ pk, sk }]);
    // Deliveries created while the webhook still existed are few, and from now on no more are created.
    await deletePartition(deliveries);
  }
  return true;
};

/** Existing webhooks, and deleted ones whose deliveries are still kept. */
async function* webhooksEver({ organizationId }: Tenant): AsyncGenerator<Pick<WebhookRecord, 'id' | 'pk' | 'sk'>> {
  for (const prefix of [webhookPrefix, removedPrefix]) yield* walk<WebhookRecord>({ pk: `ORG#${organizationId}`, prefix });
}
