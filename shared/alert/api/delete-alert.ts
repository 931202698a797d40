import { auditNote } from '../../audit/index.ts';
import { deliveryKeptSeconds } from '../../contract/limits.ts';
import { after, type Change, epochSeconds, get, remove, type Tenant } from '../../platform/index.ts';
import { noSuchAlert } from '../model/get-alert.ts';
import { type AlertRecord, alertKey } from '../model/record.ts';
import { countAlerts } from './create-alert.ts';

/** Its messages are no longer accessible and expire by themselves. The `removed` item leads the organization's purge to them. */
export const deleteAlert = async (tenant: Tenant, alert: AlertRecord, now: Date): Promise<Change> => {
  const { id, name, channel, isDefault } = alert;
  const marker = await get(alertKey.alerting(tenant));
  return {
    writes: [
      remove(alertKey.alert(tenant, id), noSuchAlert),
      { remove: alertKey.health(tenant, id) },
      { put: { ...alertKey.removed(tenant, id), id, ttl: epochSeconds(after(now, deliveryKeptSeconds)) } },
      ...(marker ? countAlerts(tenant, marker, -1) : []),
    ],
    audit: [auditNote(tenant, { type: 'alert', id, details: { name, channel, isDefault } })],
  };
};
