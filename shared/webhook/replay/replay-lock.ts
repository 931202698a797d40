/** One replay of a webhook at a time: each may send a month of events to one endpoint, which never asked for more than one. */
import { ApiError } from '../../contract/errors.ts';
import { after, epochSeconds, iso, set, type Tenant, updateItem, type Write } from '../../platform/index.ts';
import { webhookKey } from '../model/record.ts';

/** A part that fails is given again for 2.5 h, five times; after that nobody goes on by itself, and the webhook is free again. */
const lockSeconds = 3 * 3_600;

export interface ReplayRun {
  readonly webhookId: string;
  readonly walk: string;
}

/** For the transaction that begins a replay. */
export const acquireReplayLock = (tenant: Tenant, { webhookId, walk }: ReplayRun, now: Date): Write => ({
  put: { ...webhookKey.replay(tenant, webhookId), walk, ...lockUntil(now) },
  condition: 'attribute_not_exists(pk) OR #until <= :now',
  names: { '#until': 'until' },
  values: { ':now': iso(now) },
  onConditionFailed: () => new ApiError('CONFLICT', 'A replay of this webhook is still running; wait until it has ended'),
});

/** Makes it last from now on; false if another replay has it, or this one has ended: a task that comes late does nothing again. */
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

/** Frees the webhook for another, unless another has it. */
export const releaseReplayLock = async (tenant: Tenant, { webhookId, walk }: ReplayRun, now: Date): Promise<void> => {
  await updateItem(set(webhookKey.replay(tenant, webhookId), { until: iso(now), isEnded: true }, { expected: { walk } }));
};

const lockUntil = (now: Date): { readonly until: string; readonly ttl: number } => {
  const until = after(now, lockSeconds);
  return { until: iso(until), ttl: epochSeconds(until) };
};
