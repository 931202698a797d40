import { meetsAccess } from '../../shared/contract/access.ts';
import { webhooks } from '../../shared/contract/endpoints/webhooks.ts';
import { listDeliveries, readDelivery } from '../../shared/delivery/index.ts';
import { handle } from '../../shared/http/index.ts';
import { organizationRef } from '../../shared/organization/index.ts';
import { log, mapConcurrent, newId, type Tenant } from '../../shared/platform/index.ts';
import {
  checkGiven,
  createWebhook,
  deleteWebhook,
  deliveryData,
  getWebhookWithHealth,
  listEventTypes,
  listWebhooks,
  openUrl,
  readWebhook,
  requestData,
  retryDelivery,
  rotateSecret as rotate,
  sendTestEvent,
  startReplay,
  toggleWebhook,
  updateWebhook,
  type WebhookDeliveryRecord,
  type WebhookInput,
  type WebhookRecord,
  webhookData,
  webhookWithSecretData,
} from '../../shared/webhook/index.ts';

export const create = handle(
  webhooks.create,
  async ({ tenant, body, now }) => {
    const { webhook, generatedSecret, change } = await createWebhook(tenant, { id: newId('webhook', now), input: body, now });
    return { data: webhookWithSecretData(webhook, undefined, { now, url: body.url, generatedSecret }), change };
  },
  { check: checkGiven },
);

export const list = handle(webhooks.list, async (call) => {
  const { webhooks: found, next } = await listWebhooks(call.tenant, call.page);
  const urls = await mapConcurrent(found, 10, ({ webhook }) => visibleUrlOrMasked(call, webhook));
  return { items: found.map(({ webhook, health }, n) => webhookData(webhook, health, urls[n])), next };
});

export const get = handle(webhooks.get, async (call) => {
  const { webhook, health } = await getWebhookWithHealth(call.tenant, call.params.webhookId);
  return { data: webhookWithSecretData(webhook, health, { now: call.now, url: await visibleUrl(call, webhook) }) };
});

export const events = handle(webhooks.events, async ({ organization, now }) => ({
  data: listEventTypes(organizationRef(organization), now),
}));

type Reader = Parameters<typeof meetsAccess>[0] & { readonly tenant: Tenant; readonly now: Date };

/** Undefined for callers who may not change webhooks: they see no tokens. */
const visibleUrl = async (caller: Reader, webhook: WebhookRecord): Promise<string | undefined> =>
  meetsAccess(caller, webhooks.update.access) ? openUrl(caller.tenant, webhook, caller.now) : undefined;

/** One URL that cannot be opened is shown masked, so that the others and the list itself stay usable. */
const visibleUrlOrMasked = (caller: Reader, webhook: WebhookRecord): Promise<string | undefined> =>
  visibleUrl(caller, webhook).catch((error: unknown) => {
    log.warn('URL of a webhook not opened', { webhookId: webhook.id, error });
    return undefined;
  });

interface UpdateCall {
  readonly tenant: Tenant;
  readonly params: { readonly webhookId: string };
  readonly body: WebhookInput;
  readonly now: Date;
}

const change = async ({ tenant, params, body, now }: UpdateCall) => {
  const current = await getWebhookWithHealth(tenant, params.webhookId);
  const changed = await updateWebhook(tenant, { current, input: body, now });
  const url = body.url ?? (await openUrl(tenant, changed.webhook, now));
  return { data: webhookWithSecretData(changed.webhook, current.health, { now, url }), change: changed.change };
};

/** PUT and PATCH mean the same. */
export const replace = handle(webhooks.replace, change, { check: checkGiven });
export const update = handle(webhooks.update, change, { check: checkGiven });

export const remove = handle(webhooks.remove, async ({ tenant, params, now }) => ({
  message: 'The webhook was deleted',
  change: deleteWebhook(tenant, await readWebhook(tenant, params.webhookId), now),
}));

export const toggle = handle(webhooks.toggle, async ({ tenant, params, body, now }) => {
  const current = await getWebhookWithHealth(tenant, params.webhookId);
  const { webhook, change } = await toggleWebhook(tenant, { current, enabled: body.enabled, now });
  return { data: webhookData(webhook), change };
});

export const rotateSecret = handle(webhooks.rotateSecret, async ({ tenant, params, body, now }) => {
  const { webhook, health } = await getWebhookWithHealth(tenant, params.webhookId);
  const { webhook: rotated, generatedSecret, change } = await rotate(tenant, { webhook, overlapHours: body.overlapHours, now });
  const url = await openUrl(tenant, rotated, now);
  return { data: webhookWithSecretData(rotated, health, { now, url, generatedSecret }), change };
});

export const test = handle(webhooks.test, async (call) =>
  sendTestEvent(call, {
    webhook: await readWebhook(call.tenant, call.params.webhookId),
    requested: call.body.event,
    now: call.now,
  }),
);

export const deliveries = handle(webhooks.deliveries, async ({ tenant, params, query, page, now }) => {
  const { id } = await readWebhook(tenant, params.webhookId);
  const { deliveries: found, next } = await listDeliveries<WebhookDeliveryRecord>(tenant, { endpointId: id, query, page, now });
  return { data: { deliveries: found.map(deliveryData) }, next };
});

export const request = handle(webhooks.request, async ({ tenant, params, now }) => {
  const { id } = await readWebhook(tenant, params.webhookId);
  return { data: requestData(await readDelivery<WebhookDeliveryRecord>(tenant, { endpointId: id, id: params.deliveryId, now })) };
});

export const retry = handle(webhooks.retry, async ({ tenant, params, now }) => {
  const webhook = await readWebhook(tenant, params.webhookId);
  const delivery = await readDelivery<WebhookDeliveryRecord>(tenant, { endpointId: webhook.id, id: params.deliveryId, now });
  return {
    data: { deliveryId: delivery.id, status: 'attempting' as const },
    change: retryDelivery(tenant, { webhook, delivery, now }),
  };
});

export const replay = handle(webhooks.replay, async ({ tenant, params, body, now }) => {
  const webhook = await readWebhook(tenant, params.webhookId);
  const { replay: started, change } = startReplay(tenant, { webhook, input: body, now });
  return { data: started, change };
});
