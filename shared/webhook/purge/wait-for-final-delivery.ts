/** The last event of an organization is that it is deleted. Its webhooks stay until that was sent once, but not for long. */
import { setTimeout as pause } from 'node:timers/promises';
import { eventPrefix } from '../../event/index.ts';
import { after, type Clock, getAll, query, type Tenant } from '../../platform/index.ts';
import { deliveryIdOf } from '../model/delivery-id.ts';
import { matches } from '../model/event-filter.ts';
import { webhooksOf } from '../model/get-webhook.ts';
import { type DeliveryRecord, type StoredEvent, webhookKey } from '../model/record.ts';

/** Longer than an endpoint may take to answer, and its delivery to be made. */
const patienceSeconds = 90;
const lookEveryMs = 200;
/** What happened at the same moment may stand behind it. */
const lookedAt = 20;

/** Whether nobody is to be waited for any more; false if the time given was over before. */
export const waitForFinalDelivery = async (tenant: Tenant, deletedAt: Date, until: Date, time: Clock): Promise<boolean> => {
  const patientUntil = after(deletedAt, patienceSeconds);
  if (time.now() >= patientUntil) return true;
  const keys = await keysOf(tenant);
  for (let isTold = keys.length === 0; !isTold && time.now() < patientUntil; ) {
    if (time.now() >= until) return false;
    isTold = (await getAll(keys)).every(isTried);
    // After the last attempt, too: what it tells of its endpoint is noted behind it.
    await pause(lookEveryMs);
  }
  return true;
};

const isTried = (delivery: DeliveryRecord | undefined): boolean =>
  delivery !== undefined && (delivery.status !== 'attempting' || delivery.attempts > 0);

/** The deliveries of the deletion: of each webhook that hears of it one, made or not yet. */
const keysOf = async (tenant: Tenant) => {
  const range = { pk: `ORG#${tenant.organizationId}`, prefix: eventPrefix, newestFirst: true, limit: lookedAt };
  const events = (await query(range)).items as unknown as readonly StoredEvent[];
  const deletion = events.find(({ type }) => type === 'organization.deleted');
  const keys = [];
  if (deletion)
    for await (const webhook of webhooksOf(tenant))
      if (webhook.enabled && matches(webhook, deletion))
        keys.push(webhookKey.delivery(tenant, webhook.id, deliveryIdOf(deletion.id, webhook.id)));
  return keys;
};
