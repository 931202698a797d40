/** Records an attempt in a crash-safe order: schedule the next attempt, update the endpoint's health, then the delivery. */
import { sendTask } from '../../event/index.ts';
import {
  after,
  bestEffort,
  emitMetric,
  iso,
  type Key,
  log,
  type PostOutcome,
  set,
  type Tenant,
  updateItem,
  type Write,
} from '../../platform/index.ts';
import { sendAttemptLater } from '../model/delivery-queues.ts';
import { type DeliveryRecord, type SentRequest, webhookKey } from '../model/record.ts';
import type { DeliveryVerdict } from './classify-outcome.ts';
import { failingSince, isDead, recordHealth } from './endpoint-health.ts';
import type { DueAttempt } from './prepare-attempt.ts';

export interface SentAttempt {
  readonly due: DueAttempt;
  readonly request: SentRequest;
  readonly outcome: PostOutcome;
}

export const recordAttempt = async (tenant: Tenant, sent: SentAttempt, verdict: DeliveryVerdict, now: Date): Promise<void> => {
  const { webhook, delivery, health, attempt } = sent.due;
  const { id: webhookId, revision } = webhook;
  const { id: deliveryId } = delivery;
  const result = { isSuccess: verdict.kind === 'delivered', durationMs: sent.outcome.durationMs };
  const since = failingSince(health, result, now);
  const reason = since === undefined ? undefined : disableReason(verdict, since, now);
  if (verdict.kind === 'retry')
    await sendAttemptLater(tenant, { webhookId, deliveryId, attempt: attempt + 1 }, verdict.delaySeconds, now);
  const recording = recordHealth(webhookKey.health(tenant, webhookId), health, result, now);
  // The task that disables the webhook reads the health record, so in that case the write must succeed.
  await (reason ? recording : bestEffort('record the health of an endpoint', recording));
  if (reason && since !== undefined)
    await sendTask(tenant, { kind: 'disable-webhook', webhookId, reason, failingSince: since, revision });
  const isOurs = await updateItem(attemptUpdate(sent, verdict, now));
  if (!isOurs) return log.info('attempt already recorded by another worker', { webhookId, deliveryId, attempt });
  emitMetric('attempt recorded', { [counters[verdict.kind]]: 1, DeliveryDuration: sent.outcome.durationMs });
};

const counters = { delivered: 'DeliveriesDelivered', retry: 'DeliveriesRetried', failed: 'DeliveriesFailed' } as const;

/** Only a final failure disables: an endpoint that gets one event a week may have failed last week, too. */
const disableReason = (verdict: DeliveryVerdict, since: string, now: Date): 'gone' | 'failing' | undefined => {
  if (verdict.kind !== 'failed') return undefined;
  if (verdict.isGone) return 'gone';
  return isDead(since, now) ? 'failing' : undefined;
};

/** Fails a delivery without an attempt, so none is counted. */
export const abandonDelivery = async (delivery: DeliveryRecord, error: string): Promise<void> => {
  const isOurs = await updateItem(updateUnlessRecorded(delivery, { status: 'failed', lastError: error, nextAttemptAt: null }));
  if (isOurs) emitMetric('delivery abandoned', { DeliveriesFailed: 1 });
};

/** Ends a step of a job whose later one was delivered first. */
export const skipDelivery = async (delivery: DeliveryRecord): Promise<void> => {
  const { webhookId, id: deliveryId } = delivery;
  const lastError = 'not sent: a later step of the job was delivered before';
  const isOurs = await updateItem(updateUnlessRecorded(delivery, { status: 'skipped', lastError, nextAttemptAt: null }));
  if (isOurs) log.info('delivery skipped: a later step was delivered', { webhookId, deliveryId });
};

type Update = Extract<Write, { update: Key }>;

const attemptUpdate = ({ due, outcome, request }: SentAttempt, verdict: DeliveryVerdict, now: Date): Update =>
  updateUnlessRecorded(due.delivery, {
    status: verdict.kind === 'retry' ? 'attempting' : verdict.kind,
    attempts: due.attempt,
    statusCode: outcome.kind === 'answered' ? outcome.status : null,
    durationMs: outcome.durationMs,
    lastError: verdict.kind === 'delivered' ? null : verdict.error,
    lastAttemptAt: request.sentAt,
    nextAttemptAt: verdict.kind === 'retry' ? iso(after(now, verdict.delaySeconds)) : null,
    request,
  });

/** Compare-and-set: of several workers that made the same attempt one records it. Releases the lease. */
export const updateUnlessRecorded = (
  { pk, sk, attempts }: Pick<DeliveryRecord, 'pk' | 'sk' | 'attempts'>,
  attributes: Readonly<Record<string, unknown>>,
): Update => set({ pk, sk }, { ...attributes, claimedUntil: undefined }, { expected: { status: 'attempting', attempts } });
