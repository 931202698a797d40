import { Link } from '@tanstack/react-router';
import { actionName } from '../../data/audit-words.ts';
import { useProjects } from '../../data/projects.ts';
import type { ProtectionReport } from '../../data/report.ts';
import { modeWords } from '../../data/restore-words.ts';
import { useResourceNames } from '../../data/use-resource-names.ts';
import { detailWords } from '../../format/detail-text.ts';
import { formatBytes, formatCount } from '../../format/format-number.ts';
import { describeCron } from '../../forms/cron/cron-choice.ts';
import { paths } from '../../paths.ts';
import { Badge, Status } from '../../ui/data/badge.tsx';
import { Email } from '../../ui/data/email.tsx';
import { None } from '../../ui/data/none.tsx';
import { type Column, Table } from '../../ui/data/table.tsx';
import { Time } from '../../ui/data/time.tsx';

type Backups = ProtectionReport['backups']['projects'][number];
type Failure = ProtectionReport['backups']['failures']['items'][number];
type Restore = ProtectionReport['restores']['items'][number];
type Change = ProtectionReport['changes']['items'][number];
type Schedule = ProtectionReport['retention']['schedules']['items'][number];
type Storage = ProtectionReport['retention']['storage']['items'][number];

interface Rows<T> {
  readonly rows: readonly T[];
}

/** A table of the report, and what each of its columns shows. */
const tableOf =
  <T,>(label: string, rowKey: (row: T) => string, columns: readonly Column<T>[]) =>
  ({ rows }: Rows<T>) => <Table label={label} columns={columns} rows={rows} rowKey={rowKey} />;

const timeColumn = <T extends { readonly at: string }>(pathOf: (row: T) => string): Column<T> => ({
  key: 'at',
  label: 'Time',
  isTitle: true,
  cell: (row) => (
    <Link to={pathOf(row)}>
      <Time at={row.at} seconds />
    </Link>
  ),
});

const whoOf = (by: Restore['by']): string =>
  by?.email ?? by?.name ?? (by?.type === 'system' ? 'the service' : (by?.id ?? 'unknown'));

export const BackupTable = tableOf<Backups>('Backups by project', ({ projectId }) => projectId, [
  {
    key: 'project',
    label: 'Project',
    isTitle: true,
    cell: ({ projectId, projectName }) => <Link to={paths.project(projectId)}>{projectName}</Link>,
  },
  { key: 'completed', label: 'Completed', isNumber: true, cell: ({ completed }) => formatCount(completed) },
  {
    key: 'failed',
    label: 'Failed',
    isNumber: true,
    cell: ({ failed }) => <span className={failed > 0 ? 'bad' : undefined}>{formatCount(failed)}</span>,
  },
  { key: 'cancelled', label: 'Cancelled', isNumber: true, cell: ({ cancelled }) => formatCount(cancelled) },
  { key: 'bytes', label: 'Stored', isNumber: true, cell: ({ addedBytes }) => formatBytes(addedBytes) },
  {
    key: 'last',
    label: 'Last completed',
    cell: ({ lastCompletedAt }) => <Time at={lastCompletedAt} none="Never in this period" />,
  },
  {
    key: 'locked',
    label: 'Locked',
    cell: ({ locked, lockIncomplete, lockedUntil }) =>
      locked === 0 ? (
        <None />
      ) : (
        <div className="stack stack--close">
          <span className="nowrap">
            {formatCount(locked)}, until <Time at={lockedUntil} />
          </span>
          {lockIncomplete > 0 && <span className="small bad">{formatCount(lockIncomplete)} not as promised</span>}
        </div>
      ),
  },
]);

export const FailureTable = tableOf<Failure>('Failed backups', ({ backupId }) => backupId, [
  timeColumn(({ backupId }) => paths.backup(backupId)),
  {
    key: 'project',
    label: 'Project',
    cell: ({ projectId, projectName }) => (
      <Link to={paths.project(projectId)} className="report__resource">
        {projectName}
      </Link>
    ),
  },
  {
    key: 'reason',
    label: 'Reason',
    cell: ({ message, code }) => <span className="wrap-anywhere">{message ?? code ?? 'Unknown'}</span>,
  },
]);

export const RestoreTable = tableOf<Restore>('Restores', ({ restoreJobId }) => restoreJobId, [
  timeColumn(({ restoreJobId }) => paths.restore(restoreJobId)),
  { key: 'status', label: 'Result', cell: ({ status }) => <Status status={status} /> },
  {
    key: 'by',
    label: 'By',
    cell: ({ by }) => (
      <span className="report__by">
        <Email text={whoOf(by)} />
      </span>
    ),
  },
  { key: 'from', label: 'From', cell: ({ projectName, backupId }) => <Link to={paths.backup(backupId)}>{projectName}</Link> },
  { key: 'into', label: 'Into', cell: ({ targetProjectName }) => targetProjectName },
  {
    key: 'mode',
    label: 'Mode',
    cell: ({ mergeMode, undoOf, error }) => (
      <div className="stack stack--close">
        {undoOf ? <Link to={paths.restore(undoOf)}>Undo of a restore</Link> : <span>{modeWords[mergeMode].name}</span>}
        {error && <span className="small secondary wrap-anywhere">{error}</span>}
      </div>
    ),
  },
  { key: 'written', label: 'Written', isNumber: true, cell: ({ written }) => formatCount(written) },
  { key: 'deleted', label: 'Deleted', isNumber: true, cell: ({ deleted }) => formatCount(deleted) },
]);

/** Entries of the audit log; each leads to its entry there. */
export const ChangeTable = ({ label, rows }: Rows<Change> & { readonly label: string }) => {
  const nameOf = useResourceNames(true);
  const columns: readonly Column<Change>[] = [
    {
      key: 'at',
      label: 'Time',
      isTitle: true,
      cell: ({ id, at }) => (
        <Link to={paths.audit} search={{ entry: id } as never}>
          <Time at={at} seconds />
        </Link>
      ),
    },
    { key: 'action', label: 'Action', cell: ({ action }) => <span title={action}>{actionName(action)}</span> },
    {
      key: 'by',
      label: 'By',
      cell: ({ by }) => (
        <span className="report__by">
          <Email text={whoOf(by)} />
        </span>
      ),
    },
    {
      key: 'resource',
      label: 'Resource',
      cell: ({ by, ...change }) => {
        const { name, path } = nameOf({ ...change, actor: by });
        return (
          <span className="wrap-anywhere report__resource" title={change.resource.id}>
            {path ? <Link to={path}>{name}</Link> : name}
          </span>
        );
      },
    },
    { key: 'details', label: 'Details', cell: ({ details }) => <ChangeDetails details={details} /> },
  ];
  return <Table label={label} columns={columns} rows={rows} rowKey={({ id }) => id} />;
};

/** Every recorded detail that has a value: an auditor asks what was changed into what. */
const ChangeDetails = ({ details }: Pick<Change, 'details'>) => {
  const { items: projects } = useProjects();
  const entries = detailWords(details, (id) => projects?.find((project) => project.id === id)?.name);
  if (entries.length === 0) return <None />;
  return (
    <ul className="report__details small">
      {entries.map(([name, value]) => (
        <li key={name} className="wrap-anywhere">
          <span className="muted">{name}</span> {value}
        </li>
      ))}
    </ul>
  );
};

export const ScheduleTable = tableOf<Schedule>('Schedules and retention', ({ scheduleId }) => scheduleId, [
  {
    key: 'name',
    label: 'Schedule',
    isTitle: true,
    cell: ({ scheduleId, name }) => <Link to={paths.schedule(scheduleId)}>{name}</Link>,
  },
  { key: 'project', label: 'Project', cell: ({ projectName }) => projectName },
  {
    key: 'cron',
    label: 'When',
    cell: ({ cron, timezone }) => (
      <span title={cron}>
        {describeCron(cron)} ({timezone})
      </span>
    ),
  },
  { key: 'enabled', label: 'State', cell: ({ enabled }) => (enabled ? <Status status="active" /> : <Badge>Paused</Badge>) },
  { key: 'kept', label: 'Backups are kept', cell: ({ retention }) => retention },
]);

export const StorageTable = tableOf<Storage>('Storage and locks', ({ storageDestinationId }) => storageDestinationId, [
  { key: 'name', label: 'Storage', isTitle: true, cell: ({ name }) => name },
  { key: 'bucket', label: 'Bucket', cell: ({ bucket }) => <code className="wrap-anywhere">{bucket}</code> },
  { key: 'status', label: 'State', cell: ({ status }) => <Status status={status} /> },
  { key: 'immutable', label: 'Immutable', cell: ({ immutable }) => (immutable ? 'Yes' : 'No') },
  {
    key: 'lock',
    label: 'Object lock',
    cell: ({ objectLock }) =>
      objectLock ? `${objectLock.mode === 'compliance' ? 'Compliance' : 'Governance'}, ${objectLock.days} days` : 'None',
  },
  {
    key: 'encryption',
    label: 'Encryption of the bucket',
    cell: ({ encryption }) => encryption ?? 'Default of the bucket, beneath AES-256 of the service',
  },
  { key: 'backups', label: 'Backups', isNumber: true, cell: ({ backups }) => formatCount(backups) },
]);
