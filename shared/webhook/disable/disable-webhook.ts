/** Disables a webhook whose endpoint answered 410 Gone or has failed for days. */
import { auditNote, systemAudit } from '../../audit/index.ts';
import { enqueue, type Task } from '../../event/index.ts';
import { organizationKey, whileActive } from '../../organization/index.ts';
import { commit, emitMetric, getAll, iso, log, StaleReadError, set, type Tenant, type Write } from '../../platform/index.ts';
import { isDead } from '../deliver/endpoint-health.ts';
import { type HealthRecord, type WebhookRecord, webhookKey } from '../model/record.ts';

type DisableTask = Omit<Extract<Task, { kind: 'disable-webhook' }>, 'kind'>;

/**
 * Does nothing if, since the failed attempt, a delivery succeeded or the webhook was changed, disabled or deleted. If the
 * endpoint still fails, the next final failure sends the task again.
 */
export const disableWebhook = async (tenant: Tenant, task: DisableTask, now: Date): Promise<void> => {
  const [organization, webhook, health] = await getAll([
    organizationKey.organization(tenant),
    webhookKey.webhook(tenant, task.webhookId),
    webhookKey.health(tenant, task.webhookId),
  ]);
  const isActive = organization && !organization.deletedAt;
  try {
    if (!isActive || !webhook || !isDue(task, webhook, health, now)) throw new StaleReadError();
    await commit(disableWrites(tenant, webhook, task, now));
    emitMetric('webhook disabled', { WebhooksDisabled: 1 });
  } catch (error) {
    // The webhook was changed before or concurrently.
    if (!(error instanceof StaleReadError)) throw error;
    log.info('webhook not disabled', { webhookId: task.webhookId, reason: task.reason });
  }
};

/** The first success clears the failures; a 410 is final. */
const isDue = ({ reason, revision }: DisableTask, webhook: WebhookRecord, health: HealthRecord | undefined, now: Date): boolean =>
  webhook.enabled && webhook.revision === revision && (reason === 'gone' || isDead(health?.failingSince, now));

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
  systemAudit('webhook-sender', {
    action: 'webhook.disabled',
    note: auditNote(tenant, 'webhook', id, { name, reason, failingSince }),
    now,
  }),
  enqueue(tenant, { kind: 'notify-webhook-disabled', webhookId: id }, now),
];
