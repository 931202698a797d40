import type { ProtectionReport } from '../contract/models/protection-report.ts';
import { csvLineOf } from '../export-format/index.ts';
import { reportLists } from './report-rows.ts';

/** One file for all lists: each line begins with its list, and each list with the names of its columns. */
export const protectionCsv = (report: ProtectionReport): string => {
  const { organization, from, to, generatedAt, restoreTests } = report;
  const tests = restoreTests.projects.flatMap(({ projectName, tests: own, result }) =>
    own.length === 0
      ? [['', projectName, result, '', '', '', '', '', '']]
      : own.map((test) => [
          test.completedAt,
          projectName,
          test.status,
          test.name,
          test.backupId ?? test.pointInTime ?? '',
          String(test.documents ?? ''),
          String(test.documentsWritten ?? ''),
          test.evidence?.object ?? '',
          test.evidence?.digest ?? '',
        ]),
  );
  const testColumns = ['Time (UTC)', 'Project', 'Result', 'Plan', 'Tested', 'Documents', 'Written', 'Evidence', 'SHA-256'];
  return [
    ['Report', organization.name, organization.id, from, to, generatedAt, 'UTC'],
    ...reportLists(report).flatMap(({ title, columns, rows, omitted }) => [
      ['List', ...columns],
      ...rows.map((row) => [title, ...row]),
      ...(omitted > 0 ? [[title, `${omitted} more are not listed`]] : []),
    ]),
    ['List', ...testColumns],
    ...tests.map((row) => ['Restore tests', ...row]),
  ]
    .map(csvLineOf)
    .join('');
};
