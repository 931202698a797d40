/** Allows one replay of a webhook at a time: each may send a month of events to one endpoint. */
import { ApiError } from '../../contract/errors.ts';
import { after, epochSeconds, iso, set, type Tenant, updateItem, type Write } from '../../platform/index.ts';
import { webhookKey } from '../model/record.ts';

/** A failing part is retried five times within 2.5 h. After that nothing continues the replay, so the lock expires. */
const lockSeconds = 3 * 3_600;

interface ReplayRun {
  readonly webhookId: string;
  /** The id of the replay. */
  readonly walk: string;
}

/** Part of the transaction that starts a replay. */
export const acquireReplayLock = (tenant: Tenant, { webhookId, walk }: ReplayRun, now: Date): Write => ({
  put: { ...webhookKey.replay(tenant, webhookId), walk, ...lockUntil(now) },
  condition: 'attribute_not_exists(pk) OR #until <= :now',
  names: { '#until': 'until' },
  values: { ':now': iso(now) },
  onConditionFailed: () => new ApiError('CONFLICT', 'A replay of this webhook is already running. Wait until it has finished'),
});

/** False if another replay holds the lock or this one has ended, so that a late duplicate of a task does nothing. */
export const extendReplayLock = (tenant: Tenant, { webhookId, walk }: ReplayRun, now: Date): Promise<boolean> => {
  const { until, ttl } = lockUntil(now);
  return updateItem({
    update: webhookKey.replay(tenant, webhookId),
    expression: 'SET #walk = :walk, #until = :until, #ttl = :ttl',
    condition: 'attribute_not_exists(pk) OR (#walk = :walk AND attribute_not_exists(#ended))',
    names: { '#walk': 'walk', '#until': 'until', '#ttl': 'ttl', '#ended': 'isEnded' },
    values: { ':walk': walk, ':until': until, ':ttl': ttl },
  });
};

export const releaseReplayLock = async (tenant: Tenant, { webhookId, walk }: ReplayRun, now: Date): Promise<void> => {
  await updateItem(set(webhookKey.replay(tenant, webhookId), { until: iso(now), isEnded: true }, { expected: { walk } }));
};

const lockUntil = (now: Date): { readonly until: string; readonly ttl: number } => {
  const until = after(now, lockSeconds);
  return { until: iso(until), ttl: epochSeconds(until) };
};
