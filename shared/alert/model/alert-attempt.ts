import type { AlertChannel } from '../../contract/models/alert-enums.ts';
import { sendTask, type Task } from '../../event/index.ts';
import { after, delayMaxSeconds, iso, type Tenant } from '../../platform/index.ts';

/** One attempt of one message. */
export type AlertAttempt = Extract<Task, { kind: 'send-alert-email' | 'deliver-alert' }>;

/** E-mails leave from the worker of incidents, which knows the members; requests from one that may do nothing else. */
export const alertAttempt = (channel: AlertChannel, named: Omit<AlertAttempt, 'kind'>): AlertAttempt => ({
  kind: channel === 'email' ? 'send-alert-email' : 'deliver-alert',
  ...named,
});

/** Sends an attempt after a delay. Throws unless the queue accepted it. */
export const queueAlertAttempt = (
  tenant: Tenant,
  { kind, alertId, deliveryId, attempt }: AlertAttempt,
  { delaySeconds, now }: { readonly delaySeconds: number; readonly now: Date },
): Promise<void> => {
  const notBefore = delaySeconds > delayMaxSeconds ? { notBefore: iso(after(now, delaySeconds)) } : {};
  const delay = Math.ceil(Math.min(Math.max(delaySeconds, 0), delayMaxSeconds));
  return sendTask(tenant, { kind, alertId, deliveryId, attempt, ...notBefore }, { ...(delay > 0 && { delaySeconds: delay }) });
};
