import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useProjects } from '../../data/projects.ts';
import { phaseWords, pickWords, scopeWords } from '../../data/restore-test/restore-test-words.ts';
import { type RestoreTest, type TestRun, useRestoreTest, useTestRuns } from '../../data/restore-test/restore-tests.ts';
import { formatCount } from '../../format/format-number.ts';
import { formatDuration } from '../../format/format-time.ts';
import { describeCron } from '../../forms/cron/cron-choice.ts';
import { ResourcePage } from '../../frame/resource-page.tsx';
import { paths } from '../../paths.ts';
import { Badge, Status } from '../../ui/data/badge.tsx';
import { Card } from '../../ui/data/card.tsx';
import { Email } from '../../ui/data/email.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { Fact } from '../../ui/data/fact.tsx';
import { ListBody } from '../../ui/data/list-body.tsx';
import { type Column, Table } from '../../ui/data/table.tsx';
import { Time } from '../../ui/data/time.tsx';
import { useParam } from '../../use-param.ts';
import { PlanActions } from './plan-actions.tsx';

export const PlanPage = () => (
  <ResourcePage
    read={useRestoreTest(useParam('restoreTestId'))}
    what="restore test"
    crumb={{ label: 'Restore tests', to: paths.restoreTests }}
    lines={5}
    badge={({ enabled }) => (enabled ? <Badge tone="good">On</Badge> : <Badge>Paused</Badge>)}
    actions={(plan) => <PlanActions plan={plan} />}
  >
    {(plan) => (
      <>
        <Facts plan={plan} />
        <Runs restoreTestId={plan.id} />
      </>
    )}
  </ResourcePage>
);

const Facts = ({ plan }: { readonly plan: RestoreTest }) => {
  const { items: projects } = useProjects();
  const nameOf = (id: string): string => projects?.find((project) => project.id === id)?.name ?? id;
  const facts: readonly (readonly [string, ReactNode])[] = [
    [
      'Project',
      plan.projectId === null ? (
        'All projects'
      ) : (
        <Link key="project" to={paths.project(plan.projectId)}>
          {nameOf(plan.projectId)}
        </Link>
      ),
    ],
    ['Runs', `${describeCron(plan.cron)} (${plan.timezone})`],
    ['What is tested', pickWords(plan.backup)],
    ['How much', scopeWords(plan.scope)],
    ['Target', plan.target ? nameOf(plan.target.projectId) : 'None: the archive is read and compared'],
    ['Your check', plan.check ? `${plan.check.url}, ${formatDuration(plan.check.timeoutSeconds * 1_000)} to answer` : 'None'],
    ['Next run', plan.enabled ? <Time key="next" at={plan.nextRunAt} relative none="Never" /> : 'Paused'],
    ['Created by', <Email key="by" text={plan.createdBy.email ?? 'Service account'} />],
  ];
  return (
    <Card>
      <dl className="facts">
        {facts.map(([label, value]) => (
          <Fact key={label} label={label} className="wrap-anywhere">
            {value}
          </Fact>
        ))}
      </dl>
    </Card>
  );
};

const columns: readonly Column<TestRun>[] = [
  {
    key: 'began',
    label: 'Began',
    isTitle: true,
    cell: ({ id, createdAt }) => (
      <Link to={paths.restoreTestRun(id)}>
        <Time at={createdAt} />
      </Link>
    ),
  },
  { key: 'project', label: 'Project', cell: ({ projectName }) => <span className="table__name">{projectName}</span> },
  {
    key: 'status',
    label: 'Result',
    cell: ({ status, phase, error, warnings }) => (
      <>
        <Status status={status} />
        <div className="small muted wrap-anywhere">
          {status === 'running' ? phaseWords[phase] : (error?.message ?? warnings[0]?.message)}
        </div>
      </>
    ),
  },
  { key: 'documents', label: 'Documents', isNumber: true, cell: ({ counts }) => (counts ? formatCount(counts.documents) : '–') },
  {
    key: 'differences',
    label: 'Differences',
    isNumber: true,
    cell: ({ differences, comparisons }) => (comparisons ? formatCount(differences.total) : '–'),
  },
  {
    key: 'duration',
    label: 'Took',
    isNumber: true,
    cell: ({ durations }) => (durations.total === null ? '–' : formatDuration(durations.total)),
  },
];

const Runs = ({ restoreTestId }: { readonly restoreTestId: string }) => {
  const list = useTestRuns(restoreTestId);
  return (
    <Card title="Runs" flush>
      <ListBody
        list={list}
        what="runs"
        empty={
          <EmptyState icon="shield" title="It has not run yet">
            Wait for the next run, or start one now.
          </EmptyState>
        }
      >
        <Table label="Runs of this restore test" rows={list.items} rowKey={({ id }) => id} columns={columns} />
      </ListBody>
    </Card>
  );
};
