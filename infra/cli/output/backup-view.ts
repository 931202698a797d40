/** Backups for people. */

import { type DataOf, isFoundDamaged } from '../../../shared/client/index.ts';
import { formatBytes } from '../../../shared/contract/format-bytes.ts';
import { formatCount, formatCounted, formatDuration, formatMinute, formatTime } from './format.ts';
import type { Detail } from './output.ts';
import type { Column } from './render-table.ts';
import { statusStyle } from './status-style.ts';

type Backup = DataOf<'GET /backups/{backupId}'>;

export const backupColumns: readonly Column<Backup>[] = [
  { title: 'BACKUP', value: ({ id }) => id },
  { title: 'PROJECT', value: ({ projectName, projectId }) => projectName ?? projectId, flexible: true, optional: 2 },
  {
    title: 'STATUS',
    value: ({ status, anomaly }) => (anomaly?.acknowledgedAt === null ? `${status}, unusual` : status),
    style: ({ status, anomaly }) => (anomaly?.acknowledgedAt === null ? 'yellow' : statusStyle(status)),
  },
  {
    title: 'DOCUMENTS',
    value: ({ status, documentCount }) => (status === 'failed' ? null : formatCount(documentCount)),
    align: 'right',
    flexible: true,
    optional: 1,
  },
  { title: 'CREATED (UTC)', value: ({ createdAt }) => formatMinute(createdAt), optional: 3 },
];

export const backupDetails = (backup: Backup): readonly Detail[] => {
  const { status, phase, progress, verification, error, lacks } = backup;
  const isEnded = status !== 'pending' && status !== 'running';
  const isOutdated = verification?.status === 'passed' && isFoundDamaged(backup);
  return [
    ['Backup', backup.id],
    ['Project', `${backup.projectName ?? '(deleted)'} (${backup.projectId})`],
    ['Status', isEnded ? status : `${status}, ${phase}, ${progress.percent} %`, statusStyle(status)],
    ['Error', error && `${error.message} (${error.code})`, 'red'],
    ...anomalyDetails(backup),
    ['Waiting for', backup.waitingFor && `${backup.waitingFor.reason} since ${formatTime(backup.waitingFor.since)}`],
    ['Type', backup.type + (backup.parentBackupId ? ` on ${backup.parentBackupId}` : '')],
    ['Full because', backup.fullBecause],
    ['Trigger', backup.trigger + (backup.foreign ? ', of another database' : '')],
    ['Documents', isEnded ? formatCount(backup.documentCount) : null],
    ['Users', backup.authUsers === undefined ? null : formatCount(backup.authUsers)],
    ['Size', isEnded ? `${formatBytes(backup.size)} stored, ${formatBytes(backup.originalSize)} of documents` : null],
    ['Collections', backup.collections.join(', ')],
    ['Excluded', backup.excludedCollections.join(', ')],
    ['Unknown', backup.unknownCollections.join(', '), 'yellow'],
    [
      'Lacks',
      lacks && [lacks.reason, ...(lacks.collections.length > 0 ? [lacks.collections.join(', ')] : [])].join(': '),
      'yellow',
    ],
    ['Storage', `${backup.storageDestination.name} (${backup.storageDestination.type}), ${backup.path}`],
    ['State of', formatTime(backup.readTime)],
    ['Created', formatTime(backup.createdAt)],
    ['Created by', backup.createdBy?.email ?? backup.createdBy?.type],
    ['Duration', backup.duration === null ? null : formatDuration(backup.duration)],
    ['Expires', formatTime(backup.expiresAt)],
    ['Locked until', formatTime(backup.lockedUntil)],
    ['Immutable until', formatTime(backup.immutableUntil)],
    ['Lock problem', backup.lockProblem?.reason],
    [
      'Verification',
      verification &&
        `${verification.status} (${verification.depth})${verification.status === 'running' ? `, ${verification.percent} %` : ''}, ${formatTime(verification.checkedAt)}${isOutdated ? '; found damaged since' : ''}`,
      verification ? statusStyle(isOutdated ? 'failed' : verification.status) : undefined,
    ],
    ['Restore test', formatTime(backup.restoreTestedAt)],
    ['Built from', backup.builtFrom === 'changes' ? 'captured changes' : backup.builtFrom],
    ['Read because', backup.builtFromReason],
    ['Audited since', backup.builtFrom === 'changes' ? formatTime(backup.auditedSince) : null],
    ['Cost', `${formatCounted(backup.cost.reads, 'read')}, about ${backup.cost.estimatedUsd} USD`],
    [
      'Reading all',
      backup.costIfRead && `${formatCounted(backup.costIfRead.reads, 'read')}, about ${backup.costIfRead.estimatedUsd} USD`,
    ],
  ];
};

const anomalyDetails = ({ id, anomaly }: Backup): readonly Detail[] => {
  if (!anomaly) return [];
  const { findings, keptBackupId, acknowledgedAt, acknowledgedBy, note } = anomaly;
  const by = `${acknowledgedBy?.email ?? 'a member'}, ${formatTime(acknowledgedAt)}${note === null ? '' : `: ${note}`}`;
  return [
    ...findings.map(({ message }): Detail => ['Unusual', message, 'yellow']),
    ['Last before', keptBackupId],
    acknowledgedAt === null ? ['Acknowledge', `bms backup acknowledge ${id}`, 'yellow'] : ['Acknowledged', `by ${by}`],
  ];
};

/** The end of a backup in one line. */
export const backupSummary = ({ id, status, documentCount, size, duration }: Backup): string =>
  status === 'completed'
    ? `Backup ${id} completed: ${formatCounted(documentCount, 'document')}, ${formatBytes(size)}${duration === null ? '' : `, ${formatDuration(duration)}`}`
    : `Backup ${id} ${status}`;
