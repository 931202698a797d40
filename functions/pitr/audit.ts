/** Worker of the audit queue: reads the share of a project that is due, and sends the rest to itself. */
import { workers } from '../../shared/contract/runtime/workers.ts';
import { consumeQueue, sendTask, type TaskMessage } from '../../shared/event/index.ts';
import { runAudit } from '../../shared/pitr/index.ts';
import { after, unsafeTenant } from '../../shared/platform/index.ts';
import { backupDeps } from '../../shared/stored-backup/index.ts';

const { timeoutSeconds } = workers.captureAudit;
/** A slice that is being read then ends; the rest of the timeout is for its last documents and its correction. */
const readSeconds = (timeoutSeconds * 2) / 3;
const stopMs = (timeoutSeconds * 1_000 * 9) / 10;

const audit = async ({ organizationId, task }: TaskMessage): Promise<void> => {
  if (task.kind !== 'audit-captures') throw new Error(`unexpected task "${task.kind}" on the audit queue`);
  const tenant = unsafeTenant(organizationId, 'record');
  const isMoreDue = await runAudit(tenant, task.projectId, {
    deps: backupDeps,
    until: after(backupDeps.clock.now(), readSeconds),
    signal: AbortSignal.timeout(stopMs),
  });
  if (isMoreDue) await sendTask(tenant, task);
};

export const handler = consumeQueue(audit);
