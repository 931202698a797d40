/** What follows from an attempt, in the order that loses nothing: what comes next, what is known of the endpoint, then what was. */
import type { Task, TaskMessage } from '../../event/index.ts';
import {
  after,
  bestEffort,
  emitMetric,
  iso,
  type Key,
  log,
  newId,
  type PostOutcome,
  sendMessages,
  set,
  type Tenant,
  updateItem,
  type Write,
} from '../../platform/index.ts';
import { sendAttemptLater } from '../model/delivery-queues.ts';
import { type DeliveryRecord, type SentRequest, webhookKey } from '../model/record.ts';
import type { Verdict } from './classify-outcome.ts';
import { failingSince, isDead, recordHealth } from './endpoint-health.ts';
import type { DueAttempt } from './prepare-attempt.ts';

/** An attempt that was made, and what came of it. */
export interface SentAttempt {
  readonly due: DueAttempt;
  readonly request: SentRequest;
  readonly outcome: PostOutcome;
}

export const recordAttempt = async (tenant: Tenant, made: SentAttempt, verdict: Verdict, now: Date): Promise<void> => {
  const { webhook, delivery, health, attempt } = made.due;
  const { id: webhookId } = webhook;
  const { id: deliveryId } = delivery;
  const sign = { isSuccess: verdict.kind === 'delivered', durationMs: made.outcome.durationMs };
  const since = failingSince(health, sign, now);
  const reason = since === undefined ? undefined : disableReason(verdict, since, now);
  if (verdict.kind === 'retry')
    await sendAttemptLater(tenant, { webhookId, deliveryId, attempt: attempt + 1 }, verdict.delaySeconds, now);
  const noting = recordHealth(webhookKey.health(tenant, webhookId), health, sign, now);
  // Whoever disables looks at what is noted, so that must be there.
  await (reason ? noting : bestEffort('note the health of an endpoint', noting));
  if (reason && since !== undefined)
    await askDisabling(tenant, { kind: 'disable-webhook', webhookId, reason, failingSince: since, revision: webhook.revision });
  const isOurs = await updateItem(attemptUpdate(made, verdict, now));
  if (!isOurs) return log.info('the attempt was written down by another', { webhookId, deliveryId, attempt });
  emitMetric('an attempt was written down', { [counted[verdict.kind]]: 1, DeliveryDuration: made.outcome.durationMs });
};

const counted = { delivered: 'DeliveriesDelivered', retry: 'DeliveriesRetried', failed: 'DeliveriesFailed' } as const;

/** Nobody is given up for an attempt that another follows: an endpoint that hears one event a week may have failed last week, too. */
const disableReason = (verdict: Verdict, since: string, now: Date): 'gone' | 'failing' | undefined => {
  if (verdict.kind !== 'failed') return undefined;
  if (verdict.isGone) return 'gone';
  return isDead(since, now) ? 'failing' : undefined;
};

/** A delivery that nobody is there for any more. No attempt was made, so none is counted. */
export const abandonDelivery = async (delivery: DeliveryRecord, error: string): Promise<void> => {
  const isOurs = await updateItem(updateUnlessRecorded(delivery, { status: 'failed', lastError: error, nextAttemptAt: null }));
  if (isOurs) emitMetric('a delivery was given up', { DeliveriesFailed: 1 });
};

type Update = Extract<Write, { update: Key }>;

const attemptUpdate = ({ due, outcome, request }: SentAttempt, verdict: Verdict, now: Date): Update =>
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

/** Of several that made the same attempt one writes it down, and nobody makes it any more. */
const updateUnlessRecorded = ({ pk, sk, attempts }: DeliveryRecord, attributes: Readonly<Record<string, unknown>>): Update =>
  set({ pk, sk }, { ...attributes, claimedUntil: undefined }, { expected: { status: 'attempting', attempts } });

const askDisabling = async (tenant: Tenant, task: Extract<Task, { kind: 'disable-webhook' }>): Promise<void> => {
  const { organizationId } = tenant;
  const body = JSON.stringify({ id: newId('task'), organizationId, task } satisfies TaskMessage);
  const refused = await sendMessages('TASK_QUEUE_URL', [{ body, sender: `ORG#${organizationId}` }]);
  if (refused.size > 0) throw new Error('the queue did not take the wish to disable a webhook');
};
