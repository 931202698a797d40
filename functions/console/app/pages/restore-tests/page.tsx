import { Link } from '@tanstack/react-router';
import { Fragment } from 'react';
import { usePermission } from '../../api/permission.ts';
import { useOverview } from '../../data/overview.ts';
import { useProjects } from '../../data/projects.ts';
import { pickWords } from '../../data/restore-test/restore-test-words.ts';
import { type RestoreTest, useRestoreTests } from '../../data/restore-test/restore-tests.ts';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import { describeCron } from '../../forms/cron/cron-choice.ts';
import { paths } from '../../paths.ts';
import { Badge, Status } from '../../ui/data/badge.tsx';
import { Card } from '../../ui/data/card.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ListBody } from '../../ui/data/list-body.tsx';
import { Notice } from '../../ui/data/notice.tsx';
import { type Column, Table } from '../../ui/data/table.tsx';
import { Time } from '../../ui/data/time.tsx';
import { ButtonLink } from '../../ui/form/button-link.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { PlanActions } from './plan-actions.tsx';

const columnsFor = (projectNames: ReadonlyMap<string, string>): readonly Column<RestoreTest>[] => [
  { key: 'name', label: 'Plan', isTitle: true, cell: ({ id, name }) => <Link to={paths.restoreTest(id)}>{name}</Link> },
  {
    key: 'tests',
    label: 'Tests',
    cell: ({ projectId, backup, target }) => (
      <>
        <span className="wrap-anywhere">{projectId === null ? 'All projects' : (projectNames.get(projectId) ?? projectId)}</span>
        <div className="small muted">
          {pickWords(backup)}, {target ? 'restored into a target' : 'read and compared'}
        </div>
      </>
    ),
  },
  {
    key: 'cron',
    label: 'Runs',
    cell: ({ cron, timezone }) => (
      <>
        {describeCron(cron)}
        <div className="small muted">{timezone}</div>
      </>
    ),
  },
  {
    key: 'last',
    label: 'Last result',
    cell: ({ lastOutcome }) =>
      lastOutcome ? (
        <>
          {lastOutcome.status === 'missed' ? <Badge tone="bad">Missed</Badge> : <Status status={lastOutcome.status} />}
          <div className="small muted">
            <Time at={lastOutcome.at} relative />
          </div>
        </>
      ) : (
        <span className="muted nowrap">Not yet</span>
      ),
  },
  {
    key: 'next',
    label: 'Next run',
    cell: ({ enabled, nextRunAt }) => (enabled ? <Time at={nextRunAt} relative none="Never" /> : <Badge>Paused</Badge>),
  },
  { key: 'actions', label: 'Actions', isActions: true, cell: (plan) => <PlanActions plan={plan} isSmall /> },
];

export const RestoreTestsPage = () => {
  const list = useRestoreTests();
  const { items: projects } = useProjects();
  const { reason } = usePermission('member');
  const create = (
    <ButtonLink variant="primary" icon="plus" to={paths.newRestoreTest} disabledReason={reason}>
      New restore test
    </ButtonLink>
  );
  return (
    <>
      <PageHeader
        title="Restore tests"
        description="Proof that backups restore: tested regularly, with signed evidence beside the backups."
        actions={
          <>
            <ButtonLink to={paths.restoreTestReport}>Report</ButtonLink>
            {list.items?.length !== 0 && create}
          </>
        }
      />
      <div className="stack">
        {list.items !== undefined && list.items.length > 0 && <Coverage plans={list.items} />}
        <Card flush>
          <ListBody
            list={list}
            what="restore tests"
            empty={
              <EmptyState icon="shield" title="No restore tests yet" actions={create}>
                A backup is worth what its last restore proved. A plan reads backups completely and compares them, or restores
                them into a project of yours and removes them again.
              </EmptyState>
            }
          >
            <Table
              label="Restore tests"
              columns={columnsFor(new Map(projects?.map(({ id, name }) => [id, name])))}
              rows={list.items}
              rowKey={({ id }) => id}
            />
          </ListBody>
        </Card>
      </div>
    </>
  );
};

const namedMax = 5;

/** How many projects a test has covered, and which it has not. */
const Coverage = ({ plans }: { readonly plans: readonly RestoreTest[] }) => {
  const { first } = useOverview();
  if (!first || first.totals.projects === 0) return null;
  const { proven, projects: total } = first.totals;
  const untested = first.projects.filter(({ lastRestoreTest }) => lastRestoreTest === null);
  const covered = new Set(plans.flatMap(({ enabled, projectId }) => (enabled ? [projectId] : [])));
  const isPlanned = covered.has(null) || untested.every(({ id }) => covered.has(id));
  const more = total - proven - Math.min(untested.length, namedMax);
  return (
    <Notice
      tone={proven === total ? 'good' : 'warn'}
      title={
        proven === total
          ? `${formatPlural(total, 'project is', 'projects are')} tested`
          : `${formatCount(total - proven)} of ${formatPlural(total, 'project')} ${total - proven === 1 ? 'is' : 'are'} not proven by a restore test`
      }
    >
      {proven === total ? (
        'A test has read the backups of every project completely, or restored them.'
      ) : (
        <>
          Nothing proves that the backups of{' '}
          {untested.slice(0, namedMax).map(({ id, name }, index) => (
            <Fragment key={id}>
              {index > 0 && ', '}
              <Link to={paths.project(id)}>{name}</Link>
            </Fragment>
          ))}
          {more > 0 && ` and ${formatCount(more)} more`} restore.{' '}
          {isPlanned
            ? 'A plan tests each of them, but none has passed yet: run it now, or see why it failed.'
            : 'A plan for all projects would test them, too.'}
        </>
      )}
    </Notice>
  );
};
