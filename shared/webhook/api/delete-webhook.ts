import { auditNote } from '../../audit/index.ts';
import { deliveryKeptSeconds } from '../../contract/limits.ts';
import { enqueue } from '../../event/index.ts';
import { countOf } from '../../organization/index.ts';
import { after, type Change, epochSeconds, remove, type Tenant } from '../../platform/index.ts';
import { noSuchWebhook } from '../model/get-webhook.ts';
import { type WebhookRecord, webhookKey } from '../model/record.ts';
import { hostOf } from './create-webhook.ts';

/** Its deliveries are no longer accessible and expire by themselves. The `removed` item leads the organization's purge to them. */
export const deleteWebhook = (tenant: Tenant, { id, name, url }: WebhookRecord, now: Date): Change => ({
  writes: [
    remove(webhookKey.webhook(tenant, id), noSuchWebhook),
    { remove: webhookKey.health(tenant, id) },
    { put: { ...webhookKey.removed(tenant, id), id, ttl: epochSeconds(after(now, deliveryKeptSeconds)) } },
    countOf(tenant, { counter: 'webhookCount', amount: -1 }),
    enqueue(tenant, { kind: 'apply-webhook', webhookId: id }, now),
  ],
  audit: [auditNote(tenant, { type: 'webhook', id, details: { name, host: hostOf(url) } })],
});
