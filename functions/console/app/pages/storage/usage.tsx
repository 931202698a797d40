import { Link } from '@tanstack/react-router';
import { type StorageUsage, useStorageUsage } from '../../data/storage.ts';
import { formatBytes, formatCount, formatPlural, formatUnitUsd, formatUsd } from '../../format/format-number.ts';
import { formatDay } from '../../format/format-time.ts';
import { paths } from '../../paths.ts';
import { Badge } from '../../ui/data/badge.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Fact } from '../../ui/data/fact.tsx';
import { None } from '../../ui/data/none.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { type Column, Table } from '../../ui/data/table.tsx';
import { Time } from '../../ui/data/time.tsx';

type ProjectStorage = StorageUsage['projects'][number];

const useWords: Readonly<Record<ProjectStorage['uses'][number], string>> = {
  default: 'Default',
  schedule: 'Schedule',
  'point-in-time': 'Point in time',
  backups: 'Backups',
};

/** The service rounds its estimate to a millionth of a dollar; what a small backup costs is still not nothing. */
const millionth = 1e-6;

/** What a bucket holds by project, what it costs, and what uses it. */
export const Usage = ({ storageId }: { readonly storageId: string }) => {
  const { data: usage, error, refetch } = useStorageUsage(storageId);
  if (error && !usage)
    return <ErrorNotice error={error} title="What it holds could not be loaded" onRetry={() => void refetch()} />;
  if (!usage) return <SkeletonText />;
  const { monthlyCost, projects, schedules, lockedBackups, lockedUntil } = usage;
  const isRoundedAway = monthlyCost?.estimatedUsd === 0 && usage.storedBytes > 0;
  const remarks = [
    ...(usage.isDefault ? ['This is the default storage of the organization.'] : []),
    ...(usage.captured
      ? []
      : ['Captured changes of point-in-time recovery are too many to be counted here, and are not included.']),
    ...(schedules.length === 0 && projects.length > 0 ? ['No schedule stores here.'] : []),
  ];
  return (
    <>
      <dl className="facts">
        <Fact label="Stored">
          {formatBytes(usage.storedBytes)} in {formatPlural(usage.backups, 'backup')}
          {usage.captured && usage.captured.objects > 0 && (
            <div className="muted small">{formatBytes(usage.captured.bytes)} of it are captured changes</div>
          )}
        </Fact>
        <Fact label="Objects">
          {usage.objects === null ? (
            <span className="muted">{usage.captured ? 'Not counted for older backups' : 'Too many to count'}</span>
          ) : (
            formatCount(usage.objects)
          )}
        </Fact>
        <Fact label="Locked now">
          {formatPlural(lockedBackups, 'backup')}
          {lockedUntil && (
            <>
              , until <Time at={lockedUntil} />
            </>
          )}
        </Fact>
        <Fact label="Monthly cost">
          {monthlyCost ? (
            <>
              {formatUsd(isRoundedAway ? millionth : monthlyCost.estimatedUsd)}
              <div className="muted small">
                {`${formatUnitUsd(monthlyCost.usdPerGigabyte)} per GB a month, `}
                <a
                  href={monthlyCost.source}
                  target="_blank"
                  rel="noreferrer"
                  title={`List price of ${formatDay(monthlyCost.asOf)}`}
                >
                  {monthlyCost.price}
                </a>
              </div>
            </>
          ) : (
            <span className="muted">No list price is known</span>
          )}
        </Fact>
      </dl>
      {projects.length === 0 ? (
        <p className="muted">No project uses this storage yet. Choose it as the default of the organization or of a project.</p>
      ) : (
        <div className="storage__projects">
          <Table label="Projects that use this storage" columns={columnsOf(usage)} rows={projects} rowKey={({ id }) => id} />
        </div>
      )}
      {remarks.length > 0 && <p className="muted small">{remarks.join(' ')}</p>}
    </>
  );
};

const capturedColumn: Column<ProjectStorage> = {
  key: 'captured',
  label: 'Captured',
  isNumber: true,
  cell: ({ captured }) => (captured === null || captured.objects === 0 ? <None /> : formatBytes(captured.bytes)),
};

/** Of a project; its own page has all of them. */
const schedulesMax = 3;

const columnsOf = ({ schedules, captured }: StorageUsage): readonly Column<ProjectStorage>[] => [
  {
    key: 'project',
    label: 'Project',
    isTitle: true,
    cell: ({ id, name }) => <Link to={paths.project(id)}>{name ?? 'Removed project'}</Link>,
  },
  {
    key: 'uses',
    label: 'Used for',
    cell: ({ uses }) => {
      if (uses.every((use) => use === 'backups')) return <span className="muted">Earlier backups</span>;
      const named = uses.filter((use) => use !== 'backups' && use !== 'schedule');
      if (named.length === 0) return <None />;
      return (
        <span className="row storage__uses">
          {named.map((use) => (
            <Badge key={use}>{useWords[use]}</Badge>
          ))}
        </span>
      );
    },
  },
  {
    key: 'schedules',
    label: 'Schedules',
    cell: ({ id }) => {
      const own = schedules.filter(({ projectId }) => projectId === id);
      if (own.length === 0) return <None />;
      return (
        <span className="stack stack--close">
          {own.slice(0, schedulesMax).map((schedule) => (
            <span key={schedule.id}>
              <Link to={paths.schedule(schedule.id)}>{schedule.name}</Link>
              {!schedule.enabled && <span className="muted small"> off</span>}
            </span>
          ))}
          {own.length > schedulesMax && (
            <Link to={paths.project(id, 'schedules')}>{formatCount(own.length - schedulesMax)} more</Link>
          )}
        </span>
      );
    },
  },
  { key: 'backups', label: 'Backups', isNumber: true, cell: ({ backups }) => formatCount(backups) },
  ...(captured !== null && captured.objects === 0 ? [] : [capturedColumn]),
  { key: 'locked', label: 'Locked', isNumber: true, cell: ({ lockedBackups }) => formatCount(lockedBackups) },
  {
    key: 'objects',
    label: 'Objects',
    isNumber: true,
    cell: ({ objects }) => (objects === null ? <None /> : formatCount(objects)),
  },
  { key: 'size', label: 'Stored', isNumber: true, cell: ({ storedBytes }) => formatBytes(storedBytes) },
];
