/** Backups in words. */
import { formatMoment } from '../format/format-time.ts';
import { type Backup, isBackupRunning, isUnusual, type VerifyDepth } from './backups.ts';

export const triggerWords: Readonly<Record<Backup['trigger'], string>> = {
  manual: 'Started by hand',
  scheduled: 'Schedule',
  safety: 'Before a restore',
  'pitr-base': 'Point in time',
  import: 'Imported',
};

export const typeWords: Readonly<Record<Backup['type'], string>> = { full: 'Full', incremental: 'Incremental' };

/** Who or what started it. */
export const creatorOf = ({ createdBy, trigger }: Pick<Backup, 'createdBy' | 'trigger'>): string => {
  if (createdBy?.email) return createdBy.email;
  if (createdBy?.type === 'service_account') return 'Service account';
  return triggerWords[trigger];
};

/** Why the backup cannot be deleted now; undefined if it can, as far as its record says. */
export const keptBecause = (backup: Backup): string | undefined => {
  const { status, lockedUntil } = backup;
  if (isBackupRunning(status)) return 'It is still running. Cancel it first.';
  if (status === 'deleted') return 'It is already deleted.';
  if (lockedUntil && new Date(lockedUntil) > new Date())
    return `The storage keeps it locked until ${formatMoment(new Date(lockedUntil))}.`;
  if (isUnusual(backup)) return 'Acknowledge the unusual changes first.';
  return undefined;
};

/** Why the backup cannot be verified now; undefined if it can. */
export const notVerifiedBecause = ({ status, verification }: Pick<Backup, 'status' | 'verification'>): string | undefined => {
  if (status !== 'completed') return 'It is not completed.';
  return verification?.status === 'running' ? 'It is being verified.' : undefined;
};

interface DepthWords {
  readonly name: string;
  /** What will be done. */
  readonly plan: string;
  /** What was done and found to be right. */
  readonly passed: string;
}

export const depthWords: Readonly<Record<VerifyDepth, DepthWords>> = {
  structure: {
    name: 'Quick',
    plan: 'Checks that every object is there with the right size, and that the keys open the backup and those it depends on. Takes seconds.',
    passed: 'Every object is in the storage with the right size, and the keys open the backup and those it depends on.',
  },
  sample: {
    name: 'Sample',
    plan: 'Also reads, decrypts and checks a random part of the documents. Takes a minute or so.',
    passed:
      'Every object is in the storage with the right size, and a random part of the documents was read and decrypted without an error.',
  },
  full: {
    name: 'Full',
    plan: 'Reads, decrypts and checks every byte, also of the backups this one depends on. The storage bills the download.',
    passed: 'Every byte of the backup was read, decrypted and checked, and the keys of all backups it depends on open.',
  },
};

/** The words of a finding's problem. */
export const problemWords = {
  missing: 'Missing',
  size: 'Wrong size',
  corrupt: 'Damaged',
  unreadable: 'Unreadable',
  orphan: 'Not part of the backup',
  unlocked: 'Locked for less than before',
  hidden: 'Hidden by a delete marker',
} as const;

/** Covered collections in words. */
export const scopeOf = ({
  collections,
  excludedCollections,
  partial,
}: Pick<Backup, 'collections' | 'excludedCollections' | 'partial'>) => {
  if (partial) return 'Individual documents';
  const isAll = collections.includes('*');
  if (isAll && excludedCollections.length === 0) return 'All collections';
  const but = excludedCollections.length > 0 ? ` except ${excludedCollections.join(', ')}` : '';
  return `${isAll ? 'All collections' : collections.join(', ')}${but}`;
};

/** What to do about an error of a backup, by its code. */
export const backupErrorAdvices: Readonly<Record<string, string>> = {
  SOURCE_AUTH_ERROR: 'Reconnect the project with an account that may read its database, then back it up again.',
  STORAGE_UPLOAD_ERROR: 'Check the bucket, its policy and the credentials of the storage, then back up again.',
  STORAGE_READ_ERROR: 'Check that the storage can be reached and read, then back up again.',
  BACKUP_TIMEOUT: 'Allow more time in the settings of the project, or back up fewer collections at once.',
  SNAPSHOT_EXPIRED:
    'The backup took longer than Firestore keeps its past. Turn on point-in-time recovery in Firestore, or back up fewer collections at once.',
  COLLECTION_NOT_FOUND: 'Check the names of the collections: none of them has documents.',
  COUNT_MISMATCH: 'The copy did not match the count of the database, so it was not kept. Back up again.',
  KEY_UNAVAILABLE: 'Check that the encryption key is enabled and that the service may use it.',
};

/** The phases of a running backup, in order. */
export const backupPhases = [
  ['queued', 'Waiting', 'Waits for a free place. It begins by itself.'],
  ['preparing', 'Preparing', 'Connects to the database and the storage.'],
  ['planning', 'Planning', 'Counts the documents and divides the work.'],
  ['copying', 'Copying', 'Reads documents, encrypts them and stores them.'],
  ['sealing', 'Finishing', 'Checks the counts and makes the backup readable.'],
] as const;
