/** The two sides of a comparison: the page's backup is always on the left. */
import type { Comparison, DocumentChange } from '../../../data/backup-contents.ts';
import type { Backup } from '../../../data/backups.ts';
import { formatMoment } from '../../../format/format-time.ts';

export type ChangeKind = DocumentChange['change'];
/** The service compares the earlier state with the later one. */
export type Age = 'before' | 'after';

export interface Sides extends Comparison {
  /** Whether this page's backup is the earlier or the later one. */
  readonly self: Age;
  readonly other: Age;
  /** The column of the other side: `Live now`, or the time of the other backup. */
  readonly otherLabel: string;
  /** Whether this page's backup has documents of this change. */
  readonly hasIt: (change: ChangeKind) => boolean;
}

export const selfLabel = 'In this backup';

export const momentOf = ({ readTime, createdAt }: Backup): string => readTime ?? createdAt;

/** From the earlier to the later one, whichever this page shows. `other` is undefined for the live database. */
export const sidesOf = (backup: Backup, other: Backup | undefined): Sides => {
  const isEarlier = !other || momentOf(other) > momentOf(backup);
  return {
    backupId: isEarlier && other ? other.id : backup.id,
    against: other ? (isEarlier ? backup.id : other.id) : 'live',
    self: isEarlier ? 'before' : 'after',
    other: isEarlier ? 'after' : 'before',
    otherLabel: other ? `Backup of ${formatMoment(new Date(momentOf(other)))}` : 'Live now',
    // It lacks what was added after it, or removed before it.
    hasIt: (change) => change !== (isEarlier ? 'added' : 'removed'),
  };
};
