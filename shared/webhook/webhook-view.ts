/** A webhook as the API shows it. It cannot leak a secret, because the record holds only encrypted ones. */
import type * as z from 'zod';
import type { Webhook, WebhookWithSecret } from '../contract/models/webhook.ts';
import { secretMask } from '../platform/index.ts';
import type { HealthRecord, WebhookRecord } from './model/record.ts';
import { isPreviousValid } from './request/webhook-secrets.ts';

export const webhookData = (webhook: WebhookRecord, health?: HealthRecord): z.input<typeof Webhook> => {
  const { projects, trigger, excludeTrigger } = webhook.filters;
  return {
    id: webhook.id,
    name: webhook.name,
    url: webhook.url,
    events: [...webhook.events],
    enabled: webhook.enabled,
    format: webhook.format,
    headers: { ...webhook.shownHeaders },
    timeout: webhook.timeoutMs,
    retryEnabled: webhook.retryEnabled,
    filters: { projects: [...projects], trigger: [...trigger], excludeTrigger: [...excludeTrigger] },
    disabledReason: webhook.disabled?.reason ?? null,
    lastTriggeredAt: health?.lastTriggeredAt ?? null,
    createdAt: webhook.createdAt,
    updatedAt: webhook.updatedAt,
  };
};

/** `generatedSecret` is shown once, in the response to the call that generated it. */
export const webhookWithSecretData = (
  webhook: WebhookRecord,
  health: HealthRecord | undefined,
  now: Date,
  generatedSecret?: string,
): z.input<typeof WebhookWithSecret> => ({
  ...webhookData(webhook, health),
  secret: generatedSecret ?? (webhook.sealedSecret ? secretMask : null),
  previousSecretExpiresAt: (isPreviousValid(webhook.previous, now) && webhook.previous?.until) || null,
});
