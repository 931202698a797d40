/** Sends the weekly digest of an organization once, by each e-mail alert that has it. */
import type { OrganizationRecord } from '../../organization/index.ts';
import { get, iso, putIfAbsent, set, type Tenant, updateItem } from '../../platform/index.ts';
import { digestWeek } from '../digest/index.ts';
import { messageId } from '../incident/create-message.ts';
import { alertAttempt, queueAlertAttempt } from '../model/alert-attempt.ts';
import { newAlertDelivery } from '../model/new-alert-delivery.ts';
import { alertKey } from '../model/record.ts';
import type { WatchedState } from './watched-state.ts';

/** After an outage of the service an old digest is no news. */
const lateMsMax = 24 * 3_600_000;

/** Nothing for an organization without projects, and by alerts that did not exist when the digest was due. */
export const sendDigests = async (
  tenant: Tenant,
  {
    organization: { timezone },
    state: { alerts, projects },
    now,
  }: { readonly organization: OrganizationRecord; readonly state: WatchedState; readonly now: Date },
): Promise<void> => {
  const week = digestWeek(timezone, now);
  if (!week || projects.length === 0 || now.getTime() - week.dueAt.getTime() > lateMsMax) return;
  if ((await get(alertKey.alerting(tenant)))?.digestWeek === week.monday) return;
  const dueAt = iso(week.dueAt);
  for (const { id: alertId, channel, createdAt, enabled, digest } of alerts) {
    if (!enabled || !digest || createdAt > dueAt) continue;
    const id = messageId(dueAt, alertId, 'digest', week.monday);
    await putIfAbsent(newAlertDelivery(tenant, { id, alertId, state: 'digest', title: 'Weekly digest', dueAt }, now));
    await queueAlertAttempt(tenant, alertAttempt(channel, { alertId, deliveryId: id, attempt: 1 }), { delaySeconds: 0, now });
  }
  await updateItem(set(alertKey.alerting(tenant), { digestWeek: week.monday }));
};
