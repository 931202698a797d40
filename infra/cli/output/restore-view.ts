/** Restores and their plans for people. */
import type { DataOf } from '../../../shared/client/index.ts';
import { escapeName } from '../../archive/escape-output.ts';
import { formatCount, formatCounted, formatDuration, formatMinute, formatNames, formatTime } from './format.ts';
import type { Detail, Output } from './output.ts';
import { type Preview, printPreview, type RuleMatches } from './preview-view.ts';
import type { Column } from './render-table.ts';
import { statusStyle } from './status-style.ts';
import type { Style } from './terminal.ts';

type RestoreJob = DataOf<'GET /backups/restore/{restoreJobId}'>;
type History = DataOf<'GET /backups/restore'>[number];

/** What a restore would do: the plan of a dry run, or of a job that only plans. */
export type Plan = Pick<
  NonNullable<RestoreJob['plan']>,
  'create' | 'overwrite' | 'skip' | 'delete' | 'unchanged' | 'notFound'
> & {
  /** Of documents and users. */
  readonly deletions?: readonly string[] | undefined;
  readonly authUsers?: { readonly create: number; readonly overwrite: number; readonly skip: number } | undefined;
  /** A job has planned it, which does not count the users that it would write. */
  readonly hasUncountedUsers?: boolean | undefined;
  readonly deleteDigest?: string | undefined;
  readonly changes?: readonly { readonly path: string; readonly action: string }[] | undefined;
  readonly unknownCollections?: readonly string[] | undefined;
  readonly documentsErased?: number | undefined;
  readonly diverged?: RestoreJob['diverged'] | undefined;
  /** Of a masked copy. */
  readonly ruleMatches?: RuleMatches | undefined;
  readonly transformPreview?: Preview | undefined;
};

interface PlanLine {
  readonly action: 'create' | 'overwrite' | 'delete' | 'skip' | 'unchanged';
  readonly meaning: string;
  readonly style?: Style;
}

const planLines: readonly PlanLine[] = [
  { action: 'create', meaning: 'missing in the target', style: 'green' },
  { action: 'overwrite', meaning: 'different in the target', style: 'yellow' },
  { action: 'delete', meaning: 'not in the backup', style: 'red' },
  { action: 'skip', meaning: 'exist in the target and stay as they are' },
  { action: 'unchanged', meaning: 'equal in the target' },
];
const marks: Readonly<Record<string, readonly [string, Style]>> = {
  create: ['+', 'green'],
  overwrite: ['~', 'yellow'],
  delete: ['-', 'red'],
  skip: ['=', 'dim'],
};
const shownMax = 20;

/** The plan as a table, then the first changes. Everything that would be deleted and is known is listed. */
export const printPlan = (output: Output, plan: Plan): void => {
  const columns: readonly Column<PlanLine>[] = [
    { title: 'ACTION', value: ({ action }) => action, style: ({ style, action }) => (plan[action] > 0 ? style : undefined) },
    { title: 'DOCUMENTS', value: ({ action }) => formatCount(plan[action]), align: 'right' },
    { title: 'WHICH', value: ({ meaning }) => meaning, flexible: true },
  ];
  output.table(planLines, columns);
  const { documentsErased = 0 } = plan;
  if (documentsErased > 0) output.line(`${formatCount(documentsErased)} erased and left out: neither written nor deleted`);
  const deletions = plan.deletions ?? [];
  const others = (plan.changes ?? []).filter(({ action }) => action !== 'delete').slice(0, shownMax);
  const changes = [...others, ...deletions.map((path) => ({ path, action: 'delete' }))];
  if (changes.length > 0) output.line('');
  for (const { path, action } of changes) {
    const [mark, style] = marks[action] ?? ['?', 'dim'];
    output.line(output.terminal.paint(style, `${mark} ${escapeName(path)}`));
  }
  const more = plan.create + plan.overwrite + plan.delete - changes.filter(({ action }) => action !== 'skip').length;
  if (changes.length > 0 && more > 0) output.line(output.terminal.paint('dim', `  and ${formatCount(more)} more`));
  printPreview(output, plan.ruleMatches, plan.transformPreview);
  const missing = [...(plan.unknownCollections ?? []), ...plan.notFound];
  if (missing.length > 0) output.warn(`${missingLabel(plan)}: ${formatNames(missing)}`);
  if (plan.diverged) output.warn(divergedText(plan.diverged));
};

/** What an audit found of the restored moment. */
export const divergedText = ({ from, to, documentCount, collections }: NonNullable<RestoreJob['diverged']>): string =>
  `may differ from what the database had: the audit of ${formatTime(to)} found ${formatCounted(documentCount, 'document')} that differed from what was captured since ${formatTime(from)}, in ${formatNames(collections)}`;

export const planSummary = ({
  create,
  overwrite,
  delete: deleted,
  deletions = [],
  authUsers,
  hasUncountedUsers,
}: Plan): string => {
  const users = deletions.filter((path) => path.startsWith('accounts/')).length;
  const parts = [
    `${formatCount(create)} will be created, ${formatCount(overwrite)} overwritten and ${formatCount(deleted)} deleted`,
    ...(authUsers ? [`${formatCount(authUsers.create)} users created and ${formatCount(authUsers.overwrite)} overwritten`] : []),
    ...(hasUncountedUsers ? ['users are written, too'] : []),
    ...(users > 0 ? [`at least ${formatCount(users)} users deleted`] : []),
  ];
  return parts.join('; ');
};

export const restoreColumns: readonly Column<History>[] = [
  { title: 'RESTORE', value: ({ restoreJobId }) => restoreJobId },
  { title: 'INTO', value: ({ targetProject }) => targetProject.name, flexible: true, optional: 2 },
  {
    title: 'STATUS',
    value: ({ jobStatus, dryRun }) => (dryRun ? 'plan' : jobStatus),
    style: ({ jobStatus }) => statusStyle(jobStatus),
  },
  { title: 'DOCUMENTS', value: ({ documents }) => formatCount(documents), align: 'right', flexible: true, optional: 1 },
  { title: 'CREATED (UTC)', value: ({ createdAt }) => formatMinute(createdAt), optional: 3 },
];

export const restoreDetails = (job: RestoreJob): readonly Detail[] => {
  const { status, phase, progress, error } = job;
  const isEnded = status !== 'pending' && status !== 'running';
  return [
    ['Restore', job.restoreJobId],
    [
      'From',
      job.pointInTime ? `${job.projectName} at ${formatTime(job.pointInTime)}` : `${job.projectName}, backup ${job.backupId}`,
    ],
    ['Into', `${job.targetProjectName} (${job.targetProjectId})`],
    [
      'Status',
      isEnded ? status : `${job.cancelling ? 'cancelling' : status}, ${phase}, ${progress.percent} %`,
      statusStyle(status),
    ],
    ['Error', error && `${error.message} (${error.code})`, 'red'],
    ['Waiting for', job.waitingFor && `${job.waitingFor.reason} since ${formatTime(job.waitingFor.since)}`],
    ['Mode', job.mergeMode],
    [
      'Masked',
      job.transform &&
        `${formatCounted(job.transform.rules, 'rule')}, ${formatCounted(job.transform.documentsTransformed ?? 0, 'document')} changed`,
    ],
    ['Plan only', job.dryRun ? 'yes' : null],
    ['Collections', job.collections.join(', ')],
    ['Documents', job.documentIds?.join(', ')],
    ['Restored', formatCount(job.documentsRestored - job.documentsUnchanged)],
    ['Unchanged', formatCount(job.documentsUnchanged)],
    ['Deleted', formatCount(job.documentsDeleted)],
    ['Skipped', formatCount(job.documentsSkipped)],
    ['Erased, left out', job.documentsErased > 0 ? formatCount(job.documentsErased) : null],
    [job.documentsErased > 0 ? 'Not found, or erased' : 'Not in backup', missingNames(job), 'yellow'],
    ['Failed', job.documentsFailed > 0 ? formatCount(job.documentsFailed) : null, 'red'],
    ['Lacks', job.partial && `${job.partial.reason}: ${job.partial.collections.join(', ')}`, 'yellow'],
    ['May differ', job.diverged && divergedText(job.diverged), 'yellow'],
    ...findingLines(job).map((line): Detail => ['Finding', line, 'yellow']),
    ['Created', formatTime(job.createdAt)],
    ['Created by', job.createdBy?.email ?? job.createdBy?.type],
    ['Duration', job.duration === null ? null : formatDuration(job.duration * 1_000)],
    ['Undo until', job.undoneBy ? null : formatTime(job.undoUntil)],
    ['Undone by', job.undoneBy],
    ['Undo of', job.undoOf],
    ['Safety backup', job.safetyBackupId],
    [
      'Cost',
      `${formatCounted(job.cost.reads, 'read')}, ${formatCounted(job.cost.writes, 'write')}, about ${job.cost.estimatedUsd} USD`,
    ],
  ];
};

/** What the restore found in the storage of its backup, although it may have completed. */
export const findingLines = ({ findings, findingsCount }: Pick<RestoreJob, 'findings' | 'findingsCount'>): readonly string[] => {
  const more = findingsCount - findings.length;
  return [
    ...findings.map(({ object, message }) => `${object}: ${message}`),
    ...(more > 0 ? [`and ${formatCount(more)} more`] : []),
  ];
};

/** Erased documents are among those that were not found. */
export const missingLabel = ({ documentsErased = 0 }: { readonly documentsErased?: number | undefined }): string =>
  documentsErased > 0 ? 'not in the backup, or erased' : 'not in the backup';

/** What was asked for and is not in the backup; empty if all of it is. */
export const missingNames = (job: RestoreJob): string => {
  const { unknownCollections, unknownCollectionsCount, notFound, notFoundCount } = job;
  return formatNames([...unknownCollections, ...notFound], unknownCollectionsCount + notFoundCount);
};

/** The end of a restore in one line. */
export const restoreSummary = (job: RestoreJob): string => {
  const counts = [
    // Documents that were equal already count as restored in the API.
    `${formatCount(job.documentsRestored - job.documentsUnchanged)} restored`,
    `${formatCount(job.documentsDeleted)} deleted`,
    `${formatCount(job.documentsUnchanged)} unchanged`,
    ...(job.documentsSkipped > 0 ? [`${formatCount(job.documentsSkipped)} skipped`] : []),
    ...(job.documentsErased > 0 ? [`${formatCount(job.documentsErased)} erased and left out`] : []),
    ...(job.documentsFailed > 0 ? [`${formatCount(job.documentsFailed)} failed`] : []),
  ];
  return `Restore ${job.restoreJobId} ${job.status}: ${counts.join(', ')}`;
};
