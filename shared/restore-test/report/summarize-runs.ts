import { hasWrittenAll, writtenDocuments } from '../../archive/index.ts';
import type { RestoreTestReport } from '../../contract/models/restore-test-evidence.ts';
import { recoveryTimes } from '../../contract/recovery-times.ts';
import type { RunRecord } from '../model/record.ts';
import { runWarnings } from '../model/run-warnings.ts';
import { isInPeriod, type Period } from './report-period.ts';

type ReportedProject = RestoreTestReport['projects'][number];
type ReportedRun = ReportedProject['tests'][number];
type Counted = Pick<
  RestoreTestReport['summary'],
  'runs' | 'passed' | 'passedWithWarnings' | 'notProven' | 'failed' | 'cancelled' | 'unfinished' | 'backupsProven' | 'rto'
>;

/** What the report needs of a run. */
export const reportAttributes = [
  'sk',
  'id',
  'restoreTestId',
  'name',
  'projectId',
  'projectName',
  'status',
  'backupId',
  'pointInTime',
  'target',
  'counts',
  'documentsWritten',
  'removal',
  'comparisons',
  'differenceTotal',
  'rtoSeconds',
  'evidence',
  'completedAt',
  'error',
] as const;
export type ReportedRecord = Pick<RunRecord, Exclude<(typeof reportAttributes)[number], 'sk'>>;

const testsMax = 100;

interface ConnectedProject {
  readonly id: string;
  readonly name: string;
  readonly createdAt: string;
}

/** Every project that was connected by then is listed, tested or not, and every other one that was tested. Runs are sorted, newest first. */
export const summarizeProjects = (
  connected: readonly ConnectedProject[],
  runs: readonly ReportedRecord[],
  period: Period,
): readonly ReportedProject[] => {
  const byProject = Map.groupBy(runs, ({ projectId }) => projectId);
  const known = new Set(connected.map(({ id }) => id));
  const gone = [...byProject].flatMap(([id, [newest]]) => (known.has(id) || !newest ? [] : [{ id, name: newest.projectName }]));
  const entries = [
    ...connected
      .filter((each) => isInPeriod(each, period) || byProject.has(each.id))
      .map((each) => ({ ...each, connected: true })),
    ...gone.map((each) => ({ ...each, connected: false })),
  ];
  const byName = (a: { name: string; id: string }, b: { name: string; id: string }): number =>
    a.name.localeCompare(b.name, 'en') || (a.id < b.id ? -1 : 1);
  return entries.sort(byName).map((project) => summarizeProject(project, byProject.get(project.id) ?? []));
};

const summarizeProject = (
  project: { readonly id: string; readonly name: string; readonly connected: boolean },
  runs: readonly ReportedRecord[],
): ReportedProject => {
  const tests = runs.flatMap((run) => reportedRun(run) ?? []);
  const last = tests.find(isProof);
  return {
    projectId: project.id,
    projectName: project.name,
    connected: project.connected,
    result: last?.status ?? 'not_tested',
    ...countRuns(runs),
    lastTestedAt: last?.completedAt ?? null,
    lastPassedAt: tests.find(({ status }) => status === 'passed')?.completedAt ?? null,
    tests: tests.slice(0, testsMax),
    testsOmitted: Math.max(0, tests.length - testsMax),
  };
};

type Proof = ReportedRun & { readonly status: 'passed' | 'failed' };
const isProof = (test: ReportedRun): test is Proof => test.status !== 'not_proven';

/** A run that has ended with a result; others prove nothing. */
const reportedRun = (run: ReportedRecord): ReportedRun | undefined => {
  const { status, completedAt } = run;
  if ((status !== 'passed' && status !== 'failed') || completedAt === null) return undefined;
  return {
    runId: run.id,
    restoreTestId: run.restoreTestId,
    name: run.name,
    status: status === 'passed' && !hasWrittenAll(run) ? 'not_proven' : status,
    completedAt,
    backupId: run.backupId,
    pointInTime: run.pointInTime,
    documents: run.counts?.documents ?? null,
    documentsWritten: writtenDocuments(run),
    differences: run.differenceTotal,
    error: run.error && { code: run.error.code, message: run.error.message },
    warnings: [...runWarnings(run)],
    rtoSeconds: run.rtoSeconds,
    evidence: run.evidence,
  };
};

export const countRuns = (runs: readonly ReportedRecord[]): Counted => {
  const count = (...wanted: readonly RunRecord['status'][]): number =>
    runs.filter(({ status }) => wanted.includes(status)).length;
  const passed = runs.filter((run) => run.status === 'passed' && hasWrittenAll(run));
  const proven = passed.map(({ projectId, pointInTime, backupId }) => `${projectId} ${pointInTime ?? backupId}`);
  return {
    runs: runs.length,
    passed: passed.length,
    passedWithWarnings: passed.filter((run) => runWarnings(run).length > 0).length,
    notProven: count('passed') - passed.length,
    failed: count('failed'),
    cancelled: count('cancelled'),
    unfinished: count('pending', 'running'),
    backupsProven: new Set(proven).size,
    // How fast a restore was that lost something proves nothing.
    rto: recoveryTimes(passed.flatMap(({ rtoSeconds }) => rtoSeconds ?? [])),
  };
};
