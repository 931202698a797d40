/** Disabling a webhook whose endpoint is gone, or has failed everything for days. */
import { type Actor, auditEntry } from '../../audit/index.ts';
import { enqueue, type Task } from '../../event/index.ts';
import { organizationKey, whileActive } from '../../organization/index.ts';
import { commit, emitMetric, getAll, iso, log, StaleReadError, set, type Tenant, type Write } from '../../platform/index.ts';
import { about } from '../api/create-webhook.ts';
import { isDead } from '../deliver/endpoint-health.ts';
import { type HealthRecord, type WebhookRecord, webhookKey } from '../model/record.ts';

export type DisableTask = Omit<Extract<Task, { kind: 'disable-webhook' }>, 'kind'>;

/** Nobody calls the sender: what it does is the service's own doing. */
const actor: Actor = { type: 'system', id: 'webhook-sender', email: null };

/**
 * What happened since the request was made calls it off: a success, or someone who changed, disabled or removed the webhook. An
 * answer speaks of the webhook that it was asked as. If it is as bad as before, the next delivery that fails for good tells again.
 */
export const disableWebhook = async (tenant: Tenant, task: DisableTask, now: Date): Promise<void> => {
  const keys = [
    organizationKey.organization(tenant),
    webhookKey.webhook(tenant, task.webhookId),
    webhookKey.health(tenant, task.webhookId),
  ] as const;
  const [organization, webhook, health] = await getAll(keys);
  const isThere = organization && !organization.deletedAt;
  const isDone = isThere && webhook && isDue(task, webhook, health, now) && (await happens(tenant, webhook, task, now));
  if (!isDone) return log.info('the webhook stays as it is', { webhookId: task.webhookId, reason: task.reason });
  emitMetric('a webhook was disabled', { WebhooksDisabled: 1 });
};

/** Failures are forgotten with the first success; a 410 is not taken back. */
const isDue = ({ reason, revision }: DisableTask, webhook: WebhookRecord, health: HealthRecord | undefined, now: Date): boolean =>
  webhook.enabled && webhook.revision === revision && (reason === 'gone' || isDead(health?.failingSince, now));

/** False if someone changed the webhook at the same moment. */
const happens = async (...what: Parameters<typeof disableWrites>): Promise<boolean> => {
  try {
    await commit(disableWrites(...what));
    return true;
  } catch (error) {
    if (error instanceof StaleReadError) return false;
    throw error;
  }
};

const disableWrites = (
  tenant: Tenant,
  { id, name, revision }: WebhookRecord,
  { reason, failingSince }: DisableTask,
  now: Date,
): readonly Write[] => [
  set(
    webhookKey.webhook(tenant, id),
    { enabled: false, disabled: { reason, at: iso(now), failingSince }, revision: revision + 1, updatedAt: iso(now) },
    { expected: { enabled: true, revision }, onConditionFailed: () => new StaleReadError() },
  ),
  whileActive(tenant),
  auditEntry(
    'webhook.disabled',
    { ...about(tenant, id), details: { name, reason, failingSince } },
    actor,
    { ip: null, userAgent: null, requestId: id },
    now,
  ),
  enqueue(tenant, { kind: 'tell-disabled', webhookId: id }, now),
];
