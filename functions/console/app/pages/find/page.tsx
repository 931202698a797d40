import { Link, useNavigate } from '@tanstack/react-router';
import { namesGoogleProject } from '../../../../../shared/client/index.ts';
import { useLocatedDocument } from '../../data/documents.ts';
import { lastBackedUp, useProjects } from '../../data/projects.ts';
import { fieldError } from '../../format/describe-failure.ts';
import { FindBox } from '../../parts/find-box.tsx';
import { NoProject } from '../../parts/source/no-project.tsx';
import { paths } from '../../paths.ts';
import { Card } from '../../ui/data/card.tsx';
import { ErrorNotice } from '../../ui/data/error-notice.tsx';
import { Progress } from '../../ui/data/progress.tsx';
import { SkeletonText } from '../../ui/data/skeleton.tsx';
import { Select } from '../../ui/form/field.tsx';
import { RecordOptions } from '../../ui/form/options.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';
import { useSearchParams } from '../../use-search.ts';
import { DeletedLately } from './deleted-lately.tsx';
import { FoundDocument } from './found-document.tsx';
import { mergeLocated } from './merge-located.ts';
import { PathLinks } from './path-links.tsx';

/** Finds a document wherever it exists, and restores it: a plan, one button. */
export const FindDocumentPage = () => {
  const [{ path = '', projectId: chosen }, setSearch] = useSearchParams();
  const navigate = useNavigate();
  const { items: projects, query } = useProjects();
  const projectId = chosen ?? lastBackedUp(projects)?.id;
  const isAddress = namesGoogleProject(path);
  const name = { path, projectId: isAddress ? chosen : projectId };
  const { items: pages, query: search } = useLocatedDocument(name, path !== '' && (isAddress || projectId !== undefined));
  const { error, refetch, isFetching } = search;
  const data = mergeLocated(pages ?? []);
  const find = (document: string): void =>
    void navigate({
      to: paths.findDocument({ path: document, projectId: namesGoogleProject(document) ? undefined : projectId }),
    });
  const problem = fieldError(error, 'path');
  return (
    <>
      <PageHeader
        title="Find a document"
        crumbs={[{ label: 'Restores', to: paths.restores }]}
        description="Where it exists, when it changed or vanished, and how to get it back. What you read here is written to the audit log."
      />
      <div className="stack">
        {query.error && !projects && (
          <ErrorNotice error={query.error} title="The projects could not be loaded" onRetry={() => void query.refetch()} />
        )}
        {projects?.length !== 0 && (
          <Card>
            <FindBox
              key={path}
              initial={path}
              isPrimary={path === ''}
              busy={isFetching}
              error={problem}
              onFind={find}
              hint={
                <>
                  A path such as users/ada, an id, or the address of the document in Google’s console. Or{' '}
                  <Link to={paths.search({ projectId })}>search by the values of fields</Link>.
                </>
              }
              before={
                projects && projects.length > 1 ? (
                  <Select
                    label="Project"
                    value={data?.projectId ?? projectId ?? ''}
                    error={fieldError(error, 'projectId')}
                    onChange={({ target }) => setSearch({ projectId: target.value, ...(isAddress && { path: undefined }) })}
                  >
                    <RecordOptions of={projects} />
                  </Select>
                ) : undefined
              }
            />
          </Card>
        )}
        {path === '' ? (
          projects?.length === 0 ? (
            <Card>
              <NoProject>Connect a project and back it up first.</NoProject>
            </Card>
          ) : projectId === undefined ? (
            <SkeletonText lines={4} />
          ) : (
            <DeletedLately key={projectId} projectId={projectId} />
          )
        ) : data ? (
          data.candidates.length > 0 ? (
            <Card title="Several documents have this id" description="Choose the one you mean." flush>
              <PathLinks projectId={data.projectId} documents={data.candidates.map((candidate) => ({ path: candidate }))} />
            </Card>
          ) : (
            <FoundDocument
              key={`${data.projectId} ${data.path}`}
              located={data}
              searched={path}
              search={search}
              otherProjects={isAddress ? [] : (projects?.filter(({ id }) => id !== data.projectId) ?? [])}
              onAgain={() => void refetch()}
            />
          )
        ) : error ? (
          problem === undefined && (
            <ErrorNotice error={error} title="The document could not be searched for" onRetry={() => void refetch()} />
          )
        ) : (
          <Card>
            <div className="stack" role="status">
              <p>Looking at the live database, the newest backups and captured changes…</p>
              <Progress label="Searching" percent={undefined} />
            </div>
          </Card>
        )}
      </div>
    </>
  );
};
