/** The report as a page to print: one file without scripts, images or links to other hosts. */
import { hash } from 'node:crypto';
import type { RestoreTestReport } from '../../contract/models/restore-test-evidence.ts';
import { escapeHtml } from '../../platform/index.ts';
import { reportStyle } from './report-style.ts';

type Project = RestoreTestReport['projects'][number];
type Test = Project['tests'][number];

/** Nothing is loaded, run or submitted; the style is allowed by its hash. */
export const reportPolicy = `default-src 'none'; style-src 'sha256-${hash('sha256', reportStyle, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

interface ReportDocument extends Pick<RestoreTestReport, 'organization' | 'from' | 'to' | 'generatedAt' | 'generatedBy'> {
  /** Plain text, before the name of the organization. */
  readonly title: string;
  /** What the period is about: "Tests that began". */
  readonly subject: string;
  /** HTML. */
  readonly sections: readonly string[];
}

/** A report as a page: its head, and sections of HTML. */
export const reportDocument = (report: ReportDocument): string => {
  const { organization, from, to, generatedAt, generatedBy, subject, sections } = report;
  const title = `${report.title} of ${organization.name}`;
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>${escapeHtml(title)}, ${day(from)} to ${day(to)}</title>
<style>${reportStyle}</style></head><body><div class="report">
<header><h1>${escapeHtml(title)}</h1>
<p>${subject} from ${time(from)} to ${time(to)}. Made ${time(generatedAt)} by ${escapeHtml(makerText(generatedBy))}. All times are UTC.</p>
<p>Organization <code>${escapeHtml(organization.id)}</code></p></header>
<main>
${sections.join('\n')}
</main></div></body></html>
`;
};

export const reportPage = (report: RestoreTestReport): string =>
  reportDocument({
    ...report,
    title: 'Restore tests',
    subject: 'Tests that began',
    sections: [
      `<section aria-labelledby="summary"><h2 id="summary">Summary</h2>\n${testSummary(report)}</section>`,
      ...report.projects.map(projectSection),
      ...(report.projects.length === 0 ? ['<p>No project was connected in this period.</p>'] : []),
      verifySection,
    ],
  });

/** The numbers of all tests. */
export const testSummary = ({ summary }: Pick<RestoreTestReport, 'summary'>): string =>
  facts([
    ['Projects', String(summary.projects)],
    ['Tested', String(summary.tested)],
    ['Not tested', String(summary.notTested)],
    ['Last test failed', String(summary.failing)],
    ['Tests passed', passedText(summary)],
    ...unprovenFact(summary),
    ['Tests failed', String(summary.failed)],
    ['Cancelled', String(summary.cancelled)],
    ['Not finished', String(summary.unfinished)],
    ['Backups and moments proven', String(summary.backupsProven)],
    ['Recovery time', rtoText(summary.rto)],
  ]);

/** How a reader checks the evidence without the service. */
export const verifySection = `<section aria-labelledby="verify"><h2 id="verify">Verify the evidence</h2>
<p>Each test that started and passed or failed has a signed document beside the backups. <code>bms archive verify-evidence &lt;file&gt; --key &lt;key&gt;</code>
checks it without the service. The keys are published at <code>/.well-known/evidence-keys.json</code>.</p></section>`;

const results: Readonly<Record<Project['result'], string>> = { passed: 'Passed', failed: 'Failed', not_tested: 'Not tested' };

const resultOf = (test: Test): string => {
  if (test.status !== 'not_proven') return results[test.status];
  const { documents, documentsWritten } = test;
  return documentsWritten
    ? `Only ${grouped(documentsWritten)} of ${grouped(documents ?? 0)} documents written`
    : 'Nothing written';
};

/** A project with its tests and their evidence. */
export const projectSection = (project: Project, n: number): string => {
  const { projectId, projectName, connected, result, failed, cancelled, unfinished, backupsProven, rto } = project;
  const isUntested = result === 'not_tested';
  return `<section aria-labelledby="p${n}"><h2 id="p${n}">${escapeHtml(projectName)} <span class="result ${result}">${results[result]}</span></h2>
<p><code>${escapeHtml(projectId)}</code>${connected ? '' : ' (disconnected since)'}</p>
${isUntested ? '<p class="warning">No restore test of this project passed or failed in this period. Nothing proves that its backups restore.</p>' : ''}
${facts([
  ['Passed', passedText(project)],
  ...unprovenFact(project),
  ['Failed', String(failed)],
  ['Cancelled', String(cancelled)],
  ['Not finished', String(unfinished)],
  ['Backups and moments proven', String(backupsProven)],
  ['Recovery time', rtoText(rto)],
  ['Last test', timeText(project.lastTestedAt)],
  ['Last passed', timeText(project.lastPassedAt)],
])}${project.tests.length === 0 ? '' : testTable(project)}</section>`;
};

const testTable = ({ projectName, tests, testsOmitted }: Project): string => `
<div class="scroll" tabindex="0" role="region" aria-label="Tests of ${escapeHtml(projectName)}"><table>
<colgroup><col><col class="result"><col class="plan"><col><col><col><col><col><col class="evidence"></colgroup><thead><tr>
<th scope="col">Completed</th><th scope="col">Result</th><th scope="col">Plan</th><th scope="col">Tested</th>
<th scope="col">Documents</th><th scope="col">Written</th><th scope="col">Differences</th><th scope="col">Recovery</th><th scope="col">Evidence</th></tr></thead><tbody>
${tests.map(testRow).join('\n')}
</tbody></table></div>${testsOmitted > 0 ? `\n<p>${testsOmitted} older tests of this period are not listed.</p>` : ''}`;

const testRow = (test: Test): string => {
  const {
    completedAt,
    status,
    name,
    backupId,
    pointInTime,
    documents,
    documentsWritten,
    differences,
    rtoSeconds,
    evidence,
    runId,
  } = test;
  const remarks = [
    ...(test.error ? [`${test.error.message} (${test.error.code})`] : []),
    ...test.warnings.map(({ message }) => message),
  ];
  const tested = [
    pointInTime === null ? '' : `moment ${time(pointInTime)}`,
    backupId === null ? '' : `<code>${escapeHtml(backupId)}</code>`,
  ];
  const cells = [
    time(completedAt),
    `<span class="result ${status}">${resultOf(test)}</span>${remarks.map((text) => `<p class="remark">${escapeHtml(text)}</p>`).join('')}`,
    escapeHtml(name),
    tested.filter(Boolean).join(', ') || 'nothing',
    documents === null ? '–' : grouped(documents),
    documentsWritten === null ? '–' : grouped(documentsWritten),
    documents === null && differences === 0 ? '–' : grouped(differences),
    rtoSeconds === null ? '–' : seconds(rtoSeconds),
    evidence === null
      ? 'none'
      : `<code>${escapeHtml(evidence.object)}</code><br>SHA-256 <code>${escapeHtml(evidence.digest)}</code><br>key <code>${escapeHtml(evidence.keyId)}</code>`,
  ];
  return `<tr id="${escapeHtml(runId)}">${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
};

const passedText = ({ passed, passedWithWarnings }: Pick<Project, 'passed' | 'passedWithWarnings'>): string =>
  passedWithWarnings === 0 ? String(passed) : `${passed}, of them ${passedWithWarnings} with warnings`;

/** Who did something, for a reader who does not know ids. */
export const makerText = ({ type, id, email, name }: RestoreTestReport['generatedBy']): string => {
  if (email !== null) return email;
  return type === 'service_account' || type === 'api_key' ? `the API key ${name ?? id}` : id;
};

/** Tests of earlier versions; there is nothing to say without them. */
const unprovenFact = ({ notProven }: Pick<Project, 'notProven'>): readonly (readonly [string, string])[] =>
  notProven === 0 ? [] : [['Nothing written, not proven', String(notProven)]];

export const facts = (list: readonly (readonly [string, string])[]): string =>
  `<dl>${list.map(([name, value]) => `<div><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`).join('')}</dl>`;

const rtoText = (rto: RestoreTestReport['summary']['rto']): string =>
  rto === null
    ? 'not measured: nothing was restored into a target'
    : `${seconds(rto.min)} to ${seconds(rto.max)}, median ${seconds(rto.median)} (${rto.runs} ${rto.runs === 1 ? 'test' : 'tests'})`;

export const grouped = (value: number): string => value.toLocaleString('en');
const seconds = (value: number): string => `${value} s`;
const day = (moment: string): string => moment.slice(0, 'YYYY-MM-DD'.length);
const second = (moment: string): string => `${day(moment)} ${moment.slice(11, 19)}`;
const timeText = (moment: string | null): string => (moment === null ? 'never in this period' : second(moment));
export const time = (moment: string): string => `<time datetime="${escapeHtml(moment)}">${escapeHtml(second(moment))}</time>`;
