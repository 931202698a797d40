import { deliveryAttemptsMax } from '../../contract/limits.ts';
import { firstRound } from '../../delivery/index.ts';
import { omitUndefined, type Tenant } from '../../platform/index.ts';
import { type AlertDeliveryRecord, alertKey } from './record.ts';

type Content = Pick<AlertDeliveryRecord, 'id' | 'alertId' | 'state' | 'title'> & {
  readonly [K in 'incidentId' | 'kind' | 'message' | 'follows' | 'dueAt']?: AlertDeliveryRecord[K] | undefined;
};

/** A message that is due now, with a full round of attempts. */
export const newAlertDelivery = (tenant: Tenant, content: Content, now: Date): AlertDeliveryRecord => ({
  ...alertKey.delivery(tenant, content.alertId, content.id),
  ...(omitUndefined(content) as Content as AlertDeliveryRecord),
  ...firstRound(deliveryAttemptsMax, now),
  response: null,
});
