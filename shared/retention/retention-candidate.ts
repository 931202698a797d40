/** A backup as retention sees it: so little of it that those of a whole organization are held at once. */
import { type BackupRecord, isRestorePointBackup, verificationSeconds } from '../backup/index.ts';
import { after, fingerprint } from '../platform/index.ts';
import { Shared } from './interner.ts';

export interface RetentionCandidate {
  readonly id: string;
  /** What its objects are bound to: others name it by this. */
  readonly archiveId: string;
  /** Its project and what it was to hold of it. */
  readonly scope: string;
  /** Pending or running otherwise: then it is judged by nobody, but may stand upon others. */
  readonly isCompleted: boolean;
  readonly isDamaged: boolean;
  /** It holds single documents, may lack collections, or was made for one restore: it stands in for no other. */
  readonly isPartial: boolean;
  /** Completed, holds all that it was to hold, and nobody has found damage. */
  readonly isGood: boolean;
  /** The moment that it shows. */
  readonly momentMs: number;
  /** Until then nobody takes it away: a lock, a verification; for ever while it is restored or moved. */
  readonly heldUntilMs: number;
  /** When its days are over; infinite if it has none. */
  readonly endsAtMs: number;
  /** A base of captured changes that has neither days nor a policy: it goes once nothing pins it. */
  readonly isBase: boolean;
  /** By what it is judged instead of days. */
  readonly rule: OwnRule | undefined;
  /** Archives of others that it is read from. */
  readonly needs: readonly string[];
  /** Backups that it is being made of. */
  readonly upon: readonly string[];
  readonly builtUpon: number | undefined;
}

export interface OwnRule {
  readonly scheduleId: string;
  readonly policy: NonNullable<BackupRecord['retentionPolicy']>;
  /** Of the schedule as the backup was started. */
  readonly timezone: string;
}

/** The attributes of a record that are looked at. */
export const seenAttributes = [
  ...['pk', 'sk', 'id', 'projectId', 'archive', 'status', 'trigger', 'scheduleId', 'collections', 'excludedCollections'],
  ...[
    'includeAuthUsers',
    'isPartial',
    'mayLackCollections',
    'retentionDays',
    'damagedDepth',
    'readTime',
    'createdAt',
    'completedAt',
    'expiresAt',
    'lockedUntil',
  ],
  ...[
    'retentionPolicy',
    'retentionTimezone',
    'needs',
    'parentBackupId',
    'synthesizedFrom',
    'builtUpon',
    'restoring',
    'verification',
  ],
  ...['arriving', 'leaving'],
] as const;

/** A base is not judged before the captures have had the time to take it up. */
export const baseSeconds = 24 * 3_600;

/** Undefined for what is gone, or never was whole. */
export const toCandidate = (backup: BackupRecord, shared = new Shared()): RetentionCandidate | undefined => {
  const { status } = backup;
  if (status !== 'completed' && status !== 'pending' && status !== 'running') return undefined;
  const { id, archive, retentionPolicy: policy, scheduleId, expiresAt, trigger, needs = [] } = backup;
  const isCompleted = status === 'completed';
  const isDamaged = backup.damagedDepth !== undefined;
  const isPartial = backup.isPartial === true || backup.mayLackCollections === true || isRestorePointBackup(backup);
  const isBase = trigger === 'pitr-base' && expiresAt === null && policy === undefined;
  const isJudged = policy !== undefined && scheduleId !== null;
  return {
    id: shared.text(id),
    archiveId: shared.text(archive.backup),
    scope: shared.text(scopeOf(backup)),
    isCompleted,
    isDamaged,
    isPartial,
    isGood: isCompleted && !isDamaged && !isPartial,
    momentMs: Date.parse(backup.readTime ?? backup.completedAt ?? backup.createdAt),
    heldUntilMs: heldUntilMs(backup),
    endsAtMs: isBase ? afterMs(backup.completedAt, baseSeconds) : afterMs(expiresAt, 0),
    isBase,
    rule: isJudged ? shared.object({ scheduleId, policy, timezone: backup.retentionTimezone ?? 'UTC' }) : undefined,
    needs: needs.length === 0 ? none : needs.map((archiveId) => shared.text(archiveId)),
    upon: isCompleted ? none : standsUpon(backup),
    builtUpon: backup.builtUpon,
  };
};
const none: readonly string[] = [];

/** Those with users and those without do not stand in for each other. */
const scopeOf = ({ projectId, collections, excludedCollections, includeAuthUsers }: BackupRecord): string => {
  const lists = [collections, excludedCollections].map((list) => [...new Set(list)].sort());
  return `${projectId} ${fingerprint(JSON.stringify([...lists, includeAuthUsers]))}`;
};

const heldUntilMs = ({ restoring = 0, arriving, leaving, verification, lockedUntil }: BackupRecord): number => {
  if (restoring > 0 || arriving !== undefined || leaving !== undefined) return Number.POSITIVE_INFINITY;
  const lockedMs = lockedUntil === null ? 0 : Date.parse(lockedUntil);
  // One that says it runs for longer has died.
  const verifiedMs = verification?.status === 'running' ? afterMs(verification.checkedAt, verificationSeconds) : 0;
  return Math.max(lockedMs, verifiedMs);
};

/** What has no moment is never over. */
const afterMs = (moment: string | null, seconds: number): number =>
  moment === null ? Number.POSITIVE_INFINITY : after(new Date(moment), seconds).getTime();

const standsUpon = ({ parentBackupId, synthesizedFrom }: BackupRecord): readonly string[] =>
  [parentBackupId, synthesizedFrom].filter((id) => typeof id === 'string');
