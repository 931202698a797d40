import { Link } from '@tanstack/react-router';
import { secondsWords } from '../../data/restore-test/restore-test-words.ts';
import type { Report } from '../../data/restore-test/restore-tests.ts';
import { formatCount, formatPlural } from '../../format/format-number.ts';
import { paths } from '../../paths.ts';
import { Badge, Status } from '../../ui/data/badge.tsx';
import { None } from '../../ui/data/none.tsx';
import { type Column, Table } from '../../ui/data/table.tsx';
import { Time } from '../../ui/data/time.tsx';

type Project = Report['projects'][number];

const columns: readonly Column<Project>[] = [
  {
    key: 'project',
    label: 'Project',
    isTitle: true,
    cell: ({ projectId, projectName, connected }) =>
      connected ? <Link to={paths.project(projectId)}>{projectName}</Link> : `${projectName} (disconnected)`,
  },
  {
    key: 'result',
    label: 'Last result',
    cell: ({ result }) => (result === 'not_tested' ? <Badge tone="warn">Not tested</Badge> : <Status status={result} />),
  },
  { key: 'passed', label: 'Passed', isNumber: true, cell: ({ passed }) => formatCount(passed) },
  { key: 'failed', label: 'Failed', isNumber: true, cell: ({ failed }) => formatCount(failed) },
  { key: 'proven', label: 'Proven', isNumber: true, cell: ({ backupsProven }) => formatCount(backupsProven) },
  { key: 'rto', label: 'Recovery time', cell: ({ rto }) => (rto ? secondsWords(rto.median) : <None />) },
  { key: 'last', label: 'Last passed', cell: ({ lastPassedAt }) => <Time at={lastPassedAt} none="Never in this period" /> },
  {
    key: 'evidence',
    label: 'Evidence',
    cell: ({ tests }) => {
      const [newest] = tests.filter(({ evidence }) => evidence !== null);
      if (!newest) return <None />;
      return (
        <Link className="nowrap" to={paths.restoreTestRun(newest.runId)}>
          {formatPlural(tests.filter(({ evidence }) => evidence !== null).length, 'document')}
        </Link>
      );
    },
  },
];

export const TestedProjects = ({ projects }: { readonly projects: readonly Project[] }) => (
  <Table label="Projects" columns={columns} rows={projects} rowKey={({ projectId }) => projectId} />
);
