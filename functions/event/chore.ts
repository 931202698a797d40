/**
 * Does one task that takes its time: it needs a customer's bucket, replays a month of events, looks at every backup there is, or
 * carries a project's over to another organization. It ends before its function does, however long the bucket takes to answer, and
 * is given again then, and after some tries put aside with the dead letters.
 */
import { eraseBackup, rewrapKeys } from '../../shared/backup/index.ts';
import { workers } from '../../shared/contract/runtime/workers.ts';
import { openStore, taskRetryPolicy } from '../../shared/destination/index.ts';
import { consume, type TaskMessage } from '../../shared/event/index.ts';
import { settleMove } from '../../shared/move/index.ts';
import { expireCaptures } from '../../shared/pitr/index.ts';
import { after, clock, log, unsafeTenant } from '../../shared/platform/index.ts';
import { journalKeyIds } from '../../shared/restore/index.ts';
import { applyRetention } from '../../shared/retention/index.ts';
import { replayWebhook } from '../../shared/webhook/index.ts';

const { timeoutSeconds } = workers.chore;
/** The object or page begun then has the last third. */
const eraseMs = (timeoutSeconds * 2_000) / 3;
/** Wrapping the key of one backup takes up to four requests to its bucket, each tried for up to 32 s. */
const rewrapSeconds = timeoutSeconds / 3;
/** A page begun then ends long before the function does; what others ask for has its turn between two parts. */
const replaySeconds = timeoutSeconds / 3;
/** Of the walk and what is removed after it; one transaction may be begun then. */
const retentionSeconds = (timeoutSeconds * 2) / 3;
/** An object begun then is removed long before the function ends. */
const forgetSeconds = timeoutSeconds / 3;
/** A record begun then is carried over well before it does. */
const settleSeconds = timeoutSeconds / 3;

const open: typeof openStore = (tenant, destination, folder) => openStore(tenant, destination, folder, taskRetryPolicy);

const doChore = async ({ id, organizationId, task }: TaskMessage): Promise<void> => {
  log.info('doing a chore', { id, organizationId, kind: task.kind });
  const tenant = unsafeTenant(organizationId, 'record');
  switch (task.kind) {
    case 'erase-backup':
      return eraseBackup(tenant, task.backupId, open, AbortSignal.timeout(eraseMs));
    case 'rewrap-keys':
      return rewrapKeys(tenant, task, after(clock.now(), rewrapSeconds), clock, open, journalKeyIds);
    case 'replay-webhook':
      return replayWebhook(tenant, task, after(clock.now(), replaySeconds), clock);
    case 'settle-move':
      return settleMove(tenant, task, (other) => unsafeTenant(other, 'record'), after(clock.now(), settleSeconds));
    case 'apply-retention':
      return applyRetention(tenant, after(clock.now(), retentionSeconds), clock);
    case 'forget-captures':
      return expireCaptures(tenant, task.projectId, after(clock.now(), forgetSeconds), clock, open);
    default:
      throw new Error(`${task.kind} is no chore, and came by the wrong queue`);
  }
};

/** One comes at a time. What a bucket does not answer is told of the message: it is no error of the function. */
export const handler = consume(doChore);
