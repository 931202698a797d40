/** Disabling a webhook whose endpoint is gone, or has failed everything for days. */
import { type Actor, auditEntry } from '../audit/index.ts';
import { enqueue, type Task } from '../event/index.ts';
import { type OrganizationRecord, organizationKey, whileActive } from '../organization/index.ts';
import { commit, getAll, iso, log, Overtaken, set, type Tenant, type Write } from '../platform/index.ts';
import { about } from './creation.ts';
import { isDead } from './health.ts';
import { type HealthRecord, type WebhookRecord, webhookKey } from './record.ts';

export type DisablingTask = Pick<Extract<Task, { kind: 'disable-webhook' }>, 'webhookId' | 'reason' | 'failingSince'>;

/** Nobody calls the sender: what it does is the service's own doing. */
const actor: Actor = { type: 'system', id: 'webhook-sender', email: null };

/** A webhook that changes all the time is looked at again so often; the next failure asks anew. */
const triesMax = 4;

/**
 * What happened since it was told calls it off: a success, or someone who changed, disabled or removed the webhook. If it is
 * as bad as before, the next failure tells again.
 */
export const disableWebhook = async (tenant: Tenant, task: DisablingTask, toldAt: Date, now: Date): Promise<void> => {
  for (let tries = 1; ; tries++) {
    const keys = [
      organizationKey.organization(tenant),
      webhookKey.webhook(tenant, task.webhookId),
      webhookKey.health(tenant, task.webhookId),
    ];
    const [organization, webhook, health] = (await getAll(keys)) as [OrganizationRecord?, WebhookRecord?, HealthRecord?];
    if (!organization || organization.deletedAt || !webhook?.enabled || !isDue(task, webhook, health, toldAt, now)) {
      log.info('the webhook stays as it is', { webhookId: task.webhookId, reason: task.reason });
      return;
    }
    try {
      await commit(disablingWrites(tenant, webhook, task, now));
      return;
    } catch (error) {
      if (!(error instanceof Overtaken) || tries === triesMax) throw error;
    }
  }
};

/** An endpoint that answered 410 said so of the address that the webhook had then; failures are forgotten with the first success. */
const isDue = (
  { reason }: DisablingTask,
  { updatedAt }: WebhookRecord,
  health: HealthRecord | undefined,
  toldAt: Date,
  now: Date,
): boolean => (reason === 'gone' ? updatedAt <= iso(toldAt) : isDead(health?.failingSince, now));

const disablingWrites = (
  tenant: Tenant,
  { id, name, revision }: WebhookRecord,
  { reason, failingSince }: DisablingTask,
  now: Date,
): readonly Write[] => [
  set(
    webhookKey.webhook(tenant, id),
    { enabled: false, disabled: { reason, at: iso(now), failingSince }, revision: revision + 1, updatedAt: iso(now) },
    { where: { enabled: true, revision }, otherwise: () => new Overtaken() },
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
