/** `organization.deleted` is an organization's last event. Its webhooks are kept until it was sent once, for a limited time. */
import { setTimeout as pause } from 'node:timers/promises';
import { eventPrefix } from '../../event/index.ts';
import { after, type Clock, getAll, query, type Tenant } from '../../platform/index.ts';
import { deliveryIdOf } from '../model/delivery-id.ts';
import { matchesEventFilter } from '../model/event-filter.ts';
import { webhooksOf } from '../model/get-webhook.ts';
import { type StoredEvent, type WebhookDeliveryRecord, webhookKey } from '../model/record.ts';

/** Longer than creating the delivery and the longest request timeout together. */
const waitMaxSeconds = 90;
const pollMs = 200;
/** Events of the same moment may be newer by their ids. */
const eventsRead = 20;

/** False if `until` passed before the wait was over. */
export const waitForFinalDelivery = async (
  tenant: Tenant,
  { deletedAt, until, time }: { readonly deletedAt: Date; readonly until: Date; readonly time: Clock },
): Promise<boolean> => {
  const waitUntil = after(deletedAt, waitMaxSeconds);
  if (time.now() >= waitUntil) return true;
  const keys = await keysOf(tenant);
  for (let isDone = keys.length === 0; !isDone && time.now() < waitUntil; ) {
    if (time.now() >= until) return false;
    isDone = (await getAll(keys)).every(isAttempted);
    // Also after the last attempt, because the endpoint's health is recorded after it.
    await pause(pollMs);
  }
  return true;
};

const isAttempted = (delivery: WebhookDeliveryRecord | undefined): boolean =>
  delivery !== undefined && (delivery.status !== 'attempting' || delivery.attempts > 0);

/** One delivery of the deletion for each webhook that subscribes to it, created or not yet. */
const keysOf = async (tenant: Tenant) => {
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: eventPrefix, newestFirst: true, limit: eventsRead };
  const { items } = await query<StoredEvent>(range);
  const deletion = items.find(({ type }) => type === 'organization.deleted');
  const keys = [];
  if (deletion)
    for await (const webhook of webhooksOf(tenant))
      if (webhook.enabled && matchesEventFilter(webhook, deletion))
        keys.push(webhookKey.delivery(tenant, webhook.id, deliveryIdOf(deletion.id, webhook.id)));
  return keys;
};
