/** The report over a period: what was tested, what was not, and a page that is safe to open. */
import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'vitest';
import { RestoreTestReport } from '../../../shared/contract/models/restore-test-evidence.ts';
import { reportExample } from '../../../shared/contract/openapi/examples/evidence-examples.ts';
import { reportPage, reportPolicy } from '../../../shared/restore-test/report/report-page.ts';
import { reportPeriod } from '../../../shared/restore-test/report/report-period.ts';
import { countRuns, type ReportedRecord, summarizeProjects } from '../../../shared/restore-test/report/summarize-runs.ts';
import { sampleRun } from '../../harness/builders/sample-test-run.ts';

const now = new Date('2026-11-16T12:00:00Z');

const period = { start: new Date('2026-11-01T00:00:00Z'), end: now };

const project = (id: string, name: string, createdAt = '2026-10-01T00:00:00.000Z') => ({ id: `prj_${id}`, name, createdAt });

const record = (change: Partial<ReportedRecord> = {}): ReportedRecord => ({ ...sampleRun(), differenceTotal: 0, ...change });

test('report: every project is listed by name, and one without a test that ended is not tested', () => {
  const projects = summarizeProjects(
    [project('b', 'Beta'), project('a', 'Alpha'), project('c', 'Gamma')],
    [
      record({ id: 'rtr_4', projectId: 'prj_a', status: 'failed', completedAt: '2026-11-15T00:00:00.000Z' }),
      record({ id: 'rtr_3', projectId: 'prj_a', completedAt: '2026-11-14T00:00:00.000Z' }),
      record({ id: 'rtr_2', projectId: 'prj_b', status: 'cancelled' }),
      record({ id: 'rtr_1', projectId: 'prj_gone', projectName: 'Deleted' }),
    ],
    period,
  );
  deepEqual(
    projects.map(({ projectName, connected, result, runs, lastPassedAt }) => ({
      projectName,
      connected,
      result,
      runs,
      lastPassedAt,
    })),
    [
      { projectName: 'Alpha', connected: true, result: 'failed', runs: 2, lastPassedAt: '2026-11-14T00:00:00.000Z' },
      { projectName: 'Beta', connected: true, result: 'not_tested', runs: 1, lastPassedAt: null },
      { projectName: 'Deleted', connected: false, result: 'passed', runs: 1, lastPassedAt: '2026-11-16T03:00:04.700Z' },
      { projectName: 'Gamma', connected: true, result: 'not_tested', runs: 0, lastPassedAt: null },
    ],
  );
});

test('report: a project that was connected after the period is not called untested', () => {
  const namesOf = (...runs: readonly ReportedRecord[]) =>
    summarizeProjects(
      [project('a', 'Before'), project('b', 'At its end', now.toISOString()), project('c', 'Later', '2026-11-16T12:00:00.001Z')],
      runs,
      period,
    ).map(({ projectName, connected }) => [projectName, connected]);
  deepEqual(namesOf(), [
    ['At its end', true],
    ['Before', true],
  ]);
  deepEqual(namesOf(record({ projectId: 'prj_c' })).at(-1), ['Later', true], 'what was tested is listed');
});

test('report: recovery times are those of tests that passed, with the median of an even number between the two', () => {
  const rtoOf = (...seconds: readonly (number | null)[]) => countRuns(seconds.map((rtoSeconds) => record({ rtoSeconds }))).rto;
  equal(rtoOf(null), null);
  deepEqual(rtoOf(10), { runs: 1, min: 10, median: 10, max: 10 });
  deepEqual(rtoOf(30, null, 10, 20.5, 40), { runs: 4, min: 10, median: 25.25, max: 40 });
  equal(countRuns([record({ rtoSeconds: 5, status: 'failed' })]).rto, null);
});

test('report: a backup proven twice counts once, and moments count by their time', () => {
  const runs = [
    record({ backupId: 'bkp_1' }),
    record({ backupId: 'bkp_1' }),
    record({ backupId: 'bkp_2', pointInTime: '2026-11-01T00:00:00.000Z' }),
    record({ backupId: 'bkp_3', status: 'failed' }),
  ];
  equal(countRuns(runs).backupsProven, 2);
});

test('report: at most 100 tests of a project are listed', () => {
  const runs = Array.from({ length: 130 }, (_, n) => record({ id: `rtr_${n}`, projectId: 'prj_a' }));
  const [only] = summarizeProjects([project('a', 'A')], runs, period);
  deepEqual([only?.tests.length, only?.testsOmitted, only?.passed], [100, 30, 130]);
});

test('report: the period is the last 30 days, a bare date is a whole day, and it is bounded', () => {
  const shown = (query: { from?: string; to?: string }) =>
    Object.values(reportPeriod(query, now)).map((date) => (date as Date).toISOString());
  deepEqual(shown({}), ['2026-10-17T12:00:00.000Z', '2026-11-16T12:00:00.000Z']);
  deepEqual(shown({ from: '2026-10-01', to: '2026-10-31' }), ['2026-10-01T00:00:00.000Z', '2026-10-31T23:59:59.999Z']);
  throws(() => reportPeriod({ from: '2026-11-17' }, now), {
    code: 'VALIDATION_ERROR',
    message: 'from: must not be in the future',
  });
  throws(() => reportPeriod({ from: '2026-11-02', to: '2026-11-01' }, now), { message: 'from: must not be after to' });
  throws(() => reportPeriod({ from: '2025-01-01' }, now), { message: 'from: must be at most 366 days before to' });
});

test('report: the page escapes every text, runs nothing, prints, and says what was not tested', () => {
  const [project] = reportExample.projects;
  const hostile = '<script>alert(1)</script>"\'&';
  const report: RestoreTestReport = {
    ...reportExample,
    organization: { id: 'org_1', name: hostile },
    projects: [
      {
        ...project!,
        projectName: hostile,
        tests: project!.tests.map((each) => ({ ...each, name: hostile, backupId: hostile, runId: hostile })),
      },
      { ...project!, result: 'not_tested', tests: [], rto: null },
    ],
  };
  RestoreTestReport.parse(report);
  const page = reportPage(report);
  ok(!page.includes('<script'));
  ok(!/ (on\w+|style)=/.test(page));
  ok(!/https?:\/\//.test(page));
  ok(page.includes('&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;'));
  ok(page.includes('Nothing proves that its backups restore.'));
  ok(page.includes('@media print'));
  const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? '';
  ok(reportPolicy.includes(`style-src 'sha256-${hash('sha256', style, 'base64')}'`));
  ok(reportPolicy.includes("default-src 'none'"));
});

test('report: a test that passed with warnings is counted, and the page says what each test does not prove or why it failed', () => {
  const { warnings } = sampleRun();
  const error = { code: 'CHUNK_CORRUPT', message: 'chunk/1: <damaged>', details: {} } as const;
  const [project] = summarizeProjects([], [record({ id: 'rtr_2', status: 'failed', error }), record({ id: 'rtr_1' })], period);
  ok(project);
  deepEqual([project.passed, project.passedWithWarnings, project.failed], [1, 1, 1]);
  deepEqual(
    project.tests.map(({ error: failed, warnings: found }) => [failed?.code, found.map(({ code }) => code)]),
    [
      ['CHUNK_CORRUPT', ['SOURCE_NOT_COMPARED']],
      [undefined, ['SOURCE_NOT_COMPARED']],
    ],
  );
  const page = reportPage({ ...reportExample, projects: [project] });
  ok(page.includes(warnings[0]?.message ?? '?') && page.includes('chunk/1: &lt;damaged&gt; (CHUNK_CORRUPT)'));
  ok(page.includes('1, of them 1 with warnings'));
});

test('report: tests of earlier versions that wrote less than their scope are shown as such, and prove nothing', () => {
  const target = { projectId: 'prj_copy', projectName: 'Copy' };
  const removal = (status: 'verified' | 'nothing_written', documents: number) => ({
    status,
    undoJobId: null,
    documents,
    message: null,
  });
  // As stored before runs said how many documents they wrote.
  const old = ({ documentsWritten: _, ...run }: ReportedRecord): ReportedRecord => run;
  const runs = [
    old(record({ id: 'rtr_3', backupId: 'bkp_3', target, rtoSeconds: 17, removal: removal('nothing_written', 0) })),
    old(record({ id: 'rtr_2', backupId: 'bkp_2', target, rtoSeconds: 18, removal: removal('verified', 90) })),
    old(record({ id: 'rtr_1', backupId: 'bkp_1', target, rtoSeconds: 19, removal: removal('verified', 98) })),
  ];
  const [project] = summarizeProjects([], runs, period);
  ok(project);
  const { passed, notProven, backupsProven, rto, result, lastPassedAt, tests } = project;
  deepEqual([passed, notProven, backupsProven, rto?.max, result], [1, 2, 1, 19, 'passed']);
  ok(lastPassedAt);
  deepEqual(
    tests.map(({ status, documentsWritten, warnings }) => [status, documentsWritten, warnings.map(({ code }) => code)]),
    [
      ['not_proven', 0, ['NOT_WRITTEN']],
      ['not_proven', 90, ['NOT_WRITTEN']],
      ['passed', 98, []],
    ],
  );
  const [unproven] = summarizeProjects([], runs.slice(0, 2), period);
  deepEqual([unproven?.result, unproven?.lastPassedAt, unproven?.backupsProven, unproven?.rto], ['not_tested', null, 0, null]);
  const page = reportPage({ ...reportExample, projects: [unproven!] });
  ok(page.includes('>Nothing written</span>') && page.includes('>Only 90 of 98 documents written</span>'));
  ok(page.includes('Nothing proves that its backups restore.') && !page.includes('>Passed</span>'));
});
