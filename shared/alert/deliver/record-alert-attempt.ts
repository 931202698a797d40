/** Records an attempt in a crash-safe order: schedule the next attempt, update the alert's health, then the message. */
import { sendTask } from '../../event/index.ts';
import { after, bestEffort, emitMetric, iso, log, set, type Tenant, updateItem } from '../../platform/index.ts';
import { failingSince, isDead, recordHealth, retryDelay, updateUnlessRecorded } from '../../webhook/index.ts';
import { queueAlertAttempt } from '../model/alert-attempt.ts';
import { type AlertDeliveryRecord, alertKey } from '../model/record.ts';
import type { AlertOutcome } from './alert-outcome.ts';
import type { DueAlertAttempt } from './prepare-alert-attempt.ts';

interface SentAlertAttempt {
  readonly due: DueAlertAttempt;
  readonly outcome: AlertOutcome;
  readonly sentAt: Date;
}

export const recordAlertAttempt = async (
  tenant: Tenant,
  { due, outcome, sentAt }: SentAlertAttempt,
  now: Date,
  random: number,
): Promise<void> => {
  const { alert, delivery, health, attempt } = due;
  const [alertId, deliveryId] = [alert.id, delivery.id];
  const result = { isSuccess: outcome.kind === 'delivered', durationMs: outcome.durationMs };
  const willRetry = outcome.kind === 'retry' && due.willRetry;
  const delaySeconds = willRetry ? delayOf(due, outcome, now, random) : 0;
  const since = failingSince(health, result, now);
  const reason = willRetry || since === undefined ? undefined : disableReason(due, outcome, since, now);
  if (willRetry)
    await queueAlertAttempt(tenant, alert.channel, { alertId, deliveryId, attempt: attempt + 1 }, { delaySeconds, now });
  const recording = recordHealth(alertKey.health(tenant, alertId), health, result, now);
  // The task that disables the alert reads the health record, so in that case the write must succeed.
  await (reason ? recording : bestEffort('record the health of an alert', recording));
  if (reason && since !== undefined)
    await sendTask(tenant, { kind: 'disable-alert', alertId, reason, failingSince: since, revision: alert.revision });
  const status = willRetry ? 'attempting' : outcome.kind === 'delivered' ? 'delivered' : 'failed';
  const isOurs = await updateItem(
    updateUnlessRecorded(delivery, {
      status,
      attempts: attempt,
      statusCode: outcome.statusCode,
      durationMs: outcome.durationMs,
      response: outcome.response,
      lastError: outcome.error,
      lastAttemptAt: iso(sentAt),
      nextAttemptAt: willRetry ? iso(after(now, delaySeconds)) : null,
      ...(outcome.sentTo && { sentTo: outcome.sentTo }),
    }),
  );
  if (!isOurs) return log.info('attempt already recorded by another worker', { alertId, deliveryId, attempt });
  if (status !== 'attempting') await bestEffort('record the last message', recordLast(tenant, delivery, status, outcome, now));
  emitMetric('attempt recorded', { [counters[status]]: 1 });
};

const counters = { delivered: 'AlertsDelivered', attempting: 'AlertsRetried', failed: 'AlertsFailed' } as const;

/** As for webhooks: at least the documented delay, longer if the provider asks for it. */
const delayOf = (
  { attempt, delivery }: DueAlertAttempt,
  { retryAfterSeconds }: AlertOutcome,
  now: Date,
  random: number,
): number =>
  retryDelay(attempt - delivery.roundStart, retryAfterSeconds === undefined ? undefined : String(retryAfterSeconds), now, random);

/** As for webhooks. A failing e-mail is a problem of the service, so that an e-mail alert is never disabled. */
const disableReason = (
  { alert }: DueAlertAttempt,
  { kind }: AlertOutcome,
  since: string,
  now: Date,
): 'gone' | 'failing' | undefined => {
  if (kind === 'delivered' || alert.channel === 'email') return undefined;
  if (kind === 'gone') return 'gone';
  return isDead(since, now) ? 'failing' : undefined;
};

const recordLast = async (
  tenant: Tenant,
  { alertId, id, state }: AlertDeliveryRecord,
  status: 'delivered' | 'failed',
  { error }: AlertOutcome,
  now: Date,
): Promise<void> => {
  const lastDelivery = { id, state, status, at: iso(now), error };
  await updateItem(set(alertKey.health(tenant, alertId), { lastDelivery }));
};

/** Fails a message without an attempt, so none is counted. */
export const abandonMessage = async (delivery: AlertDeliveryRecord, error: string): Promise<void> => {
  const isOurs = await updateItem(updateUnlessRecorded(delivery, { status: 'failed', lastError: error, nextAttemptAt: null }));
  if (isOurs) emitMetric('message abandoned', { AlertsFailed: 1 });
};
