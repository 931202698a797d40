import { Link } from '@tanstack/react-router';
import { typeWords } from '../../data/backup-words.ts';
import { useBackups } from '../../data/backups.ts';
import { useProject } from '../../data/projects.ts';
import { type Schedule, useSchedule } from '../../data/schedules.ts';
import { useDefaultStorageId, useStorageDestinations } from '../../data/storage.ts';
import { CaptureOfferNotice } from '../../forms/back-up/capture-offer-notice.tsx';
import { describeCron } from '../../forms/cron/cron-choice.ts';
import { NextRuns } from '../../forms/cron/next-runs.tsx';
import { ResourcePage } from '../../frame/resource-page.tsx';
import { projectBackupColumns } from '../../parts/backup-columns.tsx';
import { paths } from '../../paths.ts';
import { Badge } from '../../ui/data/badge.tsx';
import { Card } from '../../ui/data/card.tsx';
import { Email } from '../../ui/data/email.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Fact } from '../../ui/data/fact.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { Table } from '../../ui/data/table.tsx';
import { Time } from '../../ui/data/time.tsx';
import { useParam } from '../../use-param.ts';
import { retentionOf } from './form/draft.ts';
import { RetentionCalendar } from './preview/retention-calendar.tsx';
import { ScheduleActions } from './schedule-actions.tsx';

export const SchedulePage = () => (
  <ResourcePage
    read={useSchedule(useParam('scheduleId'))}
    what="schedule"
    crumb={{ label: 'Schedules', to: paths.schedules }}
    lines={5}
    badge={({ enabled }) => (enabled ? <Badge tone="good">On</Badge> : <Badge>Paused</Badge>)}
    actions={(schedule) => <ScheduleActions schedule={schedule} />}
  >
    {(schedule) => (
      <>
        <Concerns schedule={schedule} />
        <CaptureOfferNotice projectId={schedule.projectId} scheduleId={schedule.id} />
        <Facts schedule={schedule} />
        <div className="schedules__pair">
          <Card title="Next runs" description={schedule.timezone}>
            {schedule.enabled ? (
              <NextRuns cron={schedule.cron} timezone={schedule.timezone} />
            ) : (
              <p className="muted">Paused: it runs only when you start it.</p>
            )}
          </Card>
          <Card title="Kept backups" description="What there would be today if the schedule had run for years.">
            <RetentionCalendar cron={schedule.cron} timezone={schedule.timezone} retention={retentionOf(schedule)} />
          </Card>
        </div>
        <Runs scheduleId={schedule.id} />
      </>
    )}
  </ResourcePage>
);

/** What is wrong, and what a person should know. */
const Concerns = ({ schedule: { failing, warning, waitingFor, nextRunAt } }: { readonly schedule: Schedule }) => (
  <>
    {waitingFor && (
      <Notice tone="info" title={`A run waits for capacity, as number ${waitingFor.position} in the queue`}>
        It was due <Time at={nextRunAt} />. The organization runs as many backups as it may at once; this one starts when it can,
        unless its next due time comes first.
      </Notice>
    )}
    {failing && (
      <Notice tone="bad" title={failing.message}>
        No backup of this schedule has succeeded since <Time at={failing.since} />.
      </Notice>
    )}
    {warning && (
      <Notice tone="warn" title={`Not in the database: ${warning.unknownCollections.join(', ')}`}>
        The last backup was made without these collections. Correct their names, or create them.{' '}
        <Link to={paths.backup(warning.backupId)}>Show the backup</Link>
      </Notice>
    )}
  </>
);

const Facts = ({ schedule }: { readonly schedule: Schedule }) => {
  const { data: project } = useProject(schedule.projectId);
  const { items: destinations } = useStorageDestinations();
  const standardId = useDefaultStorageId(project);
  const isStandard = schedule.storageDestinationId === null;
  const storage = destinations?.find(({ id }) => id === (schedule.storageDestinationId ?? standardId));
  const excluded = schedule.excludeCollections.length > 0 && ` except ${schedule.excludeCollections.join(', ')}`;
  return (
    <Card>
      <dl className="facts">
        <Fact label="Project">
          <Link to={paths.project(schedule.projectId)}>{project?.name ?? schedule.projectId}</Link>
        </Fact>
        <Fact label="Runs">
          {describeCron(schedule.cron)} ({schedule.timezone})
        </Fact>
        <Fact label="Collections">
          {schedule.collections.includes('*') ? 'All' : schedule.collections.join(', ')}
          {excluded}
        </Fact>
        <Fact label="Type">{typeWords[schedule.type]}</Fact>
        <Fact label={isStandard ? 'Storage (default)' : 'Storage'}>{storage?.name ?? '–'}</Fact>
        <Fact label="Users of Authentication">{schedule.includeAuthUsers ? 'Included' : 'Not included'}</Fact>
        {schedule.source === 'read' && <Fact label="Source">Always read, also where changes are captured</Fact>}
        <Fact label="Last success">
          <Time at={schedule.lastSuccessAt} relative none="None yet" />
        </Fact>
        <Fact label="Created by" isLong>
          <Email text={schedule.createdBy.email ?? 'Service account'} />
        </Fact>
      </dl>
    </Card>
  );
};

const Runs = ({ scheduleId }: { readonly scheduleId: string }) => {
  const { items, query } = useBackups({ scheduleId, limit: 20 });
  if (query.error) return <ErrorNotice error={query.error} title="The runs could not be loaded" />;
  return (
    <Card title="Last runs" flush>
      {items?.length === 0 ? (
        <EmptyState icon="calendar" title="It has not run yet">
          Wait for the next run, or start one now.
        </EmptyState>
      ) : (
        <Table label="Runs of this schedule" rows={items} rowKey={({ id }) => id} columns={projectBackupColumns} />
      )}
    </Card>
  );
};
