/**
 * Allows one rewrap of an organization's keys at a time. Of two at once, the one that ends last in the table could be the first in a
 * bucket, which would then keep a key that only a forgotten passphrase opens.
 */
import { ApiError } from '../../contract/errors.ts';
import {
  epochSeconds,
  get,
  type Item,
  iso,
  type Key,
  newUlid,
  set,
  type Tenant,
  updateItem,
  type Write,
} from '../../platform/index.ts';

interface RewrapLockRecord extends Item {
  readonly taskId: string;
  /** The run of the task that holds the lock. */
  readonly runId: string;
  /** When the run has ended at the latest. */
  readonly endsBy: string;
  /** When the lock of a run that died expires. Later than `endsBy`, for clocks that differ. */
  readonly until: string;
}

export interface RewrapLock {
  readonly tenant: Tenant;
  readonly runId: string;
}

const rewrapLockKey = ({ organizationId }: Tenant): Key<RewrapLockRecord> => ({ pk: `ORG#${organizationId}`, sk: 'REWRAP' });

/**
 * Undefined if another task holds the lock: that one looks for changed settings before it releases the lock, or fails and is repeated.
 * Throws if an earlier run of this task may still hold it, or a run that has died: the task must be repeated later, because it may be the
 * last one.
 */
export const acquireRewrapLock = async (
  tenant: Tenant,
  { taskId, endsBy, until }: { readonly taskId: string; readonly endsBy: Date; readonly until: Date },
  now: Date,
): Promise<RewrapLock | undefined> => {
  const runId = newUlid(now);
  const isAcquired = await updateItem({
    update: rewrapLockKey(tenant),
    expression: 'SET #task = :task, #run = :run, #ends = :ends, #until = :until, #ttl = :ttl',
    condition: 'attribute_not_exists(pk) OR #until <= :now OR #run = :run',
    names: { '#task': 'taskId', '#run': 'runId', '#ends': 'endsBy', '#until': 'until', '#ttl': 'ttl' },
    values: {
      ':task': taskId,
      ':run': runId,
      ':ends': iso(endsBy),
      ':until': iso(until),
      ':ttl': epochSeconds(until),
      ':now': iso(now),
    },
  });
  if (isAcquired) return { tenant, runId };
  const held = await get(rewrapLockKey(tenant));
  if (held?.taskId === taskId) throw new Error('an earlier run of this task has not ended');
  if (held && held.endsBy <= iso(now)) throw new Error('the run that holds the lock has died');
  return undefined;
};

/**
 * Belongs in the transaction that ends the rewrap or enqueues the task that continues it. A released lock is free for every clock, also
 * for one that is behind.
 */
export const releaseRewrapLock = ({ tenant, runId }: RewrapLock): Write =>
  set(rewrapLockKey(tenant), { until: iso(new Date(0)) }, { expected: { runId }, onConditionFailed: lost });

const lost = (): ApiError => new ApiError('CONFLICT', 'The lock of the rewrap was lost');
