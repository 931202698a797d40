/** What is remembered of an endpoint from one attempt to the next. */
import { failingSecondsMax } from '../../contract/limits.ts';
import { after, epochSeconds, iso, type Key, updateItem, type Write } from '../../platform/index.ts';
import type { HealthRecord } from '../model/record.ts';

/** An endpoint that takes longer waits among the slow the next time. */
const slowMs = 3_000;
/** `lastTriggeredAt` alone is not worth a write for every delivery. */
const recordEverySeconds = 1;
/** Longer than any webhook that is still of interest lies idle; one that was removed leaves nothing for ever. */
const keptSeconds = 400 * 24 * 3_600;

export type AttemptResult = { readonly isSuccess: boolean; readonly durationMs: number };

/** The first failure since the last success: this one, if none is remembered. Undefined after a success. */
export const failingSince = (health: HealthRecord | undefined, { isSuccess }: AttemptResult, now: Date): string | undefined =>
  isSuccess ? undefined : (health?.failingSince ?? iso(now));

/** Whether everything has failed for so long that nobody seems to be there. */
export const isDead = (since: string | undefined, now: Date): boolean =>
  since !== undefined && since <= iso(after(now, -failingSecondsMax));

/** What to write down after an attempt; nothing where that is known already. */
export const healthUpdate = (
  key: Key,
  health: HealthRecord | undefined,
  sign: AttemptResult,
  now: Date,
): Extract<Write, { update: Key }> | undefined => {
  const isSlow = !sign.isSuccess || sign.durationMs > slowMs;
  const isFailing = health?.failingSince !== undefined;
  const isRecent = (health?.lastTriggeredAt ?? '') > iso(after(now, -recordEverySeconds));
  if (isRecent && health?.isSlow === isSlow && isFailing === !sign.isSuccess) return undefined;
  const sets = '#triggered = :now, #slow = :slow, #ttl = :ttl';
  return {
    update: key,
    // The first failure stays the first, whoever of several notes it.
    expression: sign.isSuccess ? `SET ${sets} REMOVE #failing` : `SET ${sets}, #failing = if_not_exists(#failing, :now)`,
    names: { '#triggered': 'lastTriggeredAt', '#slow': 'isSlow', '#ttl': 'ttl', '#failing': 'failingSince' },
    values: { ':now': iso(now), ':slow': isSlow, ':ttl': epochSeconds(after(now, keptSeconds)) },
  };
};

export const recordHealth = async (...all: Parameters<typeof healthUpdate>): Promise<void> => {
  const write = healthUpdate(...all);
  if (write) await updateItem(write);
};
