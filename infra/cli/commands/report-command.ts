/** `bms report`: what an auditor asks of a period. */
import type { Command } from 'commander';
import type { DataOf } from '../../../shared/client/index.ts';
import { badInput } from '../base/cli-failure.ts';
import { defineCommand } from '../base/define-command.ts';
import { parseMoment } from '../base/parse-values.ts';
import { writeText } from '../base/write-text.ts';
import type { Action } from '../context/context.ts';
import { formatBytes, formatCount, formatMinute } from '../output/format.ts';
import type { Output } from '../output/output.ts';

type Report = Exclude<DataOf<'GET /reports/protection'>, string>;

interface ReportOptions {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly csv?: boolean | undefined;
  readonly html?: boolean | undefined;
  readonly out?: string | undefined;
}

export const addReportCommand = (program: Command, action: Action): void => {
  defineCommand(program, {
    name: 'report',
    summary: 'Report a period for an auditor: what ran and failed, restores, tests, locks, retention, erasures, changes',
    examples: [
      'bms report --from 90d',
      'bms report --from 2026-07-01 --to 2026-09-30 --html --out report.html',
      'bms report --from 30d --csv --out report.csv',
    ],
  })
    .option('--from <time>', 'from this time on; 90d is ninety days ago (default: 30d)', parseMoment)
    .option('--to <time>', 'until this time (default: now)', parseMoment)
    .option('--csv', 'all lists as one CSV file')
    .option('--html', 'a page to print')
    .option('--out <file>', 'write it to a file instead of stdout; with --csv, --html or --json')
    .action(
      action(async (context, { from, to, csv, html, out }: ReportOptions) => {
        const { output, environment } = context;
        if ([csv, html, output.isJson].filter(Boolean).length > 1) throw badInput('--csv, --html and --json exclude each other');
        const isFile = csv || html || output.isJson;
        if (out !== undefined && !isFile) throw badInput('--out needs --csv, --html or --json');
        const format = csv ? 'csv' : html ? 'html' : 'json';
        const report = await (await context.client()).request('GET /reports/protection', { query: { from, to, format } });
        if (out !== undefined) {
          writeText(out, typeof report === 'string' ? report : `${JSON.stringify(report, undefined, 2)}\n`);
          output.note(`Wrote ${out}`);
        } else if (typeof report === 'string') environment.stdout.write(report);
        else if (output.isJson) output.json(report);
        else showReport(report, output);
      }),
    );
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
