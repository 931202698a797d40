import { ApiFailure } from '../../../../../shared/client/index.ts';
import { useBackup } from '../../data/backups.ts';
import { lastBackedUp, useProjects } from '../../data/projects.ts';
import { useSearchPlan } from '../../data/search.ts';
import { fieldError } from '../../format/describe-failure.ts';
import { NoProject } from '../../parts/source/no-project.tsx';
import { paths } from '../../paths.ts';
import { Card } from '../../ui/data/card.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { ButtonLink } from '../../ui/form/button-link.tsx';
import { Select } from '../../ui/form/field.tsx';
import { RecordOptions } from '../../ui/form/options.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { useSearchParams } from '../../use-search.ts';
import { QueryBox } from './query-box.tsx';
import { QueryExamples } from './query-examples.tsx';
import { SearchRun } from './search-run.tsx';

/** Searches a backup for documents by the values of their fields. */
export const SearchPage = () => {
  const [{ q = '', projectId: chosen, backupId, collection = '' }, setSearch] = useSearchParams();
  const { items: projects, query } = useProjects();
  const backup = useBackup(backupId ?? '', backupId !== undefined);
  const projectId = backup.data?.projectId ?? chosen ?? lastBackedUp(projects)?.id;
  const isReady = q !== '' && projectId !== undefined;
  const wanted = { q, projectId: projectId ?? '', backupId, collection: collection || undefined };
  const plan = useSearchPlan(wanted, isReady);
  const errors = { q: fieldError(plan.error, 'q'), collection: fieldError(plan.error, 'collection') };
  const isShownAtField = errors.q !== undefined || errors.collection !== undefined;
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
        {projects?.length === 0 ? (
          <Card>
            <NoProject>Connect a project and back it up first.</NoProject>
          </Card>
        ) : (
          <>
            <Card>
              <QueryBox
                key={`${q} ${collection}`}
                initial={{ q, collection }}
                isPrimary={q === ''}
                errors={errors}
                onSearch={(query) => setSearch({ ...query })}
                before={
                  projects && projects.length > 1 && backupId === undefined ? (
                    <Select
                      label="Project"
                      value={projectId ?? ''}
                      onChange={({ target }) => setSearch({ projectId: target.value })}
                    >
                      <RecordOptions of={projects} />
                    </Select>
                  ) : undefined
                }
              />
            </Card>
            {q === '' ? (
              <QueryExamples onChoose={(text) => setSearch({ q: text })} />
            ) : plan.data ? (
              <SearchRun key={JSON.stringify(wanted)} wanted={{ ...wanted, backupId: plan.data.backupId }} planned={plan.data} />
            ) : plan.error ? (
              !isShownAtField && (
                <PlanFailure
                  error={plan.error}
                  projectId={backupId === undefined ? projectId : undefined}
                  onRetry={() => void plan.refetch()}
                />
              )
            ) : (
              <Card>
                <SkeletonText lines={4} />
              </Card>
            )}
          </>
        )}
      </div>
    </>
  );
};

interface PlanFailureProps {
  readonly error: Error;
  /** Set if its newest backup was wanted. */
  readonly projectId: string | undefined;
  readonly onRetry: () => void;
}

const PlanFailure = ({ error, projectId, onRetry }: PlanFailureProps) => {
  if (projectId === undefined || !(error instanceof ApiFailure) || error.code !== 'BACKUP_NOT_FOUND')
    return <ErrorNotice error={error} title="The backup could not be searched" onRetry={onRetry} />;
  return (
    <Card>
      <EmptyState
        title="There is no backup to search"
        actions={
          <ButtonLink variant="primary" to={paths.project(projectId)}>
            See the project
          </ButtonLink>
        }
      >
        This project has no completed backup yet. Back it up first.
      </EmptyState>
    </Card>
  );
};
