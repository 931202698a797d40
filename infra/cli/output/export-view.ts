/** Exports and their plans for people. */
import type { DataOf } from '../../../shared/client/index.ts';
import { formatBytes } from '../../../shared/contract/format-bytes.ts';
import { formatCount, formatCounted, formatDuration, formatMinute, formatTime } from './format.ts';
import type { Detail } from './output.ts';
import type { Column } from './render-table.ts';
import { statusStyle } from './status-style.ts';

type ExportJob = DataOf<'GET /exports/{exportId}'>;
type ExportPlan = Extract<DataOf<'POST /exports'>, { readonly dryRun: true }>;

export const exportColumns: readonly Column<ExportJob>[] = [
  { title: 'Id', value: ({ id }) => id },
  { title: 'Created', value: ({ createdAt }) => formatMinute(createdAt) },
  { title: 'Project', value: ({ projectName }) => projectName },
  { title: 'Format', value: ({ format }) => format },
  { title: 'Documents', value: ({ documents }) => formatCount(documents), align: 'right' },
  { title: 'Size', value: ({ bytes }) => formatBytes(bytes), align: 'right' },
  { title: 'Status', value: ({ status }) => status, style: ({ status }) => statusStyle(status) },
];

export const exportDetails = (job: ExportJob): readonly Detail[] => {
  const { status, phase, progress, error, transform, manifest } = job;
  const isActive = status === 'pending' || status === 'running';
  return [
    ['Export', job.id],
    ['From', `${job.projectName}${job.readTime === null ? '' : ` at ${formatTime(job.readTime)}`}`],
    ['Backup', job.backupId],
    ['Format', job.format],
    ['Into', `${job.storageDestination.name}, ${job.path}`],
    [
      'Status',
      isActive ? `${job.cancelling ? 'cancelling' : status}, ${phase}, ${progress.percent} %` : status,
      statusStyle(status),
    ],
    ['Error', error && `${error.message} (${error.code})`, 'red'],
    ['Waiting for', job.waitingFor && `${job.waitingFor.reason} since ${formatTime(job.waitingFor.since)}`],
    ['Collections', job.collections.join(', ')],
    ['Not in backup', job.unknownCollections.join(', '), 'yellow'],
    ['Not complete', job.partial?.reason, 'yellow'],
    ['Columns', job.columns?.join(', ')],
    ['Encrypted for', job.recipients.join(', ')],
    [
      'Masked',
      transform &&
        `${formatCounted(transform.rules, 'rule')}, ${formatCounted(transform.documentsTransformed ?? 0, 'document')} changed`,
    ],
    ['Documents', formatCount(job.documents)],
    ['Erased, left out', job.documentsErased > 0 ? formatCount(job.documentsErased) : null],
    ['Files', `${formatCount(job.files)}, ${formatBytes(job.bytes)}`],
    ['Manifest', manifest && `${manifest.path} (SHA-256 ${manifest.sha256})`],
    ['Resumable until', formatTime(job.resumableUntil)],
    ['Files deleted', formatTime(job.filesDeletedAt)],
    ['Files kept', job.filesKeptReason, 'yellow'],
    ['Expires', job.filesDeletedAt === null ? formatTime(job.expiresAt) : null],
    ['Created', formatTime(job.createdAt)],
    ['Created by', job.createdBy?.email ?? job.createdBy?.type],
    ['Duration', job.duration === null ? null : formatDuration(job.duration * 1_000)],
  ];
};

/** The end of an export in one line. */
export const exportSummary = (job: ExportJob): string => {
  const counts = [
    formatCounted(job.documents, 'document'),
    formatCounted(job.files, 'file'),
    formatBytes(job.bytes),
    ...(job.documentsErased > 0 ? [`${formatCount(job.documentsErased)} erased and left out`] : []),
  ];
  return `Export ${job.id} ${job.status}${job.status === 'completed' ? `: ${counts.join(', ')}, in ${job.path}` : ''}`;
};

export const exportPlanSummary = ({ documents, bytes, files, storageDestination, format }: ExportPlan): string =>
  `An export as ${format} into ${storageDestination.name} has ${formatCounted(documents, 'document')} of about ${formatBytes(bytes)}, in about ${formatCounted(files, 'file')}`;
