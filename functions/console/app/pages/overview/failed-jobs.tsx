import { Link } from '@tanstack/react-router';
import type { Overview } from '../../data/overview.ts';
import { paths } from '../../paths.ts';
import { Card } from '../../ui/data/card.tsx';
import { type Column, Table } from '../../ui/data/table.tsx';
import { Time } from '../../ui/data/time.tsx';

type FailedJob = Overview['failedJobs'][number];

const columns: readonly Column<FailedJob>[] = [
  {
    key: 'job',
    label: 'Job',
    isTitle: true,
    cell: ({ kind, id }) => (
      <Link to={kind === 'backup' ? paths.backup(id) : paths.restore(id)}>{kind === 'backup' ? 'Backup' : 'Restore'}</Link>
    ),
  },
  {
    key: 'project',
    label: 'Project',
    cell: ({ projectId, projectName }) => <span className="table__name">{projectName ?? projectId}</span>,
  },
  { key: 'at', label: 'Failed', cell: ({ failedAt }) => <Time at={failedAt} relative /> },
  { key: 'error', label: 'Why', cell: ({ error }) => <span className="wrap-anywhere">{error?.message ?? '–'}</span> },
];

export const FailedJobs = ({ jobs }: { readonly jobs: readonly FailedJob[] }) => (
  <Card title="Recent failures" flush>
    <Table label="Failed backups and restores" columns={columns} rows={jobs} rowKey={({ id }) => id} />
  </Card>
);
