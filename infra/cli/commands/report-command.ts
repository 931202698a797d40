/** `bms report`: what an auditor asks of a period. */

import type { Command } from 'commander';
import { type DataOf, readInParts, readProtectionParts } from '../../../shared/client/index.ts';
import { formatBytes } from '../../../shared/contract/format-bytes.ts';
import { defineCommand } from '../base/define-command.ts';
import type { Action, Context } from '../context/context.ts';
import { addReportOptions, printReport, type ReportOptions } from '../context/print-report.ts';
import { formatCount, formatMinute } from '../output/format.ts';
import type { Output } from '../output/output.ts';
import { summaryOf } from '../texts/contract-text.ts';

type Report = Exclude<DataOf<'GET /reports/protection'>, string>;

export const addReportCommand = (program: Command, action: Action): void => {
  const command = defineCommand(program, {
    name: 'report',
    summary: summaryOf('GET /reports/protection'),
    examples: [
      'bms report --from 90d',
      'bms report --from 2026-07-01 --to 2026-09-30 --html --out report.html',
      'bms report --from 30d --csv --out report.csv',
    ],
  });
  addReportOptions(command, ['csv', 'html']).action(
    action(async (context, options: ReportOptions) => {
      const { from, to } = options;
      await printReport(context, options, {
        read: async (format: 'csv' | 'html' | 'json') => readReport(context, { from, to, format }),
        show: (report) => showReport(report, context.output),
      });
    }),
  );
};

interface ReportQuery {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly format: 'csv' | 'html' | 'json';
}

/** A period that is too long for one request is read in parts. They are one report; as CSV, one after the other in a file. */
const readReport = async ({ client, output }: Context, { from, to, format }: ReportQuery): Promise<Report | string> => {
  const api = await client();
  const onPart = (part: number, parts: number): void => output.note(`The period is long: reading part ${part} of ${parts}`);
  if (format === 'json') return readProtectionParts(api, { from, to }, { onPart });
  const read = (period: { readonly from?: string | undefined; readonly to?: string | undefined }) =>
    api.request('GET /reports/protection', { query: { ...period, format } });
  return format === 'csv' ? (await readInParts(read, { from, to }, { onPart })).join('') : read({ from, to });
};

const showReport = ({ from, to, backups, restores, restoreTests, erasures, removals, changes }: Report, output: Output): void => {
  const { summary } = restoreTests;
  const all = ({ items, omitted }: { readonly items: readonly unknown[]; readonly omitted: number }): string =>
    formatCount(items.length + omitted);
  output.note(`${formatMinute(from)} to ${formatMinute(to)} UTC; --html, --csv and --json have every entry`);
  output.table(
    [
      [
        'Backups',
        `${formatCount(backups.completed)} completed, ${formatCount(backups.failed)} failed, ${formatBytes(backups.addedBytes)} stored`,
      ],
      ['Restores', `${formatCount(restores.completed)} completed, ${formatCount(restores.failed)} failed`],
      [
        'Restore tests',
        `${formatCount(summary.passed)} passed, ${formatCount(summary.failed)} failed, ${formatCount(summary.notTested)} of ${formatCount(summary.projects)} projects not tested`,
      ],
      ['Erasures', all(erasures)],
      ['Deleted, damaged or not locked', all(removals)],
      ['Changes of settings, members and keys', all(changes)],
    ] as const,
    [
      { title: 'WHAT', value: ([what]) => what },
      { title: 'IN THE PERIOD', value: ([, count]) => count, flexible: true },
    ],
  );
};
