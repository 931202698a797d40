/** The lists of a report as rows of text, for the page and the CSV file alike. */
import type { ProtectionReport } from '../contract/models/protection-report.ts';
import { grouped, makerText } from '../restore-test/index.ts';

export interface ReportList {
  readonly id: string;
  readonly title: string;
  /** The first one is a moment where `hasTime` says so. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly omitted: number;
  /** What an empty list means. */
  readonly none: string;
}

type Change = ProtectionReport['changes']['items'][number];

const changeColumns = ['Time (UTC)', 'Action', 'By', 'Resource', 'Details'];
const changeRow = ({ at, action, by, resource, details }: Change): readonly string[] => [
  at,
  action,
  makerText(by),
  `${resource.type} ${resource.id}`,
  Object.keys(details).length === 0 ? '' : JSON.stringify(details),
];

export const reportLists = (report: ProtectionReport): readonly ReportList[] => {
  const { backups, restores, retention } = report;
  const changes = (id: 'erasures' | 'removals' | 'changes', title: string, none: string): ReportList => ({
    id,
    title,
    columns: changeColumns,
    rows: report[id].items.map(changeRow),
    omitted: report[id].omitted,
    none,
  });
  return [
    {
      id: 'backups',
      title: 'Backups by project',
      columns: [
        'Project',
        'Completed',
        'Failed',
        'Cancelled',
        'Not finished',
        'Stored bytes',
        'Last completed (UTC)',
        'Locked',
        'Locks incomplete',
        'Locked until (UTC)',
      ],
      rows: backups.projects.map((project) => [
        project.projectName,
        grouped(project.completed),
        grouped(project.failed),
        grouped(project.cancelled),
        grouped(project.unfinished),
        grouped(project.addedBytes),
        project.lastCompletedAt ?? 'never in this period',
        grouped(project.locked),
        grouped(project.lockIncomplete),
        project.lockedUntil ?? 'not locked',
      ]),
      omitted: 0,
      none: 'No project was connected in this period.',
    },
    {
      id: 'failures',
      title: 'Failed backups',
      columns: ['Time (UTC)', 'Project', 'Backup', 'Reason'],
      rows: backups.failures.items.map(({ at, projectName, backupId, code, message }) => [
        at,
        projectName,
        backupId,
        [message, code && `(${code})`].filter(Boolean).join(' '),
      ]),
      omitted: backups.failures.omitted,
      none: 'No backup failed in this period.',
    },
    {
      id: 'restores',
      title: 'Restores',
      columns: ['Time (UTC)', 'Result', 'By', 'From', 'Into', 'Mode', 'Written', 'Deleted', 'Restore'],
      rows: restores.items.map((restore) => [
        restore.at,
        [restore.status, restore.error].filter(Boolean).join(': '),
        restore.by ? makerText(restore.by) : 'unknown',
        `${restore.projectName}, ${restore.backupId}`,
        restore.targetProjectName,
        restore.undoOf === null ? restore.mergeMode : `undo of ${restore.undoOf}`,
        grouped(restore.written),
        grouped(restore.deleted),
        restore.restoreJobId,
      ]),
      omitted: restores.omitted,
      none: 'Nothing was restored in this period.',
    },
    changes('erasures', 'Erasures', 'Nothing was erased in this period.'),
    changes('removals', 'Deleted, damaged or not locked', 'No backup was deleted, found damaged or left without its lock.'),
    {
      id: 'storage',
      title: 'Storage and locks now',
      columns: ['Storage', 'Bucket', 'State', 'Immutable', 'Object lock', 'Encryption of the bucket', 'Backups'],
      rows: retention.storage.items.map((storage) => [
        storage.name,
        `${storage.type} ${storage.bucket}`,
        storage.status,
        storage.immutable ? 'yes' : 'no',
        storage.objectLock ? `${storage.objectLock.mode}, ${storage.objectLock.days} days` : 'none',
        storage.encryption ?? "the bucket's default",
        grouped(storage.backups),
      ]),
      omitted: retention.storage.omitted,
      none: 'The organization has no storage destination.',
    },
    {
      id: 'retention',
      title: 'Schedules and retention now',
      columns: ['Project', 'Schedule', 'When', 'Time zone', 'Enabled', 'Backups are kept'],
      rows: retention.schedules.items.map((schedule) => [
        schedule.projectName,
        schedule.name,
        schedule.cron,
        schedule.timezone,
        schedule.enabled ? 'yes' : 'no',
        schedule.retention,
      ]),
      omitted: retention.schedules.omitted,
      none: 'The organization has no schedule.',
    },
    changes('changes', 'Changes of settings, members and keys', 'Nothing was changed in this period.'),
  ];
};
