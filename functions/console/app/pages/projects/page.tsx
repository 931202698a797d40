import { Link } from '@tanstack/react-router';
import { usePermission } from '../../api/permission.ts';
import type { ProjectOverview } from '../../data/overview.ts';
import { LabelList, ProjectList, useFilteredOverview } from '../../parts/project-list.tsx';
import { Protection } from '../../parts/protection.tsx';
import { paths } from '../../paths.ts';
import { Status } from '../../ui/data/badge.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import type { Column } from '../../ui/data/table.tsx';
import { Time } from '../../ui/data/time.tsx';
import { ButtonLink } from '../../ui/form/button-link.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';

const columns: readonly Column<ProjectOverview>[] = [
  {
    key: 'name',
    label: 'Project',
    isTitle: true,
    sort: 'name',
    cell: ({ id, name, labels }) => (
      <>
        <Link to={paths.project(id)}>{name}</Link>
        <LabelList labels={labels} />
      </>
    ),
  },
  {
    key: 'source',
    label: 'Google Cloud project',
    cell: ({ sourceProjectId, databaseId }) => (
      <>
        <code className="wrap-anywhere">{sourceProjectId}</code>
        {databaseId !== '(default)' && <div className="small muted">Database {databaseId}</div>}
      </>
    ),
  },
  { key: 'status', label: 'Connection', cell: ({ status }) => <Status status={status} /> },
  { key: 'protection', label: 'Protection', sort: 'protection', cell: (project) => <Protection {...project} /> },
  {
    key: 'last',
    label: 'Last good backup',
    sort: 'lastBackup',
    cell: ({ lastGoodBackup }) =>
      lastGoodBackup ? (
        <Link to={paths.backup(lastGoodBackup.id)}>
          <Time at={lastGoodBackup.completedAt} relative />
        </Link>
      ) : (
        <span className="muted">None</span>
      ),
  },
  { key: 'next', label: 'Next run', cell: ({ nextRun }) => <Time at={nextRun?.at} relative none="Not scheduled" /> },
];

export const ProjectsPage = () => {
  const overview = useFilteredOverview();
  const { reason } = usePermission('member');
  const connect = (
    <ButtonLink to={paths.connectProject} variant="primary" icon="plus" disabledReason={reason}>
      Connect a project
    </ButtonLink>
  );
  return (
    <>
      <PageHeader title="Projects" description="The Firestore databases that are backed up." actions={connect} />
      <ProjectList
        overview={overview}
        label="Projects"
        columns={columns}
        empty={
          <EmptyState icon="database" title="No projects yet" actions={connect}>
            Connect a Firestore database with your Google account or a service account. It is only read until you restore into it.
          </EmptyState>
        }
      />
    </>
  );
};
