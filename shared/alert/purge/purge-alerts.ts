import { purgeEndpoints } from '../../delivery/index.ts';
import { type Clock, removeAll, type Tenant } from '../../platform/index.ts';
import { alertKey, alertPrefix, removedAlertPrefix } from '../model/record.ts';

/**
 * Deletes an organization's alerts with all their messages. Returns false if the deadline passed first. Incidents are deleted with
 * the organization's own partition.
 */
export const purgeAlerts = async (tenant: Tenant, until: Date, clock: Clock): Promise<boolean> => {
  const isDone = await purgeEndpoints(tenant, { prefixes: [alertPrefix, removedAlertPrefix], until, clock });
  if (isDone) await removeAll([alertKey.due(tenant)]);
  return isDone;
};
