import { get, type Tenant } from '../../platform/index.ts';
import { webhookKey } from '../../webhook/index.ts';
import { applySignal } from './apply-signal.ts';

/** Opens the incident of a webhook that the service has disabled. Does nothing if it was enabled or deleted meanwhile. */
export const applyDisabledWebhook = async (tenant: Tenant, webhookId: string, now: Date): Promise<void> => {
  const webhook = await get(webhookKey.webhook(tenant, webhookId));
  if (!webhook?.disabled || webhook.enabled) return;
  const { name, disabled } = webhook;
  await applySignal(
    tenant,
    {
      state: 'failed',
      kind: 'webhook_disabled',
      subject: { type: 'webhook', id: webhookId, name },
      project: null,
      at: disabled.at,
      source: `${webhookId} ${disabled.at}`,
      message:
        disabled.reason === 'gone'
          ? `Webhook ${name} was disabled, because its endpoint answered 410`
          : `Webhook ${name} was disabled, because all its deliveries failed for days`,
      facts: [{ name: 'Webhook', value: name }],
      page: `/webhooks/${webhookId}`,
    },
    now,
  );
};
