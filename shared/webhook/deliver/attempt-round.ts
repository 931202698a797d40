/** Starts another round of attempts of a delivery that has ended, or that has lost its message. */
import { deliveryKeptSeconds } from '../../contract/limits.ts';
import { after, epochSeconds, iso, StaleReadError, set } from '../../platform/index.ts';
import type { DeliveryRecord } from '../model/record.ts';

/** What a round is about, of a webhook's delivery or an alert's. */
type Attempted = Pick<DeliveryRecord, 'pk' | 'sk' | 'status' | 'attempts' | 'attemptsMax' | 'nextAttemptAt'>;

/** Far longer than any delay of a queue or the Scheduler: an attempt this long overdue has lost its message. */
const overdueSeconds = 15 * 60;

/** Whether an attempt may still be on its way. */
export const isInProgress = ({ status, nextAttemptAt }: Pick<DeliveryRecord, 'status' | 'nextAttemptAt'>, now: Date): boolean =>
  status === 'attempting' && (nextAttemptAt ?? '') >= iso(after(now, -overdueSeconds));

/**
 * A round of at most so many attempts, the first one now. Compare-and-set: only one of two concurrent rounds starts. The
 * delivery is kept for as long as a new one. `more` are further attributes; those given as undefined are removed.
 */
export const beginRound = (
  record: Attempted,
  attempts: number,
  now: Date,
  more: Readonly<Record<string, unknown>> = { replay: undefined },
): ReturnType<typeof set> =>
  dueNow(record, { roundStart: record.attempts, attemptsMax: record.attempts + attempts, ...more }, now);

/** Continues a round that lost its message, with the attempts that remain, at least one. */
export const resumeRound = (record: Attempted, now: Date): ReturnType<typeof set> =>
  dueNow(record, { attemptsMax: Math.max(record.attemptsMax, record.attempts + 1) }, now);

const dueNow = (record: Attempted, round: Readonly<Record<string, unknown>>, now: Date): ReturnType<typeof set> => {
  const { pk, sk, status, attempts, nextAttemptAt } = record;
  const ttl = epochSeconds(after(now, deliveryKeptSeconds));
  const attributes = { status: 'attempting', ...round, nextAttemptAt: iso(now), ttl };
  const expected = { status, attempts, nextAttemptAt };
  return set({ pk, sk }, attributes, { expected, onConditionFailed: () => new StaleReadError() });
};
