/** The part of a backup that retention needs, small enough to hold all backups of an organization in memory. */

import { after, fingerprint } from '../platform/index.ts';
import { isInMove } from '../project/index.ts';
import { type BackupRecord, isRestorePointBackup, verificationSeconds } from '../stored-backup/index.ts';
import { Interner } from './interner.ts';

export interface RetentionCandidate {
  readonly id: string;
  /** Other backups refer to its objects by this id. */
  readonly archiveId: string;
  /** Project and selection of collections. */
  readonly scope: string;
  /** Otherwise pending or running: it cannot expire, but depends on its parents. */
  readonly isCompleted: boolean;
  readonly isDamaged: boolean;
  /** Holds single documents, may lack collections, or was made for one restore: it replaces no other backup. */
  readonly isPartial: boolean;
  /** Completed, not partial, not known to be damaged. */
  readonly isGood: boolean;
  /** The moment whose data it holds. */
  readonly momentMs: number;
  /** End of its lock or verification; infinite while it is restored, moved, or held because of an unacknowledged anomaly. */
  readonly heldUntilMs: number;
  /** When its retention days end; infinite if it has none. */
  readonly endsAtMs: number;
  /** A base of captured changes with neither days nor a policy: it expires once it is not pinned. */
  readonly isBase: boolean;
  /** The retention policy that applies instead of days. */
  readonly rule: OwnRule | undefined;
  /** Archives of other backups that it reads from. */
  readonly needs: readonly string[];
  /** Backups that a running backup is built from. */
  readonly parents: readonly string[];
  readonly childCount: number | undefined;
}

export interface OwnRule {
  readonly scheduleId: string;
  readonly policy: NonNullable<BackupRecord['retentionPolicy']>;
  /** The schedule's time zone when the backup was started. */
  readonly timezone: string;
}

/** The attributes of a backup record that `toCandidate` reads. */
export const candidateAttributes = [
  'pk',
  'sk',
  'id',
  'projectId',
  'archive',
  'status',
  'trigger',
  'scheduleId',
  'collections',
  'excludedCollections',
  'includeAuthUsers',
  'isPartial',
  'isForeign',
  'mayLackCollections',
  'retentionDays',
  'damagedDepth',
  'readTime',
  'createdAt',
  'completedAt',
  'expiresAt',
  'lockedUntil',
  'retentionPolicy',
  'retentionTimezone',
  'needs',
  'parentBackupId',
  'synthesizedFrom',
  'builtUpon',
  'restoring',
  'heldFor',
  'anomalyState',
  'verification',
  'arriving',
  'leaving',
] as const;

/** A base backup is kept this long in any case, so that captures have time to begin with it. */
const baseSeconds = 24 * 3_600;

/** Undefined for a backup that was deleted, has expired or has failed. */
export const toCandidate = (backup: BackupRecord, interner = new Interner()): RetentionCandidate | undefined => {
  const { status } = backup;
  if (status !== 'completed' && status !== 'pending' && status !== 'running') return undefined;
  const { id, archive, retentionPolicy: policy, scheduleId, expiresAt, trigger, needs = [] } = backup;
  const isCompleted = status === 'completed';
  const isDamaged = backup.damagedDepth !== undefined;
  const isPartial =
    [backup.isPartial, backup.mayLackCollections, backup.isForeign].includes(true) || isRestorePointBackup(backup);
  const isBase = trigger === 'pitr-base' && expiresAt === null && policy === undefined;
  const hasPolicy = policy !== undefined && scheduleId !== null;
  return {
    id: interner.text(id),
    archiveId: interner.text(archive.backup),
    scope: interner.text(scopeOf(backup)),
    isCompleted,
    isDamaged,
    isPartial,
    isGood: isCompleted && !isDamaged && !isPartial,
    momentMs: Date.parse(backup.readTime ?? backup.completedAt ?? backup.createdAt),
    heldUntilMs: heldUntilMs(backup),
    endsAtMs: isBase ? afterMs(backup.completedAt, baseSeconds) : afterMs(expiresAt, 0),
    isBase,
    rule: hasPolicy ? interner.object({ scheduleId, policy, timezone: backup.retentionTimezone ?? 'UTC' }) : undefined,
    needs: needs.length === 0 ? none : needs.map((archiveId) => interner.text(archiveId)),
    parents: isCompleted ? none : parentsOf(backup),
    childCount: backup.builtUpon,
  };
};
const none: readonly string[] = [];

/** A backup with users and one without do not replace each other. */
const scopeOf = ({ projectId, collections, excludedCollections, includeAuthUsers }: BackupRecord): string => {
  const lists = [collections, excludedCollections].map((list) => [...new Set(list)].sort());
  return `${projectId} ${fingerprint(JSON.stringify([...lists, includeAuthUsers]))}`;
};

const heldUntilMs = (backup: BackupRecord): number => {
  const { restoring = 0, verification, lockedUntil } = backup;
  // An unacknowledged anomaly holds the backup in which it was found, and the last one from before.
  const isUnacknowledged = backup.anomalyState === 'open' || backup.heldFor !== undefined;
  if (restoring > 0 || isUnacknowledged || isInMove(backup)) return Number.POSITIVE_INFINITY;
  const lockedMs = lockedUntil === null ? 0 : Date.parse(lockedUntil);
  // A verification that runs longer has crashed.
  const verifiedMs = verification?.status === 'running' ? afterMs(verification.checkedAt, verificationSeconds) : 0;
  return Math.max(lockedMs, verifiedMs);
};

/** Infinite if there is no moment. */
const afterMs = (moment: string | null, seconds: number): number =>
  moment === null ? Number.POSITIVE_INFINITY : after(new Date(moment), seconds).getTime();

const parentsOf = ({ parentBackupId, synthesizedFrom }: BackupRecord): readonly string[] =>
  [parentBackupId, synthesizedFrom].filter((id) => typeof id === 'string');
