/** Reading webhooks: one, a page of them with what is known of their endpoints, or all. */
import { ApiError } from '../../contract/errors.ts';
import { isId } from '../../contract/ids.ts';
import { getAll, type Tenant, takePage, walk } from '../../platform/index.ts';
import { type HealthRecord, type WebhookRecord, webhookKey, webhookPrefix } from './record.ts';

export const noSuchWebhook = (): ApiError => new ApiError('WEBHOOK_NOT_FOUND', 'There is no such webhook');

export interface WebhookWithHealth {
  readonly webhook: WebhookRecord;
  readonly health: HealthRecord | undefined;
}

/** A webhook and what is known of its endpoint. Another's id, a malformed one and one that never was answer alike. */
export const getWebhookWithHealth = async (tenant: Tenant, id: string): Promise<WebhookWithHealth> => {
  if (!isId('webhook', id)) throw noSuchWebhook();
  const [webhook, health] = await getAll([webhookKey.webhook(tenant, id), webhookKey.health(tenant, id)]);
  if (!webhook) throw noSuchWebhook();
  return { webhook: webhook as WebhookRecord, health: health as HealthRecord | undefined };
};

/** Throws WEBHOOK_NOT_FOUND, also for what could not be an id. */
export const readWebhook = async (tenant: Tenant, id: string): Promise<WebhookRecord> =>
  (await getWebhookWithHealth(tenant, id)).webhook;

/** Newest first: their ids sort by time. */
export const listWebhooks = async (
  tenant: Tenant,
  { limit, after }: { readonly limit: number; readonly after: string | undefined },
): Promise<{ webhooks: readonly WebhookWithHealth[]; next: string | undefined }> => {
  const range = { ...rangeOf(tenant), newestFirst: true, after, limit: limit + 1 };
  const { items, next } = await takePage(walk(range), limit);
  const found = items as readonly WebhookRecord[];
  const health = await getAll(found.map(({ id }) => webhookKey.health(tenant, id)));
  return { webhooks: found.map((webhook, n) => ({ webhook, health: health[n] as HealthRecord | undefined })), next };
};

/** All of an organization, enabled or not. */
export async function* webhooksOf(tenant: Tenant): AsyncGenerator<WebhookRecord> {
  for await (const item of walk(rangeOf(tenant))) yield item as WebhookRecord;
}

const rangeOf = (tenant: Tenant) => ({ pk: webhookKey.webhook(tenant, '').pk, prefix: webhookPrefix });
