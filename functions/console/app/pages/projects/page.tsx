import { Link } from '@tanstack/react-router';
import { usePermission } from '../../api/permission.ts';
import { type ProjectOverview, useOverview } from '../../data/overview.ts';
import { type Project, useProjects } from '../../data/projects.ts';
import { Protection } from '../../parts/protection.tsx';
import { paths } from '../../paths.ts';
import { Status } from '../../ui/data/badge.tsx';
import { Card } from '../../ui/data/card.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ListBody } from '../../ui/data/list-body.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import { type Column, Table } from '../../ui/data/table.tsx';
import { Time } from '../../ui/data/time.tsx';
import { ButtonLink } from '../../ui/form/button-link.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';

interface Row {
  readonly project: Project;
  /** Undefined until the overview is loaded, null if it has no such project. */
  readonly state: ProjectOverview | null | undefined;
}

const columns: readonly Column<Row>[] = [
  {
    key: 'name',
    label: 'Project',
    isTitle: true,
    cell: ({ project: { id, name } }) => <Link to={paths.project(id)}>{name}</Link>,
  },
  {
    key: 'source',
    label: 'Google Cloud project',
    cell: ({ project: { sourceProjectId, databaseId } }) => (
      <>
        <code className="wrap-anywhere">{sourceProjectId}</code>
        {databaseId !== '(default)' && <div className="small muted">Database {databaseId}</div>}
      </>
    ),
  },
  { key: 'status', label: 'Connection', cell: ({ project }) => <Status status={project.status} /> },
  {
    key: 'protection',
    label: 'Protection',
    cell: ({ state }) => (state ? <Protection {...state} /> : state === null ? '–' : <Skeleton width="5rem" />),
  },
  {
    key: 'last',
    label: 'Last good backup',
    cell: ({ project, state }) => <Time at={state?.lastGoodBackup?.completedAt ?? project.lastBackupAt} relative none="None" />,
  },
  {
    key: 'next',
    label: 'Next run',
    cell: ({ state }) => <Time at={state?.nextRun?.at} relative none={state ? 'Not scheduled' : '–'} />,
  },
];

export const ProjectsPage = () => {
  const list = useProjects();
  const overview = useOverview();
  const { reason } = usePermission('member');
  const stateOf = ({ id }: Project): Row['state'] =>
    overview.isPending ? undefined : (overview.data?.projects.find((one) => one.id === id) ?? null);
  const rows = list.items?.map((project) => ({ project, state: stateOf(project) }));
  const connect = (
    <ButtonLink to={paths.connectProject} variant="primary" icon="plus" disabledReason={reason}>
      Connect a project
    </ButtonLink>
  );
  return (
    <>
      <PageHeader title="Projects" description="The Firestore databases that are backed up." actions={connect} />
      <Card flush>
        <ListBody
          list={list}
          what="projects"
          empty={
            <EmptyState icon="database" title="No projects yet" actions={connect}>
              Connect a Firestore database with your Google account or a service account. It is only read until you restore into
              it.
            </EmptyState>
          }
        >
          <Table label="Projects" columns={columns} rows={rows} rowKey={({ project }) => project.id} />
        </ListBody>
      </Card>
    </>
  );
};
