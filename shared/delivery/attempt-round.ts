/** Rounds of attempts: the first one, and another of a delivery that has ended or has lost its message. */
import { deliveryKeptSeconds } from '../contract/limits.ts';
import { after, epochSeconds, iso, StaleReadError, set } from '../platform/index.ts';
import type { DeliveryRecord } from './record.ts';

/** The attributes of a delivery before its first attempt. */
export const firstRound = (attemptsMax: number, now: Date) =>
  ({
    status: 'attempting',
    attempts: 0,
    roundStart: 0,
    attemptsMax,
    statusCode: null,
    durationMs: null,
    lastError: null,
    lastAttemptAt: null,
    nextAttemptAt: iso(now),
    createdAt: iso(now),
    ttl: keptUntil(now),
  }) as const;

const keptUntil = (now: Date): number => epochSeconds(after(now, deliveryKeptSeconds));

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
  record: DeliveryRecord,
  { attempts, now, more }: { readonly attempts: number; readonly now: Date; readonly more: Readonly<Record<string, unknown>> },
): ReturnType<typeof set> =>
  dueNow(record, { roundStart: record.attempts, attemptsMax: record.attempts + attempts, ...more }, now);

/** Continues a round that lost its message, with the attempts that remain, at least one. */
export const resumeRound = (record: DeliveryRecord, now: Date): ReturnType<typeof set> =>
  dueNow(record, { attemptsMax: Math.max(record.attemptsMax, record.attempts + 1) }, now);

const dueNow = (record: DeliveryRecord, round: Readonly<Record<string, unknown>>, now: Date): ReturnType<typeof set> => {
  const { pk, sk, status, attempts, nextAttemptAt } = record;
  const attributes = { status: 'attempting', ...round, nextAttemptAt: iso(now), ttl: keptUntil(now) };
  const expected = { status, attempts, nextAttemptAt };
  return set({ pk, sk }, attributes, { expected, onConditionFailed: () => new StaleReadError() });
};
