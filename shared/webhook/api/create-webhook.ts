import { auditNote } from '../../audit/index.ts';
import { webhookTimeoutMs } from '../../contract/limits.ts';
import { countLimit, countOf } from '../../organization/index.ts';
import { type Change, create, iso, omitUndefined, type Tenant } from '../../platform/index.ts';
import { type WebhookRecord, webhookKey } from '../model/record.ts';
import { maskHeaders } from '../request/custom-headers.ts';
import { newSecret, sealHeaders, sealWebhookSecret, urlAttributes } from '../request/webhook-secrets.ts';
import { checkInput, checkUrlAndProjects, filtersOf, type WebhookInput } from './webhook-input.ts';

type NewWebhook = WebhookInput & { readonly name: string; readonly url: string; readonly events: readonly string[] };

/** `generatedSecret` is set if the caller gave none. It is shown only in this response. */
export const createWebhook = async (
  tenant: Tenant,
  { id, input, now }: { readonly id: string; readonly input: NewWebhook; readonly now: Date },
): Promise<{ webhook: WebhookRecord; generatedSecret: string | undefined; change: Change }> => {
  const { format, events } = checkInput(input);
  await checkUrlAndProjects(tenant, input);
  const { name, url, headers = {}, enabled = true } = input;
  const generatedSecret = format === 'standard' && !input.secret ? newSecret() : undefined;
  const secret = input.secret ?? generatedSecret;
  const [sealedSecret, sealedHeaders, { url: shownUrl, sealedUrl }] = await Promise.all([
    secret === undefined ? undefined : sealWebhookSecret(tenant, id, secret),
    sealHeaders(tenant, id, headers),
    urlAttributes(tenant, id, url),
  ]);
  const webhook: WebhookRecord = {
    ...webhookKey.webhook(tenant, id),
    id,
    name,
    url: shownUrl,
    events,
    enabled,
    format,
    ...omitUndefined({ sealedUrl, sealedSecret, sealedHeaders }),
    shownHeaders: maskHeaders(headers),
    timeoutMs: input.timeout ?? webhookTimeoutMs,
    retryEnabled: input.retryEnabled ?? true,
    filters: filtersOf(input.filters ?? {}),
    revision: 1,
    createdAt: iso(now),
    updatedAt: iso(now),
  };
  const details = { name, host: hostOf(url), events, format, enabled, headers: Object.keys(headers) };
  return {
    webhook,
    generatedSecret,
    change: {
      writes: [create(webhook), countOf(tenant, { counter: 'webhookCount', amount: 1, limit: countLimit('webhooks') })],
      audit: [auditNote(tenant, { type: 'webhook', id, details })],
    },
  };
};

/** The part of a URL that may be logged: the rest often contains a token. */
export const hostOf = (url: string): string => new URL(url).host;
