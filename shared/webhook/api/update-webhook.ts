/** Changing a webhook: only what is given changes, and no change is built on a state that another has replaced. */
import { type Change, iso, StaleReadError, set, type Tenant, type Write } from '../../platform/index.ts';
import type { WebhookWithHealth } from '../model/get-webhook.ts';
import { type HealthRecord, type WebhookRecord, webhookKey } from '../model/record.ts';
import { maskHeaders } from '../request/custom-headers.ts';
import { sealHeaders, sealWebhookSecret } from '../request/webhook-secrets.ts';
import { about, hostOf } from './create-webhook.ts';
import { checkInput, checkUrlAndProjects, filtersOf, type WebhookInput } from './webhook-input.ts';

/** A call that gives nothing changes nothing and leaves no trace. */
export const updateWebhook = async (
  tenant: Tenant,
  { webhook, health }: WebhookWithHealth,
  wish: WebhookInput,
  now: Date,
): Promise<{ webhook: WebhookRecord; change: Change }> => {
  const given = Object.entries(wish)
    .filter(([, value]) => value !== undefined)
    .map(([field]) => field);
  if (given.length === 0) return { webhook, change: { writes: [], audit: [] } };
  const { format, events } = checkInput(wish, webhook);
  await checkUrlAndProjects(tenant, wish, webhook);
  const attributes = {
    ...(wish.name !== undefined && { name: wish.name }),
    ...(wish.url !== undefined && { url: wish.url }),
    ...{ events, format },
    ...(await secretAttributes(tenant, webhook.id, wish.secret)),
    ...(await headerAttributes(tenant, webhook.id, wish.headers)),
    ...(wish.timeout !== undefined && { timeoutMs: wish.timeout }),
    ...(wish.retryEnabled !== undefined && { retryEnabled: wish.retryEnabled }),
    ...(wish.filters && { filters: filtersOf(wish.filters) }),
    ...(wish.enabled !== undefined && { enabled: wish.enabled }),
    // Why the service disabled it is of no more interest once somebody enabled it.
    ...(wish.enabled && { disabled: undefined }),
  };
  const changed = reviseWebhook(tenant, webhook, attributes, now);
  const isFresh = (wish.enabled === true && !webhook.enabled) || (wish.url !== undefined && wish.url !== webhook.url);
  const details = {
    name: changed.webhook.name,
    changed: given,
    ...(wish.url !== undefined && { host: hostOf(wish.url) }),
    ...(wish.events && { events }),
    ...(wish.format && { format }),
    ...(wish.headers && { headers: Object.keys(wish.headers) }),
    ...(wish.enabled !== undefined && { enabled: wish.enabled }),
  };
  return {
    webhook: changed.webhook,
    change: {
      writes: [changed.write, ...(isFresh ? resetHealth(tenant, webhook.id, health) : [])],
      audit: [{ ...about(tenant, webhook.id), details }],
    },
  };
};

/** Enabling what is enabled, or disabling what is not, changes nothing. */
export const toggleWebhook = async (
  tenant: Tenant,
  known: WebhookWithHealth,
  enabled: boolean,
  now: Date,
): Promise<{ webhook: WebhookRecord; change: Change }> =>
  updateWebhook(tenant, known, known.webhook.enabled === enabled ? {} : { enabled }, now);

/** The webhook with these attributes, those given as undefined gone. Whoever was faster makes this decision void. */
export const reviseWebhook = (
  tenant: Tenant,
  webhook: WebhookRecord,
  attributes: { readonly [K in keyof WebhookRecord]?: WebhookRecord[K] | undefined },
  now: Date,
): { webhook: WebhookRecord; write: Write } => {
  const revised = { ...attributes, revision: webhook.revision + 1, updatedAt: iso(now) };
  const entries = Object.entries({ ...webhook, ...revised }).filter(([, value]) => value !== undefined);
  return {
    webhook: Object.fromEntries(entries) as WebhookRecord,
    write: set(webhookKey.webhook(tenant, webhook.id), revised, {
      expected: { revision: webhook.revision },
      onConditionFailed: () => new StaleReadError(),
    }),
  };
};

/** A secret that is replaced by hand signs no more: what is feared to be known to others must not. */
const secretAttributes = async (tenant: Tenant, webhookId: string, secret: string | null | undefined) =>
  secret === undefined
    ? {}
    : { sealedSecret: secret === null ? undefined : await sealWebhookSecret(tenant, webhookId, secret), previous: undefined };

const headerAttributes = async (tenant: Tenant, webhookId: string, headers: WebhookInput['headers']) =>
  headers && { sealedHeaders: await sealHeaders(tenant, webhookId, headers), shownHeaders: maskHeaders(headers) };

/** An endpoint that is enabled again, or another one, has five days of its own, and earns the quick lane as a new one does. */
const resetHealth = (tenant: Tenant, webhookId: string, health: HealthRecord | undefined): readonly Write[] =>
  health?.failingSince === undefined && health?.isSlow === undefined
    ? []
    : [
        set(
          webhookKey.health(tenant, webhookId),
          { failingSince: undefined, isSlow: undefined },
          { onConditionFailed: () => new StaleReadError() },
        ),
      ];
