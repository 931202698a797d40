import type { ProjectOverview } from '../../data/overview.ts';
import { ProjectList, ProjectName, type useFilteredOverview } from '../../parts/project/project-list.tsx';
import { LastBackup, NextRun, PointInTime, Proven, Verified } from '../../parts/project/project-state.tsx';
import { Protection } from '../../parts/project/protection.tsx';
import type { Column } from '../../ui/data/table.tsx';

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
  { key: 'verified', label: 'Verified', cell: (project) => <Verified {...project} /> },
  { key: 'proven', label: 'Proven', sort: 'lastRestoreTest', cell: (project) => <Proven {...project} /> },
  { key: 'pitr', label: 'Point in time', cell: (project) => <PointInTime {...project} /> },
  { key: 'next', label: 'Next run', cell: (project) => <NextRun {...project} /> },
];

export const ProtectedProjects = ({ overview }: { readonly overview: ReturnType<typeof useFilteredOverview> }) => (
  <ProjectList overview={overview} title="Projects" label="Projects and their protection" columns={columns} />
);
