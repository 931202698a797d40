/** Sends the messages that the hourly limit held, in one message for each alert, when their hour is over. */
import { organizationKey } from '../../organization/index.ts';
import { commit, get, iso, putIfAbsent, type Tenant, transactionMax, walk } from '../../platform/index.ts';
import { hourOf } from '../incident/admit-message.ts';
import { messageId } from '../incident/create-message.ts';
import { groupedMessage } from '../incident/summary-message.ts';
import { alertAttempt, queueAlertAttempt } from '../model/alert-attempt.ts';
import { newAlertDelivery } from '../model/new-alert-delivery.ts';
import { type AlertRecord, type HeldMessage, heldPrefix } from '../model/record.ts';

/** Idempotent: the id of the message follows from the alert and its newest held message. */
export const releaseHeld = async (tenant: Tenant, alerts: readonly AlertRecord[], now: Date): Promise<void> => {
  const organization = await get(organizationKey.organization(tenant));
  const range = { pk: organizationKey.organization(tenant).pk, prefix: heldPrefix };
  const all = await Array.fromAsync(walk<HeldMessage>(range));
  const due = all.filter(({ hour }) => hour < hourOf(now));
  for (const [alertId, held = []] of Object.entries(Object.groupBy(due, (one) => one.alertId))) {
    const alert = alerts.find(({ id }) => id === alertId);
    if (organization && alert?.enabled) await sendGrouped(tenant, { alert, organization, held, now });
    await removeHeld(held);
  }
};

/** In transactions: only the purge may delete in batches. */
const removeHeld = async (held: readonly HeldMessage[]): Promise<void> => {
  for (let start = 0; start < held.length; start += transactionMax)
    await commit(held.slice(start, start + transactionMax).map(({ pk, sk }) => ({ remove: { pk, sk } })));
};

interface GroupedMessage {
  readonly alert: AlertRecord;
  readonly organization: { readonly id: string; readonly name: string };
  readonly held: readonly HeldMessage[];
  readonly now: Date;
}

const sendGrouped = async (
  tenant: Tenant,
  { alert: { id: alertId, channel }, organization: { id: organizationId, name }, held, now }: GroupedMessage,
): Promise<void> => {
  const newest =
    held
      .map(({ at }) => at)
      .sort()
      .at(-1) ?? iso(now);
  const id = messageId(newest, alertId, 'grouped', ...held.map(({ sk }) => sk));
  const message = groupedMessage(held, { organization: { id: organizationId, name }, id, now });
  await putIfAbsent(newAlertDelivery(tenant, { id, alertId, state: 'summary', title: message.title, message }, now));
  await queueAlertAttempt(tenant, alertAttempt(channel, { alertId, deliveryId: id, attempt: 1 }), { delaySeconds: 0, now });
};
