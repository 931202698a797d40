/** Decides whether an attempt is due, using the endpoint's current settings. */
import { setTimeout as pause } from 'node:timers/promises';
import { epochSeconds, iso } from '../platform/index.ts';
import type { DeliveryKind } from './delivery-kind.ts';
import type { DeliveryRecord, EndpointRecord, HealthRecord } from './record.ts';

/** One attempt of a delivery, as a message names it. */
export interface NamedAttempt {
  readonly attempt: number;
  /** Set when the queue cannot delay the message long enough: a worker that receives it earlier requeues it. */
  readonly notBefore?: string | undefined;
}

/** `maxAttempts` is the number of the delivery's last attempt if every one fails; `willRetry`: another one follows if this one fails. */
export interface DeliveryRetries {
  readonly maxAttempts: number;
  readonly willRetry: boolean;
}

export interface DueAttempt<E extends EndpointRecord = EndpointRecord, D extends DeliveryRecord = DeliveryRecord> {
  readonly kind: 'send';
  readonly endpoint: E;
  readonly delivery: D;
  readonly health: HealthRecord | undefined;
  readonly attempt: number;
  readonly retry: DeliveryRetries;
}

/** The message goes back to its queue: not due yet, leased by another worker, or behind others. */
interface Wait {
  readonly kind: 'wait';
  readonly seconds: number;
}

export type AttemptDecision<E extends EndpointRecord, D extends DeliveryRecord> =
  | DueAttempt<E, D>
  /** The attempt was made already, or the delivery has ended, has expired or was not created yet. */
  | { readonly kind: 'skip'; readonly reason: string; readonly isAbsent?: true }
  | Wait
  /** The endpoint no longer accepts this delivery. */
  | { readonly kind: 'abandon'; readonly delivery: D; readonly error: string };

export interface AttemptState<E extends EndpointRecord, D extends DeliveryRecord> {
  readonly endpoint: E | undefined;
  readonly delivery: D | undefined;
  readonly health: HealthRecord | undefined;
}

interface AttemptRules<E extends EndpointRecord, D extends DeliveryRecord> {
  readonly now: Date;
  readonly kind: Pick<DeliveryKind<E, D>, 'endpoint' | 'delivery'>;
  /** Whether the endpoint gets more than one attempt. Default: true. */
  readonly isRetried?: ((endpoint: E) => boolean) | undefined;
  /** Why an enabled endpoint does not get the delivery, or not yet. */
  readonly objection?: (endpoint: E, delivery: D) => string | Wait | undefined;
}

/** The largest clock skew between two workers. */
const clockSkewSeconds = 5;
const gone = 410;

/**
 * If attempt n+1 arrives before n was recorded, the worker of n crashed. Attempt n is repeated under its own number, so nothing
 * is lost or counted twice.
 */
export const decideAttempt = <E extends EndpointRecord, D extends DeliveryRecord>(
  { endpoint, delivery, health }: AttemptState<E, D>,
  ref: NamedAttempt,
  { now, kind, isRetried = () => true, objection }: AttemptRules<E, D>,
): AttemptDecision<E, D> => {
  if (!delivery) return { kind: 'skip', reason: `there is no ${kind.delivery}`, isAbsent: true };
  if (delivery.ttl <= epochSeconds(now)) return { kind: 'skip', reason: `the ${kind.delivery} has expired` };
  if (delivery.status !== 'attempting') return { kind: 'skip', reason: `the ${kind.delivery} has ended` };
  if (ref.attempt <= delivery.attempts) return { kind: 'skip', reason: 'the attempt was made already' };
  // Without `notBefore` the queue or the Scheduler has delayed the message already.
  const seconds = secondsUntil(ref.notBefore, now);
  if (seconds > clockSkewSeconds) return { kind: 'wait', seconds };
  // The worker that holds the lease records the outcome, even if the endpoint was disabled or deleted meanwhile.
  const leasedSeconds = secondsUntil(delivery.claimedUntil, now);
  if (leasedSeconds > 0) return { kind: 'wait', seconds: leasedSeconds };
  if (!endpoint) return { kind: 'abandon', delivery, error: `The ${kind.endpoint} was deleted` };
  if (!endpoint.enabled) return { kind: 'abandon', delivery, error: `The ${kind.endpoint} is disabled` };
  const objected = objection?.(endpoint, delivery);
  if (objected !== undefined) return typeof objected === 'string' ? { kind: 'abandon', delivery, error: objected } : objected;
  const attempt = delivery.attempts + 1;
  const maxAttempts = isRetried(endpoint) ? Math.max(delivery.attemptsMax, attempt) : attempt;
  // An endpoint that said it is gone gets one attempt, if it is asked again at all.
  const willRetry = attempt < maxAttempts && delivery.statusCode !== gone;
  return {
    kind: 'send',
    endpoint,
    delivery,
    health,
    attempt,
    retry: { maxAttempts: willRetry ? maxAttempts : attempt, willRetry },
  };
};

/** 0 without a moment. */
export const secondsUntil = (moment: string | null | undefined, now: Date): number =>
  (Date.parse(moment ?? iso(now)) - now.getTime()) / 1_000;

/** A worker records its attempt within milliseconds, unless it crashed. */
const recordingMs = 1_000;

/** Loads a delivery. The message of attempt n+1 is sent before attempt n is recorded: if it arrives first, it loads again. */
export const loadRecorded = async <S extends { readonly delivery: DeliveryRecord | undefined }>(
  load: () => Promise<S>,
  { attempt }: NamedAttempt,
  waitMs = recordingMs,
): Promise<S> => {
  const state = await load();
  const { delivery } = state;
  if (delivery?.status !== 'attempting' || attempt <= delivery.attempts + 1) return state;
  await pause(waitMs);
  return load();
};
