/** Does what is quickly done. A task that fails is given again, and after some tries put aside with the dead letters. */
import { consumeQueue, type TaskMessage } from '../../shared/event/index.ts';
import { sendInvitation } from '../../shared/organization/index.ts';
import { clock, log, startWorkflow, unsafeTenant } from '../../shared/platform/index.ts';
import { disableWebhook, notifyOwner } from '../../shared/webhook/index.ts';

const doTask = async ({ id, organizationId, task }: TaskMessage): Promise<void> => {
  log.info('doing a task', { id, organizationId, kind: task.kind });
  const tenant = unsafeTenant(organizationId, 'record');
  switch (task.kind) {
    case 'send-invitation':
      return sendInvitation(tenant, task.invitationId, clock.now());
    case 'purge-organization':
      return startWorkflow('PURGE_WORKFLOW_ARN', id, { organizationId, deleteBackupData: task.deleteBackupData, done: false });
    // Named for the backup: however often it is asked for, it is made once.
    case 'start-backup':
      return startWorkflow('BACKUP_WORKFLOW_ARN', task.backupId, { organizationId, backupId: task.backupId });
    case 'start-verification':
      return startWorkflow('VERIFY_WORKFLOW_ARN', id, { organizationId, backupId: task.backupId, position: null, done: false });
    // Named for the attempt: each is made once.
    case 'start-restore':
      return startWorkflow('RESTORE_WORKFLOW_ARN', `${task.restoreJobId}-${task.attempt}`, {
        organizationId,
        restoreJobId: task.restoreJobId,
        attempt: task.attempt,
      });
    case 'disable-webhook':
      return disableWebhook(tenant, task, clock.now());
    case 'tell-disabled':
      return notifyOwner(tenant, task.webhookId, clock.now());
    default:
      throw new Error(`${task.kind} is no task of this worker, and came by the wrong queue`);
  }
};

export const handler = consumeQueue(doTask);
