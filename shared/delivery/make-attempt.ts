/** One due attempt: lease, send, judge, record. */
import { sendTask } from '../event/index.ts';
import {
  after,
  bestEffort,
  type Clock,
  emitMetric,
  iso,
  type Key,
  log,
  set,
  type Tenant,
  updateItem,
  type Write,
} from '../platform/index.ts';
import { type AttemptOutcome, attemptAttributes } from './attempt-outcome.ts';
import type { DueAttempt } from './decide-attempt.ts';
import type { DeliveryKind } from './delivery-kind.ts';
import { failingSince, hasFailedTooLong, recordHealth, reportDelay } from './endpoint-health.ts';
import { type DeliveryRecord, type DisabledReason, deliveryKey, type EndpointRecord } from './record.ts';
import { retryDelay } from './retry-delay.ts';

interface Attempt<E extends EndpointRecord, D extends DeliveryRecord> {
  readonly kind: DeliveryKind<E, D>;
  readonly due: DueAttempt<E, D>;
  readonly sentAt: Date;
  /** The longest that the attempt can take. 0 sends it without a lease. */
  readonly leaseSeconds: number;
  readonly send: () => Promise<AttemptOutcome>;
}

export type Verdict = { readonly kind: 'delivered' | 'failed' } | { readonly kind: 'retry'; readonly delaySeconds: number };

/** Undefined if another worker makes this attempt, or crashed: when its lease ends, that is known. */
export const makeAttempt = async <E extends EndpointRecord, D extends DeliveryRecord>(
  tenant: Tenant,
  attempt: Attempt<E, D>,
  { clock, random }: { readonly clock: Clock; readonly random: () => number },
): Promise<Verdict | undefined> => {
  const { kind, due, leaseSeconds, send } = attempt;
  if (leaseSeconds > 0 && !(await leaseAttempt(due.delivery, leaseSeconds, clock.now()))) return undefined;
  const outcome = await send();
  const now = clock.now();
  const verdict = verdictOf(outcome, due, { now, random: random() });
  const { durationMs } = outcome;
  log.info('attempt sent', { ...idsOf(kind, due), outcome: outcome.kind, verdict: verdict.kind, durationMs });
  await recordAttempt(tenant, { ...attempt, outcome, verdict }, now);
  return verdict;
};

/**
 * Leases an attempt before it is sent, so that a message SQS delivers twice is sent once. False if another worker holds the lease.
 * Recording the attempt releases it.
 */
const leaseAttempt = (
  { pk, sk, attempts }: Pick<DeliveryRecord, 'pk' | 'sk' | 'attempts'>,
  seconds: number,
  now: Date,
): Promise<boolean> =>
  updateItem({
    update: { pk, sk },
    expression: 'SET #claimed = :until',
    condition: '#status = :attempting AND #attempts = :made AND (attribute_not_exists(#claimed) OR #claimed <= :now)',
    names: { '#claimed': 'claimedUntil', '#status': 'status', '#attempts': 'attempts' },
    values: {
      ':until': iso(after(now, seconds)),
      ':attempting': 'attempting',
      ':made': attempts,
      ':now': iso(now),
    },
  });

interface Moment {
  readonly now: Date;
  /** From 0 up to 1, for the jitter. */
  readonly random: number;
}

const verdictOf = (outcome: AttemptOutcome, { attempt, delivery, retry }: DueAttempt, { now, random }: Moment): Verdict => {
  if (outcome.kind === 'delivered') return { kind: 'delivered' };
  if (outcome.kind !== 'retry' || !retry.willRetry) return { kind: 'failed' };
  return {
    kind: 'retry',
    delaySeconds: retryDelay(attempt - delivery.roundStart, { retryAfter: outcome.retryAfter, now, random }),
  };
};

/** In a crash-safe order: schedule the next attempt, update the endpoint's health, then the delivery. */
const recordAttempt = async <E extends EndpointRecord, D extends DeliveryRecord>(
  tenant: Tenant,
  { kind, due, outcome, verdict, sentAt }: Attempt<E, D> & { readonly outcome: AttemptOutcome; readonly verdict: Verdict },
  now: Date,
): Promise<void> => {
  const { endpoint, delivery, health, attempt } = due;
  const { durationMs } = outcome;
  const result = { isSuccess: verdict.kind === 'delivered', durationMs };
  const since = failingSince(health, result, now);
  const reason = since === undefined || verdict.kind === 'retry' ? undefined : disableReason(outcome, since, now);
  const disabling = reason && since !== undefined ? kind.disableTask(endpoint, { reason, failingSince: since }) : undefined;
  const delaySeconds = verdict.kind === 'retry' ? verdict.delaySeconds : undefined;
  if (delaySeconds !== undefined) await kind.sendLater(tenant, { endpoint, delivery, attempt: attempt + 1, delaySeconds, now });
  let isRecorded = false;
  const recording = recordHealth(deliveryKey.health(tenant, endpoint.id), { health, result, now }).then((hasWritten) => {
    isRecorded = hasWritten;
  });
  // The task that disables the endpoint reads the health record, so in that case the write must succeed.
  await (disabling ? recording : bestEffort('record the health of an endpoint', recording));
  const reportSeconds = isRecorded ? reportDelay(health, result, now) : undefined;
  const report = reportSeconds === undefined ? undefined : kind.healthTask?.(endpoint);
  if (report) await bestEffort('report the health of an endpoint', sendTask(tenant, report, { delaySeconds: reportSeconds }));
  if (disabling) await sendTask(tenant, disabling);
  const isOurs = await updateItem(
    updateUnlessRecorded(delivery, {
      status: verdict.kind === 'retry' ? 'attempting' : verdict.kind,
      attempts: attempt,
      ...attemptAttributes(outcome, sentAt),
      nextAttemptAt: delaySeconds === undefined ? null : iso(after(now, delaySeconds)),
    }),
  );
  if (!isOurs) return log.info('attempt already recorded by another worker', idsOf(kind, due));
  if (verdict.kind !== 'retry') await kind.onEnd?.(tenant, delivery, { status: verdict.kind, error: outcome.error, now });
  const { counters, durationMetric } = kind;
  emitMetric('attempt recorded', { [counters[verdict.kind]]: 1, ...(durationMetric && { [durationMetric]: durationMs }) });
};

/** As logs name an attempt. */
const idsOf = (kind: { readonly endpoint: string }, { endpoint, delivery, attempt }: DueAttempt) => ({
  [`${kind.endpoint}Id`]: endpoint.id,
  deliveryId: delivery.id,
  attempt,
});

/** Only a final failure disables: an endpoint that gets one message a week may have failed last week, too. */
const disableReason = ({ kind }: AttemptOutcome, since: string, now: Date): DisabledReason | undefined => {
  if (kind === 'gone') return 'gone';
  return hasFailedTooLong(since, now) ? 'failing' : undefined;
};

/** Fails a delivery without an attempt, so none is counted. */
export const abandonDelivery = async (
  { counters, delivery: name }: Pick<DeliveryKind<never, never>, 'counters' | 'delivery'>,
  delivery: DeliveryRecord,
  error: string,
): Promise<void> => {
  const isOurs = await updateItem(updateUnlessRecorded(delivery, { status: 'failed', lastError: error, nextAttemptAt: null }));
  if (isOurs) emitMetric(`${name} abandoned`, { [counters.failed]: 1 });
};

/** Compare-and-set: of several workers that made the same attempt one records it. Releases the lease. */
export const updateUnlessRecorded = (
  { pk, sk, attempts }: Pick<DeliveryRecord, 'pk' | 'sk' | 'attempts'>,
  attributes: Readonly<Record<string, unknown>>,
): Extract<Write, { update: Key }> =>
  set({ pk, sk }, { ...attributes, claimedUntil: undefined }, { expected: { status: 'attempting', attempts } });
