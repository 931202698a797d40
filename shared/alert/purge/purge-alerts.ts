import { type Clock, deletePartition, removeAll, type Tenant, walk } from '../../platform/index.ts';
import { type AlertRecord, alertKey, alertPrefix, removedAlertPrefix } from '../model/record.ts';

/**
 * Deletes an organization's alerts with all their messages. Returns false if the deadline passed first. A message under way finds its
 * alert deleted. Incidents are deleted with the organization's own partition.
 */
export const purgeAlerts = async (tenant: Tenant, until: Date, clock: Clock): Promise<boolean> => {
  const { pk } = alertKey.alerting(tenant);
  for (const prefix of [alertPrefix, removedAlertPrefix])
    for await (const { id, sk } of walk<AlertRecord>({ pk, prefix })) {
      const deliveries = alertKey.health(tenant, id).pk;
      if (!(await deletePartition(deliveries, { deadline: { at: until, clock } }))) return false;
      await removeAll([{ pk, sk }]);
      // Messages created while the alert still existed are few, and from now on no more are created.
      await deletePartition(deliveries);
    }
  await removeAll([alertKey.due(tenant)]);
  return true;
};
