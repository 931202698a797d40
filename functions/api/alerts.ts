import {
  type AlertDeliveryRecord,
  type AlertInput,
  alertData,
  alertDeliveryData,
  alertKey,
  belatedDefaultAlert,
  checkAlertInput,
  createAlert,
  deleteAlert,
  incidentData,
  listAlerts,
  listIncidents,
  readAlert,
  retryAlertDelivery,
  updateAlert,
} from '../../shared/alert/index.ts';
import { alerts } from '../../shared/contract/endpoints/alerts.ts';
import { listDeliveries, readDelivery } from '../../shared/delivery/index.ts';
import { handle } from '../../shared/http/index.ts';
import { get as getItem, newId } from '../../shared/platform/index.ts';

/** The checks for a body that its schema rejects. */
const check = (given: AlertInput): void => checkAlertInput(given);

export const create = handle(
  alerts.create,
  async ({ tenant, organization, actor, body, now }) => {
    const { alert, change } = await createAlert({ tenant, organization, actor, id: newId('alert', now), now }, body);
    return { data: alertData(alert, undefined), change };
  },
  { check },
);

/** An organization from before alerts existed gets its default alert here, unless a worker was first. */
export const list = handle(alerts.list, async ({ tenant, organization, page, now }) => {
  const [found, marker] = await Promise.all([listAlerts(tenant, page), getItem(alertKey.alerting(tenant))]);
  const items = found.alerts.map(({ alert, health }) => alertData(alert, health));
  if (marker || page.after !== undefined) return { items, next: found.next };
  const { alert, writes } = belatedDefaultAlert(tenant, { organization, now });
  return { items: [...items, alertData(alert, undefined)], next: found.next, change: { writes, audit: [] } };
});

export const incidents = handle(alerts.incidents, async ({ tenant, query, page, now }) => {
  const { incidents: found, next } = await listIncidents(tenant, { filter: query, page, now });
  return { items: found.map((incident) => incidentData(incident, now)), next };
});

export const get = handle(alerts.get, async ({ tenant, params }) => {
  const { alert, health } = await readAlert(tenant, params.alertId);
  return { data: alertData(alert, health) };
});

export const update = handle(alerts.update, async ({ tenant, params, body, now }) => {
  const { alert, health, change } = await updateAlert(tenant, {
    current: await readAlert(tenant, params.alertId),
    input: body,
    now,
  });
  return { data: alertData(alert, health), change };
});

export const remove = handle(alerts.remove, async ({ tenant, params, now }) => {
  const { alert } = await readAlert(tenant, params.alertId);
  return { message: 'The alert was deleted', change: await deleteAlert(tenant, alert, now) };
});

export const deliveries = handle(alerts.deliveries, async ({ tenant, params, query, page, now }) => {
  const { alert } = await readAlert(tenant, params.alertId);
  const { deliveries: found, next } = await listDeliveries<AlertDeliveryRecord>(tenant, {
    endpointId: alert.id,
    query,
    page,
    now,
  });
  return { data: { deliveries: found.map(alertDeliveryData) }, next };
});

export const retry = handle(alerts.retry, async ({ tenant, params, now }) => {
  const { alert } = await readAlert(tenant, params.alertId);
  const delivery = await readDelivery<AlertDeliveryRecord>(tenant, { endpointId: alert.id, id: params.deliveryId, now });
  return {
    data: { deliveryId: delivery.id, status: 'attempting' as const },
    change: retryAlertDelivery(tenant, { alert, delivery, now }),
  };
});
