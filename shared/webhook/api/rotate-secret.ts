import { after, type Change, iso, type Tenant } from '../../platform/index.ts';
import type { WebhookRecord } from '../model/record.ts';
import { newSecret, sealWebhookSecret } from '../request/webhook-secrets.ts';
import { about } from './create-webhook.ts';
import { reviseWebhook } from './update-webhook.ts';

/** A new secret; for some hours the old one signs beside it, and one that was older no more. `made` is shown this once. */
export const rotateSecret = async (
  tenant: Tenant,
  webhook: WebhookRecord,
  overlapHours: number,
  now: Date,
): Promise<{ webhook: WebhookRecord; made: string; change: Change }> => {
  const made = newSecret();
  const { sealedSecret } = webhook;
  const previous = sealedSecret && overlapHours > 0 ? { sealedSecret, until: iso(after(now, overlapHours * 3_600)) } : undefined;
  const attributes = { sealedSecret: await sealWebhookSecret(tenant, webhook.id, made), previous };
  const { webhook: rotated, write } = reviseWebhook(tenant, webhook, attributes, now);
  const details = { name: webhook.name, overlapHours };
  return { webhook: rotated, made, change: { writes: [write], audit: [{ ...about(tenant, webhook.id), details }] } };
};
