import { Link } from '@tanstack/react-router';
import { keptWords } from '../../data/retention-words.ts';
import type { Schedule } from '../../data/schedules.ts';
import { describeCron } from '../../forms/cron/cron-choice.ts';
import { paths } from '../../paths.ts';
import { Badge } from '../../ui/data/badge.tsx';
import { type Column, Table } from '../../ui/data/table.tsx';
import { Time } from '../../ui/data/time.tsx';
import { ScheduleActions } from './schedule-actions.tsx';

interface ScheduleTableProps {
  readonly label: string;
  readonly schedules: readonly Schedule[] | undefined;
  /** Names of projects by id; without it the column is not shown. */
  readonly projectNames?: ReadonlyMap<string, string>;
}

/** How the last run ended, or what is wrong with the schedule. */
export const Outcome = ({ schedule: { failing, lastOutcome, lastSuccessAt } }: { readonly schedule: Schedule }) => {
  if (failing)
    return (
      <>
        <Badge tone="bad">{failing.reason === 'failed' ? 'Failing' : failing.reason === 'missed' ? 'Missed' : 'Overdue'}</Badge>
        <div className="small muted nowrap">
          since <Time at={failing.since} relative />
        </div>
      </>
    );
  const at = lastOutcome?.at ?? lastSuccessAt;
  if (!at) return <span className="muted nowrap">Not yet</span>;
  const isGood = !lastOutcome || lastOutcome.status === 'completed';
  return (
    <>
      <Badge tone={isGood ? 'good' : 'bad'}>{isGood ? 'Completed' : lastOutcome.status === 'missed' ? 'Missed' : 'Failed'}</Badge>
      <div className="small muted">
        <Time at={at} relative />
      </div>
    </>
  );
};

/** A run that is due and waits has a place; otherwise there is a time. */
const NextRun = ({ schedule: { enabled, nextRunAt, waitingFor } }: { readonly schedule: Schedule }) => {
  if (!enabled) return <Badge>Paused</Badge>;
  if (!waitingFor) return <Time at={nextRunAt} relative />;
  return (
    <>
      <Badge tone="info">Waiting</Badge>
      <div className="small muted">Number {waitingFor.position} in the queue</div>
    </>
  );
};

export const ScheduleTable = ({ label, schedules, projectNames }: ScheduleTableProps) => {
  const columns: readonly Column<Schedule>[] = [
    {
      key: 'name',
      label: 'Schedule',
      isTitle: true,
      cell: ({ id, name, warning }) => (
        <>
          <Link to={paths.schedule(id)}>{name}</Link>
          {warning && (
            <div className="schedules__warning">
              <Badge tone="warn">Collections missing</Badge>
            </div>
          )}
        </>
      ),
    },
    ...(projectNames
      ? [
          {
            key: 'project',
            label: 'Project',
            cell: ({ projectId }: Schedule) => (
              <Link to={paths.project(projectId, 'schedules')} className="table__name">
                {projectNames.get(projectId) ?? projectId}
              </Link>
            ),
          },
        ]
      : []),
    {
      key: 'cron',
      label: 'Runs',
      cell: ({ cron, timezone }) => (
        <>
          <span className="schedules__when">{describeCron(cron)}</span>
          <div className="small muted">{timezone}</div>
        </>
      ),
    },
    { key: 'kept', label: 'Kept', cell: keptWords },
    { key: 'last', label: 'Last run', cell: (schedule) => <Outcome schedule={schedule} /> },
    {
      key: 'next',
      label: 'Next run',
      cell: (schedule) => <NextRun schedule={schedule} />,
    },
    { key: 'actions', label: 'Actions', isActions: true, cell: (schedule) => <ScheduleActions schedule={schedule} isSmall /> },
  ];
  return <Table label={label} columns={columns} rows={schedules} rowKey={({ id }) => id} />;
};
