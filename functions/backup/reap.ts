/** Every few minutes: looks after all backups under way, and ends those that nothing moves any more. */
import { engine, type RunningRecord, reapBackup, runningBackups, type Workflow } from '../../shared/backup/index.ts';
import { log, lookAtWorkflow, proveTenant, startWorkflow, stopWorkflow } from '../../shared/platform/index.ts';

const workflow: Workflow = {
  look: (backupId) => lookAtWorkflow('BACKUP_WORKFLOW_ARN', backupId),
  start: (organizationId, backupId) => startWorkflow('BACKUP_WORKFLOW_ARN', backupId, { organizationId, backupId }),
  stop: (backupId, cause) => stopWorkflow('BACKUP_WORKFLOW_ARN', backupId, cause),
};

/** Looked after at once. */
const lanes = 8;

export const handler = async (): Promise<void> => {
  const waiting = runningBackups();
  let [looked, failed] = [0, 0];
  const lane = async (): Promise<void> => {
    for (let next = await waiting.next(); !next.done; next = await waiting.next()) {
      looked += 1;
      if (!(await isReaped(next.value))) failed += 1;
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  log.info('looked after the backups under way', { looked, failed });
  // The next run tries again; failing says so where it is watched.
  if (failed > 0) throw new Error(`${failed} of ${looked} backups could not be looked after`);
};

/** One that fails must not keep the others waiting. */
const isReaped = async (note: RunningRecord): Promise<boolean> => {
  try {
    await reapBackup(proveTenant(note.organizationId, 'record'), note, engine, workflow);
    return true;
  } catch (error) {
    const { name, message } = error as Error;
    log.error('a backup could not be looked after', { backupId: note.backupId, reason: `${name}: ${message}` });
    return false;
  }
};
