import { type Clock, type Key, query, removeAll, type Tenant, walk } from '../../platform/index.ts';
import { removedPrefix, type WebhookRecord, webhookKey, webhookPrefix } from '../model/record.ts';

/** Items removed between two looks at the clock. */
const pageItems = 200;

/**
 * Removes the webhooks of an organization with all that was sent to them, and tells whether none is left. What is being sent
 * meanwhile finds its webhook gone.
 */
export const purgeDeliveries = async (tenant: Tenant, until: Date, time: Clock): Promise<boolean> => {
  for await (const { id, pk, sk } of everOf(tenant)) {
    const sent = webhookKey.health(tenant, id);
    if (!(await emptied(sent, () => time.now() >= until))) return false;
    await removeAll([{ pk, sk }]);
    // What was added while the webhook was still there is little, and nothing leads there any more.
    await emptied(sent, () => false);
  }
  return true;
};

/** Those that are there, and those that were removed as long as something that was sent to them is kept. */
async function* everOf({ organizationId }: Tenant): AsyncGenerator<Pick<WebhookRecord, 'id' | 'pk' | 'sk'>> {
  for (const prefix of [webhookPrefix, removedPrefix]) yield* walk<WebhookRecord>({ pk: `ORG#${organizationId}`, prefix });
}

/** False if the time was over before the partition was empty. */
const emptied = async ({ pk }: Key, isOver: () => boolean): Promise<boolean> => {
  // Every sort key in it begins with a letter.
  const range = { pk, prefix: '', from: '0', limit: pageItems };
  for (;;) {
    if (isOver()) return false;
    const page = await query(range);
    await removeAll(page.items);
    if (page.next === undefined) return true;
  }
};
