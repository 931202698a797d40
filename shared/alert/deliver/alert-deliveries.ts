import type { DeliveryKind } from '../../delivery/index.ts';
import { bestEffort, iso, set, updateItem } from '../../platform/index.ts';
import { alertAttempt, queueAlertAttempt } from '../model/alert-attempt.ts';
import { type AlertDeliveryRecord, type AlertRecord, alertKey } from '../model/record.ts';

export const alertDeliveries: DeliveryKind<AlertRecord, AlertDeliveryRecord> = {
  endpoint: 'alert',
  delivery: 'message',
  counters: { delivered: 'AlertsDelivered', retry: 'AlertsRetried', failed: 'AlertsFailed' },
  sendLater: (tenant, { endpoint, delivery, attempt, delaySeconds, now }) =>
    queueAlertAttempt(tenant, alertAttempt(endpoint.channel, { alertId: endpoint.id, deliveryId: delivery.id, attempt }), {
      delaySeconds,
      now,
    }),
  // A failing e-mail is a problem of the service, so that an e-mail alert is never disabled.
  disableTask: ({ id: alertId, channel, revision }, failure) =>
    channel === 'email' ? undefined : { kind: 'disable-alert', alertId, ...failure, revision },
  onEnd: (tenant, { alertId, id, state }, { status, error, now }) => {
    const lastDelivery = { id, state, status, at: iso(now), error };
    return bestEffort('record the last message', updateItem(set(alertKey.health(tenant, alertId), { lastDelivery })));
  },
};
