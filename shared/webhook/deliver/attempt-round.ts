/** Beginning another round of attempts of a delivery that is finished, or that nobody moves any more. */
import { deliveryKeptSeconds } from '../../contract/limits.ts';
import { after, epochSeconds, iso, StaleReadError, set } from '../../platform/index.ts';
import type { DeliveryRecord } from '../model/record.ts';

/** Far above what a queue or the Scheduler is late: an attempt that long overdue has lost its message. */
const overdueSeconds = 15 * 60;

/** Whether an attempt may yet come by itself. */
export const isInProgress = ({ status, nextAttemptAt }: DeliveryRecord, now: Date): boolean =>
  status === 'attempting' && (nextAttemptAt ?? '') >= iso(after(now, -overdueSeconds));

/**
 * At most so many attempts more, the first of them now. Made only of the delivery as it was read: of two who begin a round one
 * does. It is kept from now on as if it were new, because something is sent now.
 */
export const beginRound = (record: DeliveryRecord, attempts: number, now: Date, replay?: string): ReturnType<typeof set> => {
  const { attempts: made } = record;
  return dueNow(record, { roundStart: made, attemptsMax: made + attempts, replay }, now);
};

/** The same for a round that lost its message: it goes on with all attempts that it has left, one at least. */
export const resumeRound = (record: DeliveryRecord, now: Date): ReturnType<typeof set> =>
  dueNow(record, { attemptsMax: Math.max(record.attemptsMax, record.attempts + 1) }, now);

const dueNow = (record: DeliveryRecord, round: Readonly<Record<string, unknown>>, now: Date): ReturnType<typeof set> => {
  const { pk, sk, status, attempts, nextAttemptAt } = record;
  const ttl = epochSeconds(after(now, deliveryKeptSeconds));
  const attributes = { status: 'attempting', ...round, nextAttemptAt: iso(now), ttl };
  const expected = { status, attempts, nextAttemptAt };
  return set({ pk, sk }, attributes, { expected, onConditionFailed: () => new StaleReadError() });
};
