import { isGood } from '../../overview/index.ts';
import { type BackupRecord, lockProblemOf } from '../../stored-backup/index.ts';
import type { IncidentRecord } from '../model/record.ts';

type Locks = NonNullable<IncidentRecord['locks']>;

/** Backups whose records say whether the incident is over. */
export const backupsOfLocks = ({ found, last }: Locks): readonly string[] => [...found, ...(last ? [last.backupId] : [])];

/** Why an incident about locks is over; undefined while it is not. `later` is a backup of the same project. */
export const endOfLockProblem = (
  { found, last }: Locks,
  backups: ReadonlyMap<string, BackupRecord>,
  later: BackupRecord | undefined,
): string | undefined => {
  if (found.some((id) => hasProblem(backups.get(id)))) return undefined;
  if (last && isLockedAgain(last, later)) return 'A later backup has the locks that its storage destination promises';
  if (hasProblem(last && backups.get(last.backupId))) return undefined;
  const isLeft = backupsOfLocks({ found, last }).some((id) => backups.get(id)?.status === 'completed');
  return isLeft ? 'A verification found the locks that the backup needs' : 'The backup no longer exists';
};

/** Whether a later good backup shows that the storage destination accepts locks now. */
export const isLockedAgain = (
  { storageDestinationId, completedAt }: NonNullable<Locks['last']>,
  later: BackupRecord | undefined,
): boolean =>
  later !== undefined &&
  isGood(later) &&
  later.storageDestination.id === storageDestinationId &&
  (later.completedAt ?? '') > completedAt &&
  lockProblemOf(later) === undefined;

/** While a verification runs its findings are not complete. */
const hasProblem = (backup: BackupRecord | undefined): boolean =>
  backup?.status === 'completed' && (backup.verification?.status === 'running' || lockProblemOf(backup) !== undefined);
