import { auditNote } from '../../audit/index.ts';
import { resetHealth } from '../../delivery/index.ts';
import { enqueue } from '../../event/index.ts';
import { type Change, iso, omitUndefined, StaleReadError, set, type Tenant, type Write } from '../../platform/index.ts';
import type { WebhookWithHealth } from '../model/get-webhook.ts';
import { type WebhookRecord, webhookKey } from '../model/record.ts';
import { maskHeaders } from '../request/custom-headers.ts';
import { hasPlainToken, openUrl, sealHeaders, sealWebhookSecret, urlAttributes } from '../request/webhook-secrets.ts';
import { hostOf } from './create-webhook.ts';
import { checkInput, checkUrlAndProjects, filtersOf, type WebhookInput } from './webhook-input.ts';

/** Changes the given fields. An empty input writes nothing, not even an audit entry. */
export const updateWebhook = async (
  tenant: Tenant,
  {
    current: { webhook, health },
    input,
    now,
  }: { readonly current: WebhookWithHealth; readonly input: WebhookInput; readonly now: Date },
): Promise<{ webhook: WebhookRecord; change: Change }> => {
  const given = Object.keys(omitUndefined(input));
  if (given.length === 0) return { webhook, change: { writes: [], audit: [] } };
  const { format, events } = checkInput(input, webhook);
  await checkUrlAndProjects(tenant, input, webhook);
  const attributes = {
    ...omitUndefined({ name: input.name, retryEnabled: input.retryEnabled, enabled: input.enabled }),
    ...omitUndefined({ timeoutMs: input.timeout, filters: input.filters && filtersOf(input.filters, webhook.filters) }),
    events,
    format,
    ...(await changedUrl(tenant, webhook, input.url)),
    ...(await secretAttributes(tenant, webhook.id, input.secret)),
    ...(await headerAttributes(tenant, webhook.id, input.headers)),
    // Enabling clears the reason for which the service disabled it.
    ...(input.enabled && { disabled: undefined }),
  };
  const changed = reviseWebhook(tenant, { webhook, attributes, now });
  const isMoved = input.url !== undefined && input.url !== (await openUrl(tenant, webhook, now));
  const needsReset = (input.enabled === true && !webhook.enabled) || isMoved;
  const isDisabled = input.enabled === false && webhook.enabled;
  const details = {
    name: changed.webhook.name,
    changed: given,
    host: input.url && hostOf(input.url),
    events: input.events && events,
    format: input.format,
    headers: input.headers && Object.keys(input.headers),
    enabled: input.enabled,
  };
  return {
    webhook: changed.webhook,
    change: {
      writes: [
        changed.write,
        ...(needsReset ? resetHealth(tenant, webhook.id, health) : []),
        // Its incidents may be over.
        ...(needsReset || isDisabled ? [enqueue(tenant, { kind: 'apply-webhook', webhookId: webhook.id }, now)] : []),
      ],
      audit: [auditNote(tenant, { type: 'webhook', id: webhook.id, details })],
    },
  };
};

/** Setting the current value changes nothing. */
export const toggleWebhook = async (
  tenant: Tenant,
  { current, enabled, now }: { readonly current: WebhookWithHealth; readonly enabled: boolean; readonly now: Date },
): Promise<{ webhook: WebhookRecord; change: Change }> =>
  updateWebhook(tenant, { current, input: current.webhook.enabled === enabled ? {} : { enabled }, now });

/** Sets the attributes and removes those given as undefined. Optimistic lock on `revision`. */
export const reviseWebhook = (
  tenant: Tenant,
  {
    webhook,
    attributes,
    now,
  }: {
    readonly webhook: WebhookRecord;
    readonly attributes: { readonly [K in keyof WebhookRecord]?: WebhookRecord[K] | undefined };
    readonly now: Date;
  },
): { webhook: WebhookRecord; write: Write } => {
  const revised = { ...attributes, revision: webhook.revision + 1, updatedAt: iso(now) };
  return {
    webhook: omitUndefined({ ...webhook, ...revised }) as WebhookRecord,
    write: set(webhookKey.webhook(tenant, webhook.id), revised, {
      expected: { revision: webhook.revision },
      onConditionFailed: () => new StaleReadError(),
    }),
  };
};

/** Any change of a record that still holds a token in plain seals it. */
const changedUrl = async (tenant: Tenant, webhook: WebhookRecord, url: string | undefined) => {
  if (url !== undefined) return urlAttributes(tenant, webhook.id, url);
  return hasPlainToken(webhook) ? urlAttributes(tenant, webhook.id, webhook.url) : {};
};

/** A secret replaced by hand stops signing at once, without overlap: it may have leaked. */
const secretAttributes = async (tenant: Tenant, webhookId: string, secret: string | null | undefined) =>
  secret === undefined
    ? {}
    : { sealedSecret: secret === null ? undefined : await sealWebhookSecret(tenant, webhookId, secret), previous: undefined };

const headerAttributes = async (tenant: Tenant, webhookId: string, headers: WebhookInput['headers']) =>
  headers && { sealedHeaders: await sealHeaders(tenant, webhookId, headers), shownHeaders: maskHeaders(headers) };
