import { ApiError } from '../../contract/errors.ts';
import { isId } from '../../contract/ids.ts';
import { getAll, type Tenant, takePage, walk } from '../../platform/index.ts';
import { type AlertHealth, type AlertRecord, alertKey, alertPrefix } from './record.ts';

export const noSuchAlert = (): ApiError => new ApiError('ALERT_NOT_FOUND', 'Alert not found');

export interface AlertWithHealth {
  readonly alert: AlertRecord;
  readonly health: AlertHealth | undefined;
}

/** Throws ALERT_NOT_FOUND, also for a malformed id and for an alert of another organization. */
export const readAlert = async (tenant: Tenant, id: string): Promise<AlertWithHealth> => {
  if (!isId('alert', id)) throw noSuchAlert();
  const [alert, health] = await getAll([alertKey.alert(tenant, id), alertKey.health(tenant, id)]);
  if (!alert) throw noSuchAlert();
  return { alert, health };
};

/** Newest first: ids sort by time. */
export const listAlerts = async (
  tenant: Tenant,
  { limit, after }: { readonly limit: number; readonly after: string | undefined },
): Promise<{ alerts: readonly AlertWithHealth[]; next: string | undefined }> => {
  const range = { ...rangeOf(tenant), newestFirst: true, after, limit: limit + 1 };
  const { items, next } = await takePage(walk<AlertRecord>(range), limit);
  const health = await getAll(items.map(({ id }) => alertKey.health(tenant, id)));
  return { alerts: items.map((alert, n) => ({ alert, health: health[n] })), next };
};

/** All alerts of an organization, enabled or not: at most 20. */
export const alertsOf = (tenant: Tenant): Promise<AlertRecord[]> => Array.fromAsync(walk<AlertRecord>(rangeOf(tenant)));

const rangeOf = (tenant: Tenant) => ({ pk: alertKey.alert(tenant, '').pk, prefix: alertPrefix });
