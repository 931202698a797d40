/** Completes a backup, in one transaction. */
import type { StatisticsByCollection } from '../../anomaly/index.ts';
import { backupEvents } from '../../contract/event-data/backup-events.ts';
import { chainSoftMax } from '../../contract/limits.ts';
import { destinationKey, recoveryWrites } from '../../destination/index.ts';
import { emit, enqueue } from '../../event/index.ts';
import { decilesUpTo } from '../../job/index.ts';
import { type Clock, commit, emitMetric, get, retryOnConflict, type Write } from '../../platform/index.ts';
import { backedUpWrites, jobRelease } from '../../project/index.ts';
import {
  addedBackupErasureTasks,
  anomalyNotices,
  type BackupAnomaly,
  type BackupRecord,
  backupAudit,
  backupEvent,
  backupKey,
  backupProgressEvents,
  type Completion,
  completedFields,
  countInOrganization,
  type EventContext,
  expiryOf,
  type JudgedBackup,
  judgeBackup,
  lockFields,
  lockProblemAudit,
  markRetentionDue,
} from '../../stored-backup/index.ts';
import { backupReads } from '../model/backup-reads.ts';
import { assertBackupRunning, updateRunningBackup } from '../model/running-backup.ts';

/** Succeeds only while the backup runs and holds its project's lock: a cancelled or reaped backup completes nothing. */
export const completeBackup = (
  context: EventContext,
  {
    backup: { id },
    completion,
    statistics,
    lost,
    clock,
  }: {
    readonly backup: BackupRecord;
    readonly completion: Completion;
    readonly statistics: StatisticsByCollection | undefined;
    /** What of the configuration is gone since the backup before. */
    readonly lost: BackupAnomaly['findings'];
    readonly clock: Clock;
  },
): Promise<void> =>
  retryOnConflict({ attempts: 8, jitterMs: 200 }, async () => {
    const backup = await get(backupKey.backup(context.tenant, id));
    // Completed by another run of this step, or by this one whose response was lost.
    if (backup?.status === 'completed') return;
    const now = clock.now();
    const running = assertBackupRunning(backup, now);
    const judged = await judgeBackup(context.tenant, { backup: running, statistics, lost, now });
    const copies = await addedBackupErasureTasks(context.tenant, running, now);
    const proven = await provenWrites(context, running, now);
    await commit([...completionWrites(context, { backup: running, completion, judged, now }), ...copies, ...proven]);
    emitMetric('a backup was completed', {
      BackupsCompleted: 1,
      DocumentsBackedUp: completion.contents.documents,
      DocumentsRead: running.reads,
      BytesStored: completion.size,
      BackupDuration: (now.getTime() - Date.parse(running.createdAt)) / 1_000,
    });
  });

/** The backup proves that source and destination work, also if they failed before it began. */
const provenWrites = async (context: EventContext, backup: BackupRecord, now: Date): Promise<readonly Write[]> => {
  const { tenant } = context;
  const { id, projectId, storageDestination, synthesizedFrom } = backup;
  const since = backup.startedAt ?? backup.createdAt;
  const destination = await get(destinationKey(tenant, storageDestination.id));
  return [
    // A synthetic full is as old as the backup it is made from, and does not read the source.
    ...(synthesizedFrom === undefined ? await backedUpWrites(tenant, { projectId, backupId: id, since }, now) : []),
    ...(destination ? recoveryWrites(context, { record: destination, since, now }) : []),
  ];
};

const completionWrites = (
  context: EventContext,
  {
    backup,
    completion,
    judged: { anomaly, writes },
    now,
  }: { readonly backup: BackupRecord; readonly completion: Completion; readonly judged: JudgedBackup; readonly now: Date },
): readonly Write[] => {
  const { tenant, project, organization } = context;
  const { contents, size, needs, locks } = completion;
  const { id, projectId, toldPercent } = backup;
  const completed = {
    ...completedFields(backup, completion, now),
    status: 'completed',
    phase: 'finished',
    toldPercent: 100,
    countVerified: contents.countVerified,
    ...(needs.length > 0 && { needs }),
    expiresAt: expiryOf(backup, now),
    ...lockFields(locks, now),
    ...(anomaly && { anomaly, anomalyState: 'open' as const }),
  } as const;
  const record: BackupRecord = { ...backup, ...completed };
  return [
    updateRunningBackup(tenant, id, { set: { ...completed, waitingFor: undefined }, expected: { toldPercent } }),
    jobRelease(tenant, projectId, id),
    { remove: backupKey.running(tenant, id) },
    countInOrganization(tenant, { backups: 1, bytes: size }),
    ...backupProgressEvents(context, { backup, percents: decilesUpTo(toldPercent, 90), totalDocuments: contents.documents, now }),
    ...backupProgressEvents(context, { backup: record, percents: [100], totalDocuments: contents.documents, now }),
    ...followUpTasks(context, record, now),
    emit(tenant, { schemas: backupEvents, name: 'backup.completed', data: backupEvent(record, project, organization), now }),
    backupAudit(tenant, { action: 'backup.completed', backup: record, details: { documents: contents.documents, size }, now }),
    ...(record.lockProblem
      ? [lockProblemAudit(tenant, record, now), enqueue(tenant, { kind: 'apply-verification', backupId: id }, now)]
      : []),
    ...backupReads(tenant, record, now),
    ...writes,
    ...anomalyNotices(context, record, { now }),
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
