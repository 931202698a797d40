/** Worker of incidents: opens and closes them, creates their messages, and sends those by e-mail. A failed task is retried. */
import {
  applyAnomaly,
  applyEvent,
  applyVerification,
  assessIncidents,
  disableAlert,
  notifyAlertDisabled,
  notifyIncident,
  sendAlertEmail,
} from '../../shared/alert/index.ts';
import { consumeQueue, type TaskMessage } from '../../shared/event/index.ts';
import { clock, log, unsafeTenant } from '../../shared/platform/index.ts';

const runTask = async ({ id, organizationId, task }: TaskMessage): Promise<void> => {
  log.info('incident task started', { id, organizationId, kind: task.kind });
  const tenant = unsafeTenant(organizationId, 'record');
  switch (task.kind) {
    case 'apply-event':
      return applyEvent(tenant, task.eventId, clock.now());
    case 'apply-anomaly':
      return applyAnomaly(tenant, task.backupId, clock.now());
    case 'apply-verification':
      return applyVerification(tenant, task.backupId, clock.now());
    case 'assess-incidents':
      return assessIncidents(tenant, clock.now());
    case 'notify-incident':
      return notifyIncident(tenant, { incidentId: task.incidentId, now: clock.now() });
    case 'send-alert-email':
      return sendAlertEmail(tenant, task);
    case 'disable-alert':
      return disableAlert(tenant, task, clock.now());
    case 'notify-alert-disabled':
      return notifyAlertDisabled(tenant, task.alertId);
    default:
      throw new Error(`unexpected task "${task.kind}" on the incident queue`);
  }
};

export const handler = consumeQueue(runTask);
