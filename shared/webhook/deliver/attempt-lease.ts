/** Who makes an attempt says so before: what a queue gives twice is not sent twice, and does not double all that follows. */
import { after, iso, updateItem } from '../../platform/index.ts';
import type { DeliveryQueue } from '../model/delivery-queues.ts';
import type { WebhookRecord } from '../model/record.ts';
import type { DueAttempt } from './prepare-attempt.ts';

/** What is around a request: to sign it, to arrange the next attempt, to write this one down. */
const overheadSeconds = 15;

/**
 * The first attempt in the quick lane is not worth a write: one of two that make it writes it down, and at most one request is
 * sent twice. What follows from both does meet here.
 */
export const needsLease = ({ delivery, attempt }: DueAttempt, lane: DeliveryQueue): boolean =>
  lane === 'slowDelivery' || attempt > delivery.roundStart + 1;

/** How long an attempt may take, all in all. */
export const leaseSeconds = ({ timeoutMs }: Pick<WebhookRecord, 'timeoutMs'>): number => timeoutMs / 1_000 + overheadSeconds;

/** Whether the attempt is ours, for as long as it may take. A claim ends when the attempt is written down. */
export const leaseAttempt = ({ webhook, delivery: { pk, sk, attempts } }: DueAttempt, now: Date): Promise<boolean> =>
  updateItem({
    update: { pk, sk },
    expression: 'SET #claimed = :until',
    condition: '#status = :attempting AND #attempts = :made AND (attribute_not_exists(#claimed) OR #claimed <= :now)',
    names: { '#claimed': 'claimedUntil', '#status': 'status', '#attempts': 'attempts' },
    values: {
      ':until': iso(after(now, leaseSeconds(webhook))),
      ':attempting': 'attempting',
      ':made': attempts,
      ':now': iso(now),
    },
  });
