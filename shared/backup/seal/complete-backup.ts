/** The one transaction that makes a backup completed. */

import { setTimeout as pause } from 'node:timers/promises';
import { chainSoftMax } from '../../contract/limits.ts';
import { emit, enqueue } from '../../event/index.ts';
import { decilesUpTo } from '../../job/index.ts';
import { type Clock, commit, emitMetric, get, isConflict, iso, randomFraction, set, type Write } from '../../platform/index.ts';
import { jobRelease, projectKey } from '../../project/index.ts';
import { type EventContext, progressEvents } from '../copy/backup-progress-events.ts';
import { backupAudit } from '../model/backup-audit.ts';
import { backupEvent } from '../model/backup-view.ts';
import { countInOrganization } from '../model/count-in-organization.ts';
import { type BackupRecord, backupKey } from '../model/record.ts';
import { markRetentionDue } from '../model/retention-due.ts';
import { assertBackupRunning, updateRunningBackup } from '../model/running-backup.ts';
import { expiryOf } from '../start/start-backup.ts';
import { type ArchiveContents, topCollections } from './archive-contents.ts';

export interface Completion {
  readonly contents: ArchiveContents;
  /** All that lies in the destination. */
  readonly size: number;
  readonly manifestDigest: string;
  /** Archives of other backups that its manifest lists chunks of. */
  readonly needs: readonly string[];
}

const triesMax = 8;
const clashMs = 200;

/**
 * Everything that is true of a completed backup becomes true at once, if it still runs and still has its project's lock: one
 * that was cancelled or given up meanwhile completes nothing.
 */
export const completeBackup = async (
  context: EventContext,
  { id }: BackupRecord,
  completion: Completion,
  clock: Clock,
): Promise<void> => {
  for (let tries = 1; ; tries++) {
    const backup = await get(backupKey.backup(context.tenant, id));
    // Another run of this step, or this one whose answer was lost.
    if (backup?.status === 'completed') return;
    const now = clock.now();
    try {
      const running = assertBackupRunning(backup, now);
      await commit(writesOf(context, running, completion, now));
      return emitMetric('a backup was completed', {
        BackupsCompleted: 1,
        DocumentsBackedUp: completion.contents.documents,
        DocumentsRead: running.reads,
        BytesStored: completion.size,
        BackupDuration: (now.getTime() - Date.parse(running.createdAt)) / 1_000,
      });
    } catch (error) {
      if (!isConflict(error) || tries === triesMax) throw error;
      await pause(randomFraction() * clashMs);
    }
  }
};

const writesOf = (context: EventContext, backup: BackupRecord, completion: Completion, now: Date): readonly Write[] => {
  const { tenant, project, organization } = context;
  const { contents, size, manifestDigest, needs } = completion;
  const { id, projectId, toldPercent } = backup;
  const completed = {
    status: 'completed',
    phase: 'finished',
    documents: contents.documents,
    totalDocuments: contents.documents,
    toldPercent: 100,
    size,
    originalSize: contents.originalSize,
    documentCount: contents.documents,
    collectionCounts: topCollections(contents.collections),
    countVerified: contents.countVerified,
    ...(backup.includeAuthUsers && { authUsers: contents.users }),
    manifestDigest,
    ...(needs.length > 0 && { needs }),
    completedAt: iso(now),
    expiresAt: expiryOf(backup, now),
  } as const;
  const whole: BackupRecord = { ...backup, ...completed };
  return [
    updateRunningBackup(tenant, id, { set: completed, expected: { toldPercent } }),
    jobRelease(tenant, projectId, id),
    { remove: backupKey.running(tenant, id) },
    countInOrganization(tenant, 1, size),
    // Of what is made of another backup the source is as old as that.
    ...(backup.synthesizedFrom === undefined ? [set(projectKey.project(tenant, projectId), { lastBackupAt: iso(now) })] : []),
    ...progressEvents(context, backup, decilesUpTo(toldPercent, 90), contents.documents, now),
    ...progressEvents(context, whole, [100], contents.documents, now),
    ...followUps(context, whole, now),
    emit(tenant, 'backup.completed', backupEvent(whole, project, organization), now),
    backupAudit(tenant, 'backup.completed', whole, { documents: contents.documents, size }, now),
  ];
};

/** What others have to do now that it is there. */
const followUps = ({ tenant }: EventContext, backup: BackupRecord, now: Date): readonly Write[] => {
  const { id, type, chainLength = 0, scheduleId, synthesizedFrom } = backup;
  return [
    // What is made of another backup is no run of its schedule.
    ...(scheduleId === null || synthesizedFrom !== undefined
      ? []
      : [enqueue(tenant, { kind: 'schedule-outcome', scheduleId, backupId: id }, now)]),
    ...(isKeptForATime(backup) ? [markRetentionDue(tenant, now)] : []),
    ...(type === 'incremental' && chainLength >= chainSoftMax
      ? [enqueue(tenant, { kind: 'synthesize-full', backupId: id }, now)]
      : []),
  ];
};

const isKeptForATime = ({ retentionDays, retentionPolicy, trigger }: BackupRecord): boolean =>
  retentionDays !== undefined || retentionPolicy !== undefined || trigger === 'pitr-base';
