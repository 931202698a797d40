/**
 * Runs one slow task: it uses a customer's bucket, replays a month of events, reads every backup, or moves a project. A task ends
 * before its function times out, however slow the bucket is. A failed task is retried, then dead-lettered.
 */

import { workers } from '../../shared/contract/runtime/workers.ts';
import { type openStore, openStoreWith, taskRetryPolicy } from '../../shared/destination/index.ts';
import { consumeQueue, type TaskMessage } from '../../shared/event/index.ts';
import { finishOrRevertMove } from '../../shared/move/index.ts';
import { expireCaptures, searchCaptures } from '../../shared/pitr/index.ts';
import { after, clock, log, unsafeTenant } from '../../shared/platform/index.ts';
import { journalKeyIds } from '../../shared/restore/index.ts';
import { applyRetention } from '../../shared/retention/index.ts';
import { assessErasures, dataKeyOf, eraseBackup, rewrapKeys, storeErasures } from '../../shared/stored-backup/index.ts';
import { runReplay } from '../../shared/webhook/index.ts';

const { timeoutSeconds } = workers.bucketWork;
/** Leaves a third of the time for the object or page in progress. */
const eraseMs = (timeoutSeconds * 2_000) / 3;
/** Wrapping the key of one backup takes up to four bucket requests, each retried for up to 32 s. */
const rewrapSeconds = timeoutSeconds / 3;
/** Longer than a run, for clocks that differ; shorter than the time until a failed task is repeated. */
const rewrapLockSeconds = timeoutSeconds * 2;
/** A page in progress ends long before the function. Other tenants' tasks run between two parts. */
const replaySeconds = timeoutSeconds / 3;
/** For the walk and the expirations that follow. Leaves time for one transaction. */
const retentionSeconds = (timeoutSeconds * 2) / 3;
/** Leaves time to delete the object in progress. */
const expireSeconds = timeoutSeconds / 3;
/** Leaves time for the backup in progress, however many documents it has. */
const erasureSeconds = timeoutSeconds / 3;
/** Leaves time to move the record in progress. */
const moveSeconds = timeoutSeconds / 3;

const open: typeof openStore = (tenant, destination, folder) =>
  openStoreWith(tenant, { destination, folder, retryPolicy: taskRetryPolicy });

const runTask = async ({ id, organizationId, task }: TaskMessage): Promise<void> => {
  log.info('task started', { id, organizationId, kind: task.kind });
  const tenant = unsafeTenant(organizationId, 'record');
  switch (task.kind) {
    case 'erase-backup':
      return eraseBackup(tenant, { backupId: task.backupId, open, signal: AbortSignal.timeout(eraseMs) });
    case 'rewrap-keys':
      return rewrapKeys(tenant, task, {
        taskId: id,
        endsBy: after(clock.now(), timeoutSeconds),
        until: after(clock.now(), rewrapLockSeconds),
        deadline: after(clock.now(), rewrapSeconds),
        clock,
        openStore: open,
        findOtherKeyIds: journalKeyIds,
      });
    case 'replay-webhook':
      return runReplay(tenant, task, { until: after(clock.now(), replaySeconds), time: clock });
    case 'finish-move':
      return finishOrRevertMove(tenant, {
        task,
        tenantOf: (other) => unsafeTenant(other, 'record'),
        until: after(clock.now(), moveSeconds),
      });
    case 'apply-retention':
      return applyRetention(tenant, { until: after(clock.now(), retentionSeconds), time: clock });
    case 'expire-captures':
      return expireCaptures(tenant, task.projectId, { until: after(clock.now(), expireSeconds), clock, openStore: open });
    case 'store-erasures':
      return storeErasures(tenant, task, { deadline: after(clock.now(), erasureSeconds), clock, openStore: open });
    case 'assess-erasures': {
      const deadline = after(clock.now(), erasureSeconds);
      const deps = { openStore: open, dataKeyOf };
      return assessErasures(tenant, task, {
        deadline,
        clock,
        ...deps,
        searchCaptures: (owner, { projectId, erasure, ...search }) =>
          searchCaptures(owner, { projectId, erasure, options: { ...search, until: deadline, clock, deps } }),
      });
    }
    default:
      throw new Error(`unexpected task "${task.kind}" on the bucket work queue`);
  }
};

/** The batch size is one. A bucket that does not answer fails the message, not the function. */
export const handler = consumeQueue(runTask);
