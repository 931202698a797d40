import { getAll, type Tenant } from '../../platform/index.ts';
import { webhookKey } from '../../webhook/index.ts';
import { applySignal } from './apply-signal.ts';
import { signalsOfWebhook } from './signals-of-webhook.ts';

/** Opens or closes the incidents of a webhook, as its records say now. */
export const applyWebhook = async (tenant: Tenant, webhookId: string, now: Date): Promise<void> => {
  const [webhook, health] = await getAll([webhookKey.webhook(tenant, webhookId), webhookKey.health(tenant, webhookId)]);
  for (const signal of signalsOfWebhook(webhookId, { webhook, health }, now)) await applySignal(tenant, signal, now);
};
