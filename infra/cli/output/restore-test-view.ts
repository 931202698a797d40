/** Plans and runs of restore tests in lines. */
import type { DataOf } from '../../../shared/client/index.ts';
import { formatCount, formatCounted, formatTime } from './format.ts';
import type { Detail } from './output.ts';
import { statusStyle } from './status-style.ts';

type RestoreTest = DataOf<'GET /restore-tests/{restoreTestId}'>;
type TestRun = DataOf<'GET /restore-tests/runs/{runId}'>;

/** How the last run ended, or that the plan does not run. */
export const restoreTestResult = ({ lastOutcome, enabled }: RestoreTest): string =>
  enabled ? (lastOutcome?.status ?? 'not yet') : 'paused';

const pickOf = ({ pick, days }: RestoreTest['backup']): string =>
  pick === 'random' ? `random of the last ${formatCounted(days ?? 0, 'day')}` : pick;
const scopeOf = ({ type, documentsPerCollection }: RestoreTest['scope']): string =>
  type === 'all' ? 'all documents' : `${formatCounted(documentsPerCollection ?? 0, 'document')} per collection`;

export const restoreTestDetails = (plan: RestoreTest): readonly Detail[] => [
  ['Restore test', plan.id],
  ['Name', plan.name],
  ['Project', plan.projectId ?? 'all projects'],
  ['Cron', `${plan.cron} (${plan.timezone})`],
  ['Backup', pickOf(plan.backup)],
  ['Scope', scopeOf(plan.scope)],
  ['Target', plan.target?.projectId ?? 'none: the archive is read and compared'],
  ['Check', plan.check && `${plan.check.url}, ${plan.check.timeoutSeconds} s`],
  ['Status', plan.enabled ? 'enabled' : 'paused', statusStyle(plan.enabled ? 'enabled' : 'paused')],
  ['Last result', plan.lastOutcome?.status, statusStyle(plan.lastOutcome?.status ?? '')],
  ['Last run', plan.lastOutcome && formatTime(plan.lastOutcome.at)],
  ['Error', plan.lastOutcome?.error?.message],
  ['Next run', formatTime(plan.nextRunAt)],
];

export const restoreTestRunDetails = (run: TestRun): readonly Detail[] => [
  ['Run', run.id],
  ['Restore test', `${run.name} (${run.restoreTestId})`],
  ['Project', `${run.projectName} (${run.projectId})`],
  ['Status', run.status, statusStyle(run.status)],
  ['Phase', run.status === 'running' ? `${run.phase}, ${run.progress.percent} %` : null],
  ['Error', run.error && `${run.error.message} (${run.error.code})`],
  ...run.warnings.map(({ message }): Detail => ['Warning', message, statusStyle('missed')]),
  ['Backup', run.backupId],
  ['Moment', formatTime(run.pointInTime)],
  ['State of', formatTime(run.readTime)],
  ['Target', run.target ? `${run.target.projectName} (${run.target.projectId})` : 'none: the archive is read and compared'],
  ['Documents', run.counts && formatCount(run.counts.documents)],
  ['Written', run.documentsWritten === null ? null : formatCounted(run.documentsWritten, 'document')],
  ['Index', run.comparisons && comparisonOf(run.comparisons.index)],
  ['Source', run.comparisons && comparisonOf(run.comparisons.source)],
  ['Restored', run.comparisons && comparisonOf(run.comparisons.target)],
  ['Differences', formatCount(run.differences.total)],
  ...run.differences.items.slice(0, 20).map(({ path, message }): Detail => ['', `${path}: ${message}`]),
  ['Check', run.check && `${run.check.status}${run.check.message ? `: ${run.check.message}` : ''}`],
  ['Removal', run.removal?.status],
  ['RTO', run.rtoSeconds === null ? null : `${run.rtoSeconds} s`],
  ['Started', formatTime(run.startedAt)],
  ['Completed', formatTime(run.completedAt)],
  ['Evidence', run.evidence?.object],
  ['Evidence key', run.evidence?.keyId],
];

const comparisonOf = ({ compared, reason, documents, differences }: NonNullable<TestRun['comparisons']>['index']): string =>
  compared
    ? `${formatCounted(documents, 'document')} compared, ${formatCount(differences)} different${reason ? `; ${reason}` : ''}`
    : `not compared${reason ? `: ${reason}` : ''}`;
