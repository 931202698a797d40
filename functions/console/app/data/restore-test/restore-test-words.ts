import { formatPlural } from '../../format/format-number.ts';
import { formatDuration } from '../../format/format-time.ts';
import type { RestoreTest, TestRun } from './restore-tests.ts';

export const phaseWords: Readonly<Record<TestRun['phase'], string>> = {
  queued: 'Waiting to begin',
  choosing: 'Choosing a backup',
  restoring: 'Restoring into the target',
  reading: 'Reading the archive',
  comparing: 'Comparing documents',
  checking: 'Waiting for your check',
  removing: 'Removing what the test wrote',
  recording: 'Signing the evidence',
  finished: 'Finished',
};

export const pickWords = ({ pick, days }: RestoreTest['backup']): string => {
  if (pick === 'latest') return 'The latest backup';
  if (pick === 'moment') return 'A random moment of point-in-time recovery';
  return `A random backup of the last ${formatPlural(days ?? 30, 'day')}`;
};

export const scopeWords = ({ type, documentsPerCollection }: RestoreTest['scope']): string =>
  type === 'all' ? 'All documents' : `${formatPlural(documentsPerCollection ?? 0, 'document')} per collection`;

export const comparisonNames = { index: 'Index of the backup', source: 'Source database', target: 'Restored documents' } as const;

/** `not_removed` is shown as “Not removed”. */
export const differenceWords = (kind: TestRun['differences']['items'][number]['kind']): string => {
  const words = kind.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
};

export const durationNames = {
  total: 'Whole test',
  read: 'Reading',
  restore: 'Restoring',
  compare: 'Comparing',
  check: 'Your check',
  remove: 'Removing',
} as const;

export const checkWords: Readonly<Record<NonNullable<TestRun['check']>['status'], string>> = {
  waiting: 'Waiting for its answer',
  passed: 'Passed',
  failed: 'Failed',
  timeout: 'No answer in time',
};

export const removalWords: Readonly<Record<NonNullable<TestRun['removal']>['status'], string>> = {
  pending: 'Not removed yet',
  verified: 'Removed, and the target is as before',
  failed: 'Could not be removed completely',
  nothing_written: 'Nothing was written',
};

/** The plan chose nothing: there was no backup, or no moment, to choose. */
export const foundNothing = ({ error, backupId, pointInTime }: Pick<TestRun, 'error' | 'backupId' | 'pointInTime'>): boolean =>
  error?.code === 'BACKUP_NOT_FOUND' && backupId === null && pointInTime === null;

/** What to do about a test that failed. */
export const failureAdvice = ({
  startedAt,
  error,
  backup: { pick },
}: Pick<TestRun, 'startedAt' | 'error' | 'backup'>): string => {
  if (startedAt === null) return 'Nothing was tested at this due time. Correct the plan, then run it.';
  if (error?.code === 'BACKUP_NOT_FOUND')
    return pick === 'moment'
      ? 'No backup is wrong: nothing was read. Look at point-in-time recovery of the project, or test a backup instead.'
      : 'No backup is wrong: nothing was read. Back the project up, then test again.';
  if (error?.code === 'CLEANUP_FAILED') return 'Look at the target before you use it. The evidence records what was found.';
  if (error?.code === 'SOURCE_AUTH_ERROR')
    return 'Reconnect the source, then run the test again. The evidence records what was found.';
  return 'Do not rely on this backup before you know why. The evidence records what was found.';
};

export const secondsWords = (seconds: number): string => formatDuration(seconds * 1_000);
