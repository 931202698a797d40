import type { AlertChannel } from '../../contract/models/alert-enums.ts';
import { sendTask, type Task } from '../../event/index.ts';
import { after, delayMaxSeconds, iso, type Tenant } from '../../platform/index.ts';

/** One attempt of one message, as a task names it. */
export interface AlertAttempt {
  readonly alertId: string;
  readonly deliveryId: string;
  readonly attempt: number;
  /** Set when the queue cannot delay the task long enough: a worker that receives it earlier requeues it. */
  readonly notBefore?: string | undefined;
}

/** E-mails leave from the worker of incidents, which knows the members; requests from one that may do nothing else. */
export const attemptTask = (channel: AlertChannel, { alertId, deliveryId, attempt, notBefore }: AlertAttempt): Task => ({
  kind: channel === 'email' ? 'send-alert-email' : 'deliver-alert',
  alertId,
  deliveryId,
  attempt,
  ...(notBefore !== undefined && { notBefore }),
});

/** Sends an attempt after a delay. Throws unless the queue accepted it. */
export const queueAlertAttempt = (
  tenant: Tenant,
  channel: AlertChannel,
  attempt: AlertAttempt,
  { delaySeconds, now }: { readonly delaySeconds: number; readonly now: Date },
): Promise<void> => {
  const notBefore = delaySeconds > delayMaxSeconds ? iso(after(now, delaySeconds)) : undefined;
  const delay = Math.ceil(Math.min(Math.max(delaySeconds, 0), delayMaxSeconds));
  return sendTask(tenant, attemptTask(channel, { ...attempt, notBefore }), { ...(delay > 0 && { delaySeconds: delay }) });
};
