import { auditNote } from '../../audit/index.ts';
import { after, type Change, iso, type Tenant } from '../../platform/index.ts';
import type { WebhookRecord } from '../model/record.ts';
import { hasPlainToken, newSecret, sealWebhookSecret, urlAttributes } from '../request/webhook-secrets.ts';
import { reviseWebhook } from './update-webhook.ts';

/** The previous secret keeps signing for `overlapHours`, an older one stops. `generatedSecret` is shown only in this response. */
export const rotateSecret = async (
  tenant: Tenant,
  { webhook, overlapHours, now }: { readonly webhook: WebhookRecord; readonly overlapHours: number; readonly now: Date },
): Promise<{ webhook: WebhookRecord; generatedSecret: string; change: Change }> => {
  const generatedSecret = newSecret();
  const { sealedSecret } = webhook;
  const previous = sealedSecret && overlapHours > 0 ? { sealedSecret, until: iso(after(now, overlapHours * 3_600)) } : undefined;
  const attributes = {
    sealedSecret: await sealWebhookSecret(tenant, webhook.id, generatedSecret),
    previous,
    ...(hasPlainToken(webhook) && (await urlAttributes(tenant, webhook.id, webhook.url))),
  };
  const { webhook: rotated, write } = reviseWebhook(tenant, { webhook, attributes, now });
  const audit = [auditNote(tenant, { type: 'webhook', id: webhook.id, details: { name: webhook.name, overlapHours } })];
  return { webhook: rotated, generatedSecret, change: { writes: [write], audit } };
};
