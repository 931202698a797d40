/** The report as a page to print: one file without scripts, images or links to other hosts. */
import type { ProtectionReport } from '../contract/models/protection-report.ts';
import { escapeHtml } from '../platform/index.ts';
import { facts, grouped, projectSection, reportDocument, testSummary, time, verifySection } from '../restore-test/index.ts';
import { type ReportList, reportLists } from './report-rows.ts';

export const protectionPage = (report: ProtectionReport): string => {
  const { backups, restores, restoreTests, erasures, removals, changes, auditLogFrom, from } = report;
  const [runs = [], rest = []] = split(reportLists(report), 'restores');
  const isCut = auditLogFrom > from;
  return reportDocument({
    ...report,
    title: 'Protection',
    subject: 'What happened',
    sections: [
      `<section aria-labelledby="summary"><h2 id="summary">Summary</h2>${facts([
        ['Backups completed', grouped(backups.completed)],
        ['Backups failed', grouped(backups.failed)],
        ['Restores completed', grouped(restores.completed)],
        ['Restores failed', grouped(restores.failed)],
        ['Restore tests passed', grouped(restoreTests.summary.passed)],
        ['Projects not tested', `${grouped(restoreTests.summary.notTested)} of ${grouped(restoreTests.summary.projects)}`],
        ['Erasures', grouped(erasures.items.length + erasures.omitted)],
        ['Deleted, damaged, not locked', grouped(removals.items.length + removals.omitted)],
        ['Changes', grouped(changes.items.length + changes.omitted)],
      ])}${isCut ? `<p class="warning">The audit log is kept since ${time(auditLogFrom)}: erasures, deletions and changes before are not listed.</p>` : ''}</section>`,
      ...runs.map(listSection),
      `<section aria-labelledby="tests"><h2 id="tests">Restore tests</h2>${testSummary(restoreTests)}</section>`,
      ...restoreTests.projects.map(projectSection),
      verifySection,
      ...rest.map(listSection),
    ],
  });
};

/** Those up to the named one, and those after it. */
const split = (lists: readonly ReportList[], last: string): readonly (readonly ReportList[])[] => {
  const end = lists.findIndex(({ id }) => id === last) + 1;
  return [lists.slice(0, end), lists.slice(end)];
};

const listSection = ({ id, title, columns, rows, omitted, none }: ReportList): string => {
  const head = columns.map((column) => `<th scope="col">${escapeHtml(column)}</th>`).join('');
  const table = `<div class="scroll" tabindex="0" role="region" aria-label="${escapeHtml(title)}"><table><thead><tr>${head}</tr></thead><tbody>
${rows.map((row) => `<tr>${row.map((cell) => `<td>${cellText(cell)}</td>`).join('')}</tr>`).join('\n')}
</tbody></table></div>${omitted > 0 ? `<p>${grouped(omitted)} more are not listed. Choose a shorter period for them.</p>` : ''}`;
  return `<section aria-labelledby="list-${id}"><h2 id="list-${id}">${escapeHtml(title)}</h2>${rows.length === 0 ? `<p>${escapeHtml(none)}</p>` : table}</section>`;
};

const isMoment = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;
const cellText = (cell: string): string => (isMoment.test(cell) ? time(cell) : `<span class="cell">${escapeHtml(cell)}</span>`);
