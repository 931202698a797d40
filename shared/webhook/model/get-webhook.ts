import { ApiError } from '../../contract/errors.ts';
import { isId } from '../../contract/ids.ts';
import type { HealthRecord } from '../../delivery/index.ts';
import { getAll, type Tenant, takePage, walk } from '../../platform/index.ts';
import { type WebhookRecord, webhookKey, webhookPrefix } from './record.ts';

export const noSuchWebhook = (): ApiError => new ApiError('WEBHOOK_NOT_FOUND', 'Webhook not found');

export interface WebhookWithHealth {
  readonly webhook: WebhookRecord;
  readonly health: HealthRecord | undefined;
}

/** Throws WEBHOOK_NOT_FOUND, also for a malformed id and for a webhook of another organization. */
export const getWebhookWithHealth = async (tenant: Tenant, id: string): Promise<WebhookWithHealth> => {
  if (!isId('webhook', id)) throw noSuchWebhook();
  const [webhook, health] = await getAll([webhookKey.webhook(tenant, id), webhookKey.health(tenant, id)]);
  if (!webhook) throw noSuchWebhook();
  return { webhook, health };
};

export const readWebhook = async (tenant: Tenant, id: string): Promise<WebhookRecord> =>
  (await getWebhookWithHealth(tenant, id)).webhook;

/** Newest first: ids sort by time. */
export const listWebhooks = async (
  tenant: Tenant,
  { limit, after }: { readonly limit: number; readonly after: string | undefined },
): Promise<{ webhooks: readonly WebhookWithHealth[]; next: string | undefined }> => {
  const range = { ...rangeOf(tenant), newestFirst: true, after, limit: limit + 1 };
  const { items, next } = await takePage(walk<WebhookRecord>(range), limit);
  const health = await getAll(items.map(({ id }) => webhookKey.health(tenant, id)));
  return { webhooks: items.map((webhook, n) => ({ webhook, health: health[n] })), next };
};

/** All webhooks of an organization, enabled or not. */
export const webhooksOf = (tenant: Tenant): AsyncGenerator<WebhookRecord> => walk<WebhookRecord>(rangeOf(tenant));

const rangeOf = (tenant: Tenant) => ({ pk: webhookKey.webhook(tenant, '').pk, prefix: webhookPrefix });
