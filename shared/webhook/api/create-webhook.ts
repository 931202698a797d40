/** Adding a webhook, and keeping count of them. */
import { ApiError } from '../../contract/errors.ts';
import { webhookTimeoutMs } from '../../contract/limits.ts';
import { noSuchOrganization, organizationKey } from '../../organization/index.ts';
import { type Change, create, env, get, iso, type Tenant, type Write } from '../../platform/index.ts';
import { type WebhookRecord, webhookKey } from '../model/record.ts';
import { maskHeaders } from '../request/custom-headers.ts';
import { newSecret, sealHeaders, sealWebhookSecret } from '../request/webhook-secrets.ts';
import { checkInput, checkUrlAndProjects, filtersOf, type WebhookInput } from './webhook-input.ts';

type Creation = WebhookInput & { readonly name: string; readonly url: string; readonly events: readonly string[] };

/** `made` is the secret, if one had to be made: this is the only time that anyone sees it. */
export const createWebhook = async (
  tenant: Tenant,
  id: string,
  wish: Creation,
  now: Date,
): Promise<{ webhook: WebhookRecord; made: string | undefined; change: Change }> => {
  const { format, events } = checkInput(wish);
  await checkUrlAndProjects(tenant, wish);
  const { name, url, headers = {}, enabled = true } = wish;
  const made = format === 'standard' && !wish.secret ? newSecret() : undefined;
  const secret = wish.secret ?? made;
  const [sealedSecret, sealedHeaders] = await Promise.all([
    secret === undefined ? undefined : sealWebhookSecret(tenant, id, secret),
    sealHeaders(tenant, id, headers),
  ]);
  const webhook: WebhookRecord = {
    ...webhookKey.webhook(tenant, id),
    ...{ id, name, url, events, enabled, format },
    ...(sealedSecret && { sealedSecret }),
    ...(sealedHeaders && { sealedHeaders }),
    shownHeaders: maskHeaders(headers),
    timeoutMs: wish.timeout ?? webhookTimeoutMs,
    retryEnabled: wish.retryEnabled ?? true,
    filters: filtersOf(wish.filters ?? {}),
    revision: 1,
    createdAt: iso(now),
    updatedAt: iso(now),
  };
  const details = { name, host: hostOf(url), events, format, enabled, headers: Object.keys(headers) };
  return {
    webhook,
    made,
    change: { writes: [create(webhook), countWebhook(tenant)], audit: [{ ...about(tenant, id), details }] },
  };
};

export const about = ({ organizationId }: Tenant, id: string) => ({
  scope: organizationId,
  resource: { type: 'webhook', id },
});

/** All that a log may say of an address: the rest of it is often as good as a password. */
export const hostOf = (url: string): string => new URL(url).host;

const active = 'attribute_exists(pk) AND attribute_not_exists(deletedAt)';

/** One more, of an organization that is there and has room. */
const countWebhook = (tenant: Tenant, max = Number(env('WEBHOOKS_PER_ORGANIZATION'))): Write => ({
  update: organizationKey.organization(tenant),
  expression: 'ADD webhookCount :one',
  condition: `${active} AND (attribute_not_exists(webhookCount) OR webhookCount < :max)`,
  values: { ':one': 1, ':max': max },
  onConditionFailed: async () => {
    const found = await get(organizationKey.organization(tenant));
    return found && found.deletedAt === undefined
      ? new ApiError('CONFLICT', `An organization has at most ${max} webhooks`, { max })
      : noSuchOrganization();
  },
});

/** One less. */
export const uncountWebhook = (tenant: Tenant): Write => ({
  update: organizationKey.organization(tenant),
  expression: 'ADD webhookCount :less',
  condition: active,
  values: { ':less': -1 },
  onConditionFailed: noSuchOrganization,
});
