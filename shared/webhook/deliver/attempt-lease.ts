/** Leases an attempt before sending it, so that a message SQS delivers twice is sent once. */
import { after, iso, updateItem } from '../../platform/index.ts';
import type { DeliveryQueue } from '../model/delivery-queues.ts';
import type { DeliveryRecord, WebhookRecord } from '../model/record.ts';
import type { DueAttempt } from './prepare-attempt.ts';

/** Time beside the request itself: signing it, scheduling the next attempt, recording the outcome. */
const overheadSeconds = 15;

/**
 * The first attempt on the fast queue is not worth a write: only one of two workers records it, so at most one request is sent
 * twice. Retries and everything on the retry queue are leased.
 */
export const needsLease = ({ delivery, attempt }: DueAttempt, queue: DeliveryQueue): boolean =>
  queue === 'deliveryRetry' || attempt > delivery.roundStart + 1;

/** The longest that one attempt can take. */
export const leaseSeconds = ({ timeoutMs }: Pick<WebhookRecord, 'timeoutMs'>): number => timeoutMs / 1_000 + overheadSeconds;

/** False if another worker holds the lease. Recording the attempt releases it. */
export const leaseAttempt = (
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
