/** Disables an alert whose address no longer exists or has failed for days, as the service does with webhooks. */
import { auditNote, systemAudit } from '../../audit/index.ts';
import { enqueue, type Task } from '../../event/index.ts';
import { organizationKey, whileActive } from '../../organization/index.ts';
import { commit, emitMetric, getAll, iso, log, StaleReadError, set, type Tenant } from '../../platform/index.ts';
import { isDead } from '../../webhook/index.ts';
import { alertKey } from '../model/record.ts';

type DisableTask = Omit<Extract<Task, { kind: 'disable-alert' }>, 'kind'>;

/** Does nothing if, since the failed attempt, a message arrived or the alert was changed, disabled or deleted. */
export const disableAlert = async (tenant: Tenant, task: DisableTask, now: Date): Promise<void> => {
  const { alertId, reason, failingSince, revision } = task;
  const key = alertKey.alert(tenant, alertId);
  const [organization, alert, health] = await getAll([
    organizationKey.organization(tenant),
    key,
    alertKey.health(tenant, alertId),
  ]);
  const isDue = alert?.enabled && alert.revision === revision && (reason === 'gone' || isDead(health?.failingSince, now));
  try {
    if (!organization || organization.deletedAt || !isDue) throw new StaleReadError();
    const disabled = { reason, at: iso(now), failingSince };
    await commit([
      set(
        key,
        { enabled: false, disabled, revision: revision + 1, updatedAt: iso(now) },
        { expected: { enabled: true, revision }, onConditionFailed: () => new StaleReadError() },
      ),
      whileActive(tenant),
      systemAudit('alert-sender', {
        action: 'alert.disabled',
        note: auditNote(tenant, 'alert', alertId, { name: alert.name, channel: alert.channel, reason, failingSince }),
        now,
      }),
      enqueue(tenant, { kind: 'notify-alert-disabled', alertId }, now),
    ]);
    emitMetric('alert disabled', { AlertsDisabled: 1 });
  } catch (error) {
    if (!(error instanceof StaleReadError)) throw error;
    log.info('alert not disabled', { alertId, reason });
  }
};
