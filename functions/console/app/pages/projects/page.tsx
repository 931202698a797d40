import { usePermission } from '../../api/permission.ts';
import type { ProjectOverview } from '../../data/overview.ts';
import { formatBytes, formatCount } from '../../format/format-number.ts';
import { ProjectList, ProjectName, useFilteredOverview } from '../../parts/project/project-list.tsx';
import { LastBackup, NextRun, PointInTime } from '../../parts/project/project-state.tsx';
import { Protection } from '../../parts/project/protection.tsx';
import { paths } from '../../paths.ts';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { None } from '../../ui/data/none.tsx';
import type { Column } from '../../ui/data/table.tsx';
import { ButtonLink } from '../../ui/form/button-link.tsx';
import { PageHeader } from '../../ui/layout/page-header.tsx';

/** How many run, and how many of them fail. */
const Schedules = ({ enabled, failing }: ProjectOverview['schedules']) => (
  <>
    {formatCount(enabled)}
    {failing.length > 0 && <div className="small bad nowrap">{formatCount(failing.length)} failing</div>}
  </>
);

const columns: readonly Column<ProjectOverview>[] = [
  {
    key: 'name',
    label: 'Project',
    isTitle: true,
    sort: 'name',
    cell: (project) => <ProjectName project={project} />,
  },
  { key: 'protection', label: 'Protection', sort: 'protection', cell: (project) => <Protection {...project} /> },
  { key: 'last', label: 'Last good backup', sort: 'lastBackup', cell: (project) => <LastBackup {...project} /> },
  {
    key: 'documents',
    label: 'Documents',
    isNumber: true,
    cell: ({ lastGoodBackup }) =>
      lastGoodBackup ? (
        <>
          {formatCount(lastGoodBackup.documents)}
          <div className="small muted">{formatBytes(lastGoodBackup.size)}</div>
        </>
      ) : (
        <None />
      ),
  },
  { key: 'pitr', label: 'Point in time', cell: (project) => <PointInTime {...project} /> },
  { key: 'schedules', label: 'Schedules', isNumber: true, cell: ({ schedules }) => <Schedules {...schedules} /> },
  { key: 'next', label: 'Next run', cell: (project) => <NextRun {...project} /> },
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
      <PageHeader
        title="Projects"
        description="The Firestore databases of this organization, and how each is protected."
        actions={connect}
      />
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
