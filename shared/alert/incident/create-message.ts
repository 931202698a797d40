/** Creates the message of an alert once, within its hourly limit, and sends its first attempt. */
import { deliveryKeptSeconds } from '../../contract/limits.ts';
import {
  after,
  derivedId,
  emitMetric,
  epochSeconds,
  get,
  idBounds,
  iso,
  log,
  putIfAbsent,
  type Tenant,
} from '../../platform/index.ts';
import { alertAttempt, queueAlertAttempt } from '../model/alert-attempt.ts';
import { newAlertDelivery } from '../model/new-alert-delivery.ts';
import { type AlertDeliveryRecord, type AlertRecord, alertKey } from '../model/record.ts';
import { admitMessage, hourOf } from './admit-message.ts';
import { limitReachedMessage } from './summary-message.ts';

/** The id of a message follows from what it is about, so that it is created once. It sorts by that time. */
export const messageId = (at: string, ...about: readonly string[]): string => {
  const moment = new Date(at);
  return derivedId('delivery', idBounds('delivery', moment, moment).first, about.join('\n'));
};

type NewMessage = Pick<AlertDeliveryRecord, 'id' | 'state' | 'title'> &
  Required<Pick<AlertDeliveryRecord, 'message'>> & {
    readonly [K in 'incidentId' | 'kind' | 'follows']?: AlertDeliveryRecord[K] | undefined;
  };

/** Idempotent. A message that exists or was held is not counted again; one whose task may have been lost is sent again. */
export const createMessage = async (
  tenant: Tenant,
  { alert, message, now }: { readonly alert: AlertRecord; readonly message: NewMessage; readonly now: Date },
): Promise<void> => {
  const { id: alertId } = alert;
  const { id: deliveryId } = message;
  const existing = await get(alertKey.delivery(tenant, alertId, deliveryId));
  if (existing)
    return existing.attempts === 0 && existing.status === 'attempting'
      ? sendFirst(tenant, { alert, deliveryId, now })
      : undefined;
  if (await get(alertKey.held(tenant, alertId, deliveryId))) return;
  // A provider that pages people must learn that it is over.
  const isExempt = alert.channel === 'pagerduty' && message.state === 'recovered';
  const admission = isExempt ? 'send' : await admitMessage(tenant, alertId, now);
  if (admission === 'send') return put(tenant, { alert, message, now });
  if (admission === 'announce') await announceLimit(tenant, { alert, message, now });
  await hold(tenant, { alertId, message, now });
};

const put = async (
  tenant: Tenant,
  { alert, message, now }: { readonly alert: AlertRecord; readonly message: NewMessage; readonly now: Date },
): Promise<void> => {
  await putIfAbsent(newAlertDelivery(tenant, { ...message, alertId: alert.id }, now));
  await sendFirst(tenant, { alert, deliveryId: message.id, now });
};

const sendFirst = (
  tenant: Tenant,
  {
    alert: { id: alertId, channel },
    deliveryId,
    now,
  }: { readonly alert: AlertRecord; readonly deliveryId: string; readonly now: Date },
): Promise<void> =>
  queueAlertAttempt(tenant, alertAttempt(channel, { alertId, deliveryId, attempt: 1 }), { delaySeconds: 0, now });

const announceLimit = (
  tenant: Tenant,
  {
    alert,
    message: { message, title, state },
    now,
  }: { readonly alert: AlertRecord; readonly message: NewMessage; readonly now: Date },
): Promise<void> => {
  const id = messageId(iso(now), alert.id, 'limit', String(hourOf(now)));
  const first = {
    title,
    state: state === 'digest' ? 'summary' : state,
    severity: message.severity,
    at: message.openedAt,
  } as const;
  const announced = limitReachedMessage(first, { organization: message.organization, id, now });
  return put(tenant, { alert, message: { id, state: 'summary', title: announced.title, message: announced }, now });
};

const hold = async (
  tenant: Tenant,
  {
    alertId,
    message: { id, title, message },
    now,
  }: { readonly alertId: string; readonly message: NewMessage; readonly now: Date },
): Promise<void> => {
  const { state, severity } = message;
  await putIfAbsent({
    ...alertKey.held(tenant, alertId, id),
    alertId,
    hour: hourOf(now),
    title,
    state,
    severity,
    at: iso(now),
    // Released within the next hour. One that a purge of the organization overlooked expires by itself.
    ttl: epochSeconds(after(now, deliveryKeptSeconds)),
  });
  emitMetric('message held: hourly limit of the alert reached', { AlertsHeld: 1 });
  log.warn('message held: hourly limit of the alert reached', { alertId, deliveryId: id });
};
