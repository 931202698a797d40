import { Link } from '@tanstack/react-router';
import { exportScope, formatWords } from '../../data/export/export-words.ts';
import { type ExportJob, isExportActive } from '../../data/export/exports.ts';
import { startedBy } from '../../data/job-words.ts';
import { formatBytes, formatCount, formatPercent } from '../../format/format-number.ts';
import { formatDuration } from '../../format/format-time.ts';
import { sentence } from '../../format/sentence.ts';
import { paths } from '../../paths.ts';
import { Status } from '../../ui/data/badge.tsx';
import { Email } from '../../ui/data/email.tsx';
import { None } from '../../ui/data/none.tsx';
import type { Column } from '../../ui/data/table.tsx';
import { Time } from '../../ui/data/time.tsx';

export const columns: readonly Column<ExportJob>[] = [
  {
    key: 'what',
    label: 'Export',
    isTitle: true,
    cell: (job) => (
      <span className="jobs__stack">
        <Link to={paths.export(job.id)}>
          <Time at={job.createdAt} />
        </Link>
        <span className="small muted regular wrap-anywhere">{exportScope(job)}</span>
        {job.error && <span className="small bad regular wrap-anywhere jobs__error">{sentence(job.error.message)}</span>}
      </span>
    ),
  },
  {
    key: 'status',
    label: 'Status',
    cell: (job) => (
      <span className="jobs__stack">
        <Status status={job.status} />
        {job.status === 'running' && job.progress.totalDocuments !== null && (
          <span className="small muted">{formatPercent(job.progress.percent / 100)}</span>
        )}
      </span>
    ),
  },
  {
    key: 'from',
    label: 'From',
    cell: ({ readTime, projectName }) => (
      <span className="jobs__stack">
        <span className="jobs__name">{projectName}</span>
        <span className="muted small">{readTime === null ? 'A backup' : <Time at={readTime} />}</span>
      </span>
    ),
  },
  { key: 'format', label: 'Format', cell: ({ format }) => formatWords[format].name },
  {
    key: 'into',
    label: 'Into',
    cell: ({ storageDestination }) => <span className="jobs__name">{storageDestination.name}</span>,
  },
  {
    key: 'by',
    label: 'Started by',
    cell: ({ createdBy }) => (
      <span className="jobs__person">
        <Email text={startedBy(createdBy)} />
      </span>
    ),
  },
  {
    key: 'documents',
    label: 'Documents',
    isNumber: true,
    // The files of an export that ended early are deleted.
    cell: (job) =>
      isExportActive(job) || job.status === 'completed' ? (
        <span className="jobs__stack">
          {formatCount(job.documents)}
          <span className="muted small">{formatBytes(job.bytes)}</span>
        </span>
      ) : (
        <None />
      ),
  },
  {
    key: 'duration',
    label: 'Took',
    isNumber: true,
    cell: (job) =>
      job.duration === null || isExportActive(job) ? (
        <None />
      ) : (
        <span className="jobs__took">{formatDuration(Math.max(1, job.duration) * 1_000)}</span>
      ),
  },
];
