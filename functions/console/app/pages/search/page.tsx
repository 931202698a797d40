import { useState } from 'react';
import { useBackup } from '../../data/backups.ts';
import { lastBackedUp, useProjects } from '../../data/projects.ts';
import { useDocumentSearch, useSearchPlan } from '../../data/search.ts';
import { fieldError } from '../../format/describe-failure.ts';
import { formatAboutUsd, formatBytes, formatCount, formatPlural } from '../../format/format-number.ts';
import { formatDuration } from '../../format/format-time.ts';
import { paths } from '../../paths.ts';
import { Card } from '../../ui/data/card.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Progress } from '../../ui/data/progress.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { Button } from '../../ui/form/button.tsx';
import { ButtonLink } from '../../ui/form/button-link.tsx';
import { Select } from '../../ui/form/field.tsx';
import { RecordOptions } from '../../ui/form/options.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { useSearchParams } from '../../use-search.ts';
import { FoundMatches } from './found-matches.tsx';
import { QueryBox } from './query-box.tsx';
import { QueryExamples } from './query-examples.tsx';
import './search.css';

/** What takes longer is begun by the person, who then knows what it costs. */
const secondsUnasked = 15;

/** Searches a backup for documents by the values of their fields. */
export const SearchPage = () => {
  const [{ q = '', projectId: chosen, backupId, collection }, setSearch] = useSearchParams();
  const { items: projects, query } = useProjects();
  const backup = useBackup(backupId ?? '', backupId !== undefined);
  const projectId = backup.data?.projectId ?? chosen ?? lastBackedUp(projects)?.id;
  const isReady = q !== '' && projectId !== undefined;
  const wanted = { q, projectId: projectId ?? '', backupId, collection };
  const plan = useSearchPlan(wanted, isReady);
  const problem = fieldError(plan.error, 'q');
  return (
    <>
      <PageHeader
        title="Search a backup"
        crumbs={
          backupId === undefined
            ? [{ label: 'Find a document', to: paths.findDocument() }]
            : [
                { label: 'Backups', to: paths.backups },
                { label: 'Backup', to: paths.backup(backupId) },
              ]
        }
        description="Documents by the values of their fields, in what is stored. The database is not read. Who searched for which fields is written to the audit log."
      />
      <div className="stack">
        {query.error && !projects && (
          <ErrorNotice error={query.error} title="The projects could not be loaded" onRetry={() => void query.refetch()} />
        )}
        <Card>
          <QueryBox
            key={q}
            initial={q}
            isPrimary={q === ''}
            error={problem}
            onSearch={(text) => setSearch({ q: text })}
            before={
              projects && projects.length > 1 && backupId === undefined ? (
                <Select label="Project" value={projectId ?? ''} onChange={({ target }) => setSearch({ projectId: target.value })}>
                  <RecordOptions of={projects} />
                </Select>
              ) : undefined
            }
          />
        </Card>
        {projects?.length === 0 ? (
          <Card>
            <EmptyState
              icon="database"
              title="No project is connected"
              actions={<ButtonLink to={paths.connectProject}>Connect a project</ButtonLink>}
            >
              Connect a project and back it up first.
            </EmptyState>
          </Card>
        ) : q === '' ? (
          <QueryExamples onChoose={(text) => setSearch({ q: text })} />
        ) : plan.error ? (
          problem === undefined && (
            <ErrorNotice error={plan.error} title="The backup could not be searched" onRetry={() => void plan.refetch()} />
          )
        ) : plan.data ? (
          <Results key={JSON.stringify(wanted)} wanted={{ ...wanted, backupId: plan.data.backupId }} planned={plan.data} />
        ) : (
          <Card>
            <SkeletonText lines={4} />
          </Card>
        )}
      </div>
    </>
  );
};

interface ResultsProps {
  readonly wanted: Parameters<typeof useDocumentSearch>[0] & { readonly backupId: string };
  readonly planned: NonNullable<ReturnType<typeof useSearchPlan>['data']>;
}

const Results = ({ wanted, planned: { plan, readTime } }: ResultsProps) => {
  const takesMs = (plan.seconds * 1_000) / plan.parts;
  const [isBegun, setBegun] = useState(takesMs <= secondsUnasked * 1_000);
  const { search, progress } = useDocumentSearch(wanted, isBegun);
  const { data, error, refetch } = search;
  if (!isBegun)
    return (
      <Card>
        <EmptyState
          icon="search"
          title="Search the whole backup?"
          actions={<Button onClick={() => setBegun(true)}>Search</Button>}
        >
          This reads {formatPlural(plan.documents, 'document')}, {formatBytes(plan.bytes)}: about {formatDuration(takesMs)} and{' '}
          {formatAboutUsd(plan.estimatedUsd)} on AWS. A collection alone takes less.
        </EmptyState>
      </Card>
    );
  if (error && !data) return <ErrorNotice error={error} title="The search failed" onRetry={() => void refetch()} />;
  if (!data)
    return (
      <Card>
        <div className="stack" role="status">
          <p>
            {formatCount(progress.documents)} of {formatPlural(plan.documents, 'document')} searched,{' '}
            {formatCount(progress.matches)} found
          </p>
          <Progress label="Searching" percent={Math.min(100, (100 * progress.documents) / Math.max(1, plan.documents))} />
        </div>
      </Card>
    );
  return <FoundMatches found={data} backupTime={readTime} />;
};
