/**
 * A webhook as the API shows it. It cannot leak a secret, because the record holds only encrypted ones. Tokens in its URL are masked
 * unless the whole URL is passed, for a caller who may change webhooks.
 */
import type * as z from 'zod/mini';
import type { Webhook, WebhookWithSecret } from '../contract/models/webhook.ts';
import type { HealthRecord } from '../delivery/index.ts';
import { secretMask } from '../platform/index.ts';
import type { WebhookRecord } from './model/record.ts';
import { maskUrl } from './request/mask-url.ts';
import { isPreviousValid } from './request/webhook-secrets.ts';

export const webhookData = (
  webhook: WebhookRecord,
  health?: HealthRecord,
  url: string = maskUrl(webhook.url),
): z.input<typeof Webhook> => {
  const { projects, trigger, excludeTrigger } = webhook.filters;
  return {
    id: webhook.id,
    name: webhook.name,
    url,
    events: [...webhook.events],
    enabled: webhook.enabled,
    format: webhook.format,
    headers: { ...webhook.shownHeaders },
    timeout: webhook.timeoutMs,
    retryEnabled: webhook.retryEnabled,
    filters: { projects: [...projects], trigger: [...trigger], excludeTrigger: [...excludeTrigger] },
    disabledReason: webhook.disabled?.reason ?? null,
    lastTriggeredAt: health?.lastTriggeredAt ?? null,
    failingSince: health?.failingSince ?? null,
    failureCount: health?.failingSince === undefined ? 0 : (health.failureCount ?? 1),
    createdAt: webhook.createdAt,
    updatedAt: webhook.updatedAt,
  };
};

interface ShownSecrets {
  readonly now: Date;
  /** The whole URL, if the caller may see it. */
  readonly url?: string | undefined;
  /** Shown once, in the response to the call that generated it. */
  readonly generatedSecret?: string | undefined;
}

export const webhookWithSecretData = (
  webhook: WebhookRecord,
  health: HealthRecord | undefined,
  { now, url, generatedSecret }: ShownSecrets,
): z.input<typeof WebhookWithSecret> => ({
  ...webhookData(webhook, health, url),
  secret: generatedSecret ?? (webhook.sealedSecret ? secretMask : null),
  previousSecretExpiresAt: (isPreviousValid(webhook.previous, now) && webhook.previous?.until) || null,
});
