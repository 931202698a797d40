import { type Change, remove, type Tenant } from '../platform/index.ts';
import { about, hostOf, uncountWebhook } from './creation.ts';
import { noSuchWebhook } from './read.ts';
import { type WebhookRecord, webhookKey } from './record.ts';

/** Nothing more is sent from here on; what was delivered can no longer be asked for, and ends by itself. */
export const removeWebhook = (tenant: Tenant, { id, name, url }: WebhookRecord): Change => ({
  writes: [
    remove(webhookKey.webhook(tenant, id), noSuchWebhook),
    { remove: webhookKey.health(tenant, id) },
    uncountWebhook(tenant),
  ],
  audit: [{ ...about(tenant, id), details: { name, host: hostOf(url) } }],
});
