/** What attempts reveal about an endpoint: since when it fails, and whether it is slow. */
import { endpointDisabledAfterSeconds, webhookIncidentAfterFailures, webhookIncidentAfterSeconds } from '../contract/limits.ts';
import {
  after,
  epochSeconds,
  iso,
  type Key,
  StaleReadError,
  set,
  type Tenant,
  updateItem,
  type Write,
} from '../platform/index.ts';
import { deliveryKey, type HealthRecord } from './record.ts';

/** An endpoint that takes longer uses the retry queue next time. */
const slowMs = 3_000;
/** `lastTriggeredAt` alone is not worth a write for every delivery. */
const recordEverySeconds = 1;
/** Longer than an endpoint in use is ever idle, so that the record of a deleted one expires by itself. */
const keptSeconds = 400 * 24 * 3_600;

type AttemptResult = { readonly isSuccess: boolean; readonly durationMs: number };

/** The time of the first failure since the last success. Undefined after a success. */
export const failingSince = (health: HealthRecord | undefined, { isSuccess }: AttemptResult, now: Date): string | undefined =>
  isSuccess ? undefined : (health?.failingSince ?? iso(now));

/** Whether every delivery has failed for so long that the endpoint is disabled. */
export const hasFailedTooLong = (since: string | undefined, now: Date): boolean =>
  since !== undefined && since <= iso(after(now, -endpointDisabledAfterSeconds));

/**
 * Whether an attempt says something about the endpoint that is worth a report, and in how many seconds: when the first failure may have
 * lasted for too long, at the third and further ones until then, and at the first success after failures.
 */
export const reportDelay = (health: HealthRecord | undefined, { isSuccess }: AttemptResult, now: Date): number | undefined => {
  const { failingSince: since, failureCount = 1 } = health ?? {};
  if (isSuccess) return since === undefined ? undefined : 0;
  if (since === undefined) return webhookIncidentAfterSeconds;
  const isYoung = since > iso(after(now, -webhookIncidentAfterSeconds));
  return isYoung && failureCount + 1 >= webhookIncidentAfterFailures ? 0 : undefined;
};

/** Writes at most once a second while nothing changes: failures within a second may count as one. Returns whether it wrote. */
export const recordHealth = async (
  key: Key,
  { health, result, now }: { readonly health: HealthRecord | undefined; readonly result: AttemptResult; readonly now: Date },
): Promise<boolean> => {
  const isSlow = !result.isSuccess || result.durationMs > slowMs;
  const isFailing = health?.failingSince !== undefined;
  const isRecent = (health?.lastTriggeredAt ?? '') > iso(after(now, -recordEverySeconds));
  if (isRecent && health?.isSlow === isSlow && isFailing === !result.isSuccess) return false;
  const sets = '#triggered = :now, #slow = :slow, #ttl = :ttl';
  return updateItem({
    update: key,
    // Concurrent attempts must not overwrite the first failure.
    expression: result.isSuccess
      ? `SET ${sets} REMOVE #failing, #failures`
      : `SET ${sets}, #failing = if_not_exists(#failing, :now) ADD #failures :one`,
    names: {
      '#triggered': 'lastTriggeredAt',
      '#slow': 'isSlow',
      '#ttl': 'ttl',
      '#failing': 'failingSince',
      '#failures': 'failureCount',
    },
    values: {
      ':now': iso(now),
      ':slow': isSlow,
      ':ttl': epochSeconds(after(now, keptSeconds)),
      ...(!result.isSuccess && { ':one': 1 }),
    },
  });
};

/** A re-enabled or changed endpoint starts like a new one: with a new failure period, on the retry queue. */
export const resetHealth = (tenant: Tenant, endpointId: string, health: HealthRecord | undefined): readonly Write[] =>
  health?.failingSince === undefined && health?.isSlow === undefined
    ? []
    : [
        set(
          deliveryKey.health(tenant, endpointId),
          { failingSince: undefined, failureCount: undefined, isSlow: undefined },
          { onConditionFailed: () => new StaleReadError() },
        ),
      ];
