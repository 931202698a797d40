import { webhooks } from '../../shared/contract/endpoints/webhooks.ts';
import { handle } from '../../shared/http/index.ts';
import { newId, type Tenant } from '../../shared/platform/index.ts';
import {
  createWebhook,
  deleteWebhook,
  deliveryData,
  getWebhookWithHealth,
  listDeliveries,
  listWebhooks,
  readDelivery,
  readWebhook,
  requestData,
  retryDelivery,
  rotateSecret as rotate,
  sendTestEvent,
  startReplay,
  toggleWebhook,
  updateWebhook,
  type WebhookInput,
  webhookData,
  webhookWithSecretData,
} from '../../shared/webhook/index.ts';

export const create = handle(webhooks.create, async ({ tenant, body, now }) => {
  const { webhook, generatedSecret, change } = await createWebhook(tenant, newId('webhook', now), body, now);
  return { data: webhookWithSecretData(webhook, undefined, now, generatedSecret), change };
});

export const list = handle(webhooks.list, async ({ tenant, page }) => {
  const { webhooks: found, next } = await listWebhooks(tenant, page);
  return { items: found.map(({ webhook, health }) => webhookData(webhook, health)), next };
});

export const get = handle(webhooks.get, async ({ tenant, params, now }) => {
  const { webhook, health } = await getWebhookWithHealth(tenant, params.webhookId);
  return { data: webhookWithSecretData(webhook, health, now) };
});

interface UpdateCall {
  readonly tenant: Tenant;
  readonly params: { readonly webhookId: string };
  readonly body: WebhookInput;
  readonly now: Date;
}

const change = async ({ tenant, params, body, now }: UpdateCall) => {
  const current = await getWebhookWithHealth(tenant, params.webhookId);
  const changed = await updateWebhook(tenant, current, body, now);
  return { data: webhookWithSecretData(changed.webhook, current.health, now), change: changed.change };
};

/** PUT and PATCH mean the same. */
export const replace = handle(webhooks.replace, change);
export const update = handle(webhooks.update, change);

export const remove = handle(webhooks.remove, async ({ tenant, params, now }) => ({
  message: 'The webhook was deleted',
  change: deleteWebhook(tenant, await readWebhook(tenant, params.webhookId), now),
}));

export const toggle = handle(webhooks.toggle, async ({ tenant, params, body, now }) => {
  const current = await getWebhookWithHealth(tenant, params.webhookId);
  const { webhook, change } = await toggleWebhook(tenant, current, body.enabled, now);
  return { data: webhookData(webhook), change };
});

export const rotateSecret = handle(webhooks.rotateSecret, async ({ tenant, params, body, now }) => {
  const { webhook, health } = await getWebhookWithHealth(tenant, params.webhookId);
  const { webhook: rotated, generatedSecret, change } = await rotate(tenant, webhook, body.overlapHours, now);
  return { data: webhookWithSecretData(rotated, health, now, generatedSecret), change };
});

export const test = handle(webhooks.test, async (call) =>
  sendTestEvent(call, await readWebhook(call.tenant, call.params.webhookId), call.body.event, call.now),
);

export const deliveries = handle(webhooks.deliveries, async ({ tenant, params, query, page, now }) => {
  const { id } = await readWebhook(tenant, params.webhookId);
  const { deliveries: found, next } = await listDeliveries(tenant, id, query, page, now);
  return { data: { deliveries: found.map(deliveryData) }, next };
});

export const request = handle(webhooks.request, async ({ tenant, params, now }) => {
  const { id } = await readWebhook(tenant, params.webhookId);
  return { data: requestData(await readDelivery(tenant, id, params.deliveryId, now)) };
});

export const retry = handle(webhooks.retry, async ({ tenant, params, now }) => {
  const webhook = await readWebhook(tenant, params.webhookId);
  const delivery = await readDelivery(tenant, webhook.id, params.deliveryId, now);
  return {
    data: { deliveryId: delivery.id, status: 'attempting' as const },
    change: retryDelivery(tenant, webhook, delivery, now),
  };
});

export const replay = handle(webhooks.replay, async ({ tenant, params, body, now }) => {
  const webhook = await readWebhook(tenant, params.webhookId);
  const { replay: started, change } = startReplay(tenant, webhook, body, now);
  return { data: started, change };
});
