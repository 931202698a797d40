import { deliveryAttemptsMax, deliveryKeptSeconds } from '../../contract/limits.ts';
import { after, epochSeconds, iso, omitUndefined, type Tenant } from '../../platform/index.ts';
import { type AlertDeliveryRecord, alertKey } from './record.ts';

type Content = Pick<AlertDeliveryRecord, 'id' | 'alertId' | 'state' | 'title'> & {
  readonly [K in 'incidentId' | 'kind' | 'message' | 'follows' | 'dueAt']?: AlertDeliveryRecord[K] | undefined;
};

/** A message that is due now, with a full round of attempts. */
export const newAlertDelivery = (tenant: Tenant, content: Content, now: Date): AlertDeliveryRecord => ({
  ...alertKey.delivery(tenant, content.alertId, content.id),
  ...(omitUndefined(content) as Content as AlertDeliveryRecord),
  status: 'attempting',
  attempts: 0,
  roundStart: 0,
  attemptsMax: deliveryAttemptsMax,
  statusCode: null,
  durationMs: null,
  lastError: null,
  response: null,
  lastAttemptAt: null,
  nextAttemptAt: iso(now),
  createdAt: iso(now),
  ttl: epochSeconds(after(now, deliveryKeptSeconds)),
});
