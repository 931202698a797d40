import { auditNote } from '../../audit/index.ts';
import { ApiError } from '../../contract/errors.ts';
import { beginRound, isInProgress } from '../../delivery/index.ts';
import { enqueue } from '../../event/index.ts';
import { whileActive } from '../../organization/index.ts';
import { type Change, check, StaleReadError, type Tenant } from '../../platform/index.ts';
import { alertAttempt } from '../model/alert-attempt.ts';
import { type AlertDeliveryRecord, type AlertRecord, alertKey } from '../model/record.ts';

/** A message that has ended, failed or delivered, gets one more attempt under the same id. Of concurrent retries one succeeds. */
export const retryAlertDelivery = (
  tenant: Tenant,
  { alert, delivery, now }: { readonly alert: AlertRecord; readonly delivery: AlertDeliveryRecord; readonly now: Date },
): Change => {
  if (!alert.enabled) throw new ApiError('CONFLICT', 'The alert is disabled. Enable it first');
  if (isInProgress(delivery, now)) throw new ApiError('CONFLICT', 'The message is still in progress. Wait until it has ended');
  const { id: deliveryId, attempts, state } = delivery;
  const attempt = { alertId: alert.id, deliveryId, attempt: attempts + 1 };
  return {
    writes: [
      // A person requested it, so every recipient gets it again.
      beginRound(delivery, { attempts: 1, now, more: { sentTo: undefined, follows: undefined } }),
      enqueue(tenant, alertAttempt(alert.channel, attempt), now),
      check(alertKey.alert(tenant, alert.id), { enabled: true }, () => new StaleReadError()),
      whileActive(tenant),
    ],
    audit: [auditNote(tenant, { type: 'alert', id: alert.id, details: { name: alert.name, deliveryId, state } })],
  };
};
