/** Runs quick tasks. A failed task is retried, then dead-lettered. */
import { notifyDeviceSignIn } from '../../shared/account/index.ts';
import { applyWebhook } from '../../shared/alert/index.ts';
import { consumeQueue, type TaskMessage } from '../../shared/event/index.ts';
import { sendInvitation } from '../../shared/organization/index.ts';
import { notifyOrganizationDeleted } from '../../shared/organization-deletion/index.ts';
import { clock, log, startWorkflow, unsafeTenant } from '../../shared/platform/index.ts';
import { finishDeparture } from '../../shared/project/index.ts';
import { disableWebhook, notifyOwner } from '../../shared/webhook/index.ts';

const runTask = async ({ id, organizationId, task }: TaskMessage): Promise<void> => {
  log.info('task started', { id, organizationId, kind: task.kind });
  const tenant = unsafeTenant(organizationId, 'record');
  switch (task.kind) {
    case 'send-invitation':
      return sendInvitation(tenant, task.invitationId, clock.now());
    case 'notify-organization-deleted':
      return notifyOrganizationDeleted(tenant);
    case 'notify-device-sign-in':
      return notifyDeviceSignIn(task.userId, task.sessionId);
    case 'finish-departure':
      return finishDeparture(tenant, task.userId, clock.now());
    case 'purge-organization':
      return startWorkflow('PURGE_WORKFLOW_ARN', id, { organizationId, deleteBackupData: task.deleteBackupData, done: false });
    // Named after the backup, so that a duplicate message starts no second execution.
    case 'start-backup':
      return startWorkflow('BACKUP_WORKFLOW_ARN', task.backupId, { organizationId, backupId: task.backupId });
    case 'start-verification':
      return startWorkflow('VERIFY_WORKFLOW_ARN', id, { organizationId, backupId: task.backupId, position: null, done: false });
    // Named after the attempt, for the same reason.
    case 'start-restore':
      return startWorkflow('RESTORE_WORKFLOW_ARN', `${task.restoreJobId}-${task.attempt}`, {
        organizationId,
        restoreJobId: task.restoreJobId,
        attempt: task.attempt,
      });
    case 'start-export':
      return startWorkflow('EXPORT_WORKFLOW_ARN', `${task.exportId}-${task.attempt}`, {
        organizationId,
        exportId: task.exportId,
        attempt: task.attempt,
      });
    case 'start-restore-test':
      return startWorkflow('RESTORE_TEST_WORKFLOW_ARN', `${task.runId}-${task.attempt}`, {
        organizationId,
        runId: task.runId,
        attempt: task.attempt,
        done: false,
      });
    case 'disable-webhook':
      return disableWebhook(tenant, task, clock.now());
    case 'notify-webhook-disabled':
      // The incident first: it is idempotent, an e-mail is not.
      await applyWebhook(tenant, task.webhookId, clock.now());
      return notifyOwner(tenant, task.webhookId, clock.now());
    case 'apply-webhook':
      return applyWebhook(tenant, task.webhookId, clock.now());
    default:
      throw new Error(`unexpected task "${task.kind}" on the task queue`);
  }
};

export const handler = consumeQueue(runTask);
