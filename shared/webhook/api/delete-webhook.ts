import { deliveryKeptSeconds } from '../../contract/limits.ts';
import { after, type Change, epochSeconds, remove, type Tenant } from '../../platform/index.ts';
import { noSuchWebhook } from '../model/get-webhook.ts';
import { type WebhookRecord, webhookKey } from '../model/record.ts';
import { about, hostOf, uncountWebhook } from './create-webhook.ts';

/**
 * Nothing more is sent from here on; what was delivered can no longer be asked for, and ends by itself. The purge of the
 * organization, which must not wait for that, is left a trace.
 */
export const deleteWebhook = (tenant: Tenant, { id, name, url }: WebhookRecord, now: Date): Change => ({
  writes: [
    remove(webhookKey.webhook(tenant, id), noSuchWebhook),
    { remove: webhookKey.health(tenant, id) },
    { put: { ...webhookKey.removed(tenant, id), id, ttl: epochSeconds(after(now, deliveryKeptSeconds)) } },
    uncountWebhook(tenant),
  ],
  audit: [{ ...about(tenant, id), details: { name, host: hostOf(url) } }],
});
