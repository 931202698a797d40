/** Completes a backup, in one transaction. */
import { chainSoftMax } from '../../contract/limits.ts';
import { emit, enqueue } from '../../event/index.ts';
import { decilesUpTo } from '../../job/index.ts';
import { type Clock, commit, emitMetric, get, iso, retryOnConflict, set, type Write } from '../../platform/index.ts';
import { jobRelease, projectKey } from '../../project/index.ts';
import { type EventContext, progressEvents } from '../copy/backup-progress-events.ts';
import { backupAudit } from '../model/backup-audit.ts';
import { type CompletedArchive, completedFields, expiryOf } from '../model/backup-fields.ts';
import { backupEvent } from '../model/backup-view.ts';
import { countInOrganization } from '../model/count-in-organization.ts';
import { type BackupRecord, backupKey } from '../model/record.ts';
import { markRetentionDue } from '../model/retention-due.ts';
import { assertBackupRunning, updateRunningBackup } from '../model/running-backup.ts';

export interface Completion extends CompletedArchive {
  /** Other archives whose chunks its manifest lists. */
  readonly needs: readonly string[];
}

/** Succeeds only while the backup runs and holds its project's lock: a cancelled or reaped backup completes nothing. */
export const completeBackup = (
  context: EventContext,
  { id }: BackupRecord,
  completion: Completion,
  clock: Clock,
): Promise<void> =>
  retryOnConflict({ attempts: 8, jitterMs: 200 }, async () => {
    const backup = await get(backupKey.backup(context.tenant, id));
    // Completed by another run of this step, or by this one whose response was lost.
    if (backup?.status === 'completed') return;
    const now = clock.now();
    const running = assertBackupRunning(backup, now);
    await commit(completionWrites(context, running, completion, now));
    emitMetric('a backup was completed', {
      BackupsCompleted: 1,
      DocumentsBackedUp: completion.contents.documents,
      DocumentsRead: running.reads,
      BytesStored: completion.size,
      BackupDuration: (now.getTime() - Date.parse(running.createdAt)) / 1_000,
    });
  });

const completionWrites = (context: EventContext, backup: BackupRecord, completion: Completion, now: Date): readonly Write[] => {
  const { tenant, project, organization } = context;
  const { contents, size, needs } = completion;
  const { id, projectId, toldPercent } = backup;
  const completed = {
    ...completedFields(backup, completion, now),
    status: 'completed',
    phase: 'finished',
    toldPercent: 100,
    countVerified: contents.countVerified,
    ...(needs.length > 0 && { needs }),
    expiresAt: expiryOf(backup, now),
  } as const;
  const record: BackupRecord = { ...backup, ...completed };
  return [
    updateRunningBackup(tenant, id, { set: completed, expected: { toldPercent } }),
    jobRelease(tenant, projectId, id),
    { remove: backupKey.running(tenant, id) },
    countInOrganization(tenant, 1, size),
    // A synthetic full is as old as the backup it is made from.
    ...(backup.synthesizedFrom === undefined ? [set(projectKey.project(tenant, projectId), { lastBackupAt: iso(now) })] : []),
    ...progressEvents(context, backup, decilesUpTo(toldPercent, 90), contents.documents, now),
    ...progressEvents(context, record, [100], contents.documents, now),
    ...followUpTasks(context, record, now),
    emit(tenant, 'backup.completed', backupEvent(record, project, organization), now),
    backupAudit(tenant, 'backup.completed', record, { documents: contents.documents, size }, now),
  ];
};

const followUpTasks = ({ tenant }: EventContext, backup: BackupRecord, now: Date): readonly Write[] => {
  const { id, type, chainLength = 0, scheduleId, synthesizedFrom } = backup;
  return [
    // A synthetic full is no run of its schedule.
    ...(scheduleId === null || synthesizedFrom !== undefined
      ? []
      : [enqueue(tenant, { kind: 'schedule-outcome', scheduleId, backupId: id }, now)]),
    ...(expiresSomeday(backup) ? [markRetentionDue(tenant, now)] : []),
    ...(type === 'incremental' && chainLength >= chainSoftMax
      ? [enqueue(tenant, { kind: 'synthesize-full', backupId: id }, now)]
      : []),
  ];
};

const expiresSomeday = ({ retentionDays, retentionPolicy, trigger }: BackupRecord): boolean =>
  retentionDays !== undefined || retentionPolicy !== undefined || trigger === 'pitr-base';
