/** `bms restore-test evidence|report`. */
import type { Command } from 'commander';
import type { DataOf } from '../../../../shared/client/index.ts';
import { badInput } from '../../base/cli-failure.ts';
import { defineCommand } from '../../base/define-command.ts';
import { parseMoment } from '../../base/parse-values.ts';
import { writeText } from '../../base/write-text.ts';
import type { Action } from '../../context/context.ts';
import { findRecordId } from '../../context/find-resource.ts';
import { formatCounted, formatMinute } from '../../output/format.ts';
import { statusStyle } from '../../output/status-style.ts';

type Report = Exclude<DataOf<'GET /restore-tests/report'>, string>;
type Project = Report['projects'][number];

interface ReportOptions {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly project?: string | undefined;
  readonly html?: boolean | undefined;
  readonly out?: string | undefined;
}

export const addEvidenceCommands = (group: Command, action: Action): void => {
  defineCommand(group, {
    name: 'evidence <run>',
    summary: 'Print the signed evidence of a run, which the service has verified',
    description: 'Check it without the service: bms archive verify-evidence <file>.',
    examples: ['bms restore-test evidence rtr_01JZ8Q4V0M6T3X9C2B7N5K1HRD --out evidence.json'],
  })
    .option('--out <file>', 'write it to a file instead of stdout')
    .action(
      action(async ({ client: open, output }, { out }: { readonly out?: string }, runId = '') => {
        const evidence = await (await open()).request('GET /restore-tests/runs/{runId}/evidence', { params: { runId } });
        if (out === undefined) return output.json(evidence);
        writeText(out, `${JSON.stringify(evidence, undefined, 2)}\n`);
        output.result({ file: out, keyId: evidence.signature.keyId }, out, `Wrote ${out}, signed by ${evidence.signature.keyId}`);
      }),
    );

  defineCommand(group, {
    name: 'report',
    summary: 'Report all tests of a period: what is proven, and what was not tested',
    examples: [
      'bms restore-test report --from 90d',
      'bms restore-test report --from 2026-10-01 --to 2026-10-31 --html --out report.html',
    ],
  })
    .option('--from <time>', 'tests from this time on; 90d is ninety days ago (default: 30d)', parseMoment)
    .option('--to <time>', 'tests until this time (default: now)', parseMoment)
    .option('--project <project>', 'of this project only')
    .option('--html', 'a page to print')
    .option('--out <file>', 'write it to a file instead of stdout; with --html or --json')
    .action(
      action(async (context, { from, to, project, html, out }: ReportOptions) => {
        const { output, environment } = context;
        if (html && output.isJson) throw badInput('--html and --json exclude each other');
        if (out !== undefined && !html && !output.isJson) throw badInput('--out needs --html or --json');
        const client = await context.client();
        const query = {
          from,
          to,
          projectId: await findRecordId(client, 'project', project),
          format: html ? 'html' : 'json',
        } as const;
        const report = await client.request('GET /restore-tests/report', { query });
        if (out !== undefined)
          return writeText(out, typeof report === 'string' ? report : `${JSON.stringify(report, undefined, 2)}\n`);
        if (typeof report === 'string') environment.stdout.write(report);
        else if (output.isJson) output.json(report);
        else showReport(report);

        function showReport({ from: start, to: end, summary, projects }: Report): void {
          output.note(
            `${formatMinute(start)} to ${formatMinute(end)} UTC: ${summary.tested} of ${summary.projects} projects tested, ${formatCounted(summary.passed, 'test')} passed, ${summary.failed} failed${summary.notProven > 0 ? `, ${summary.notProven} not proven because they wrote less than their scope` : ''}`,
          );
          output.list(projects, {
            columns: [
              { title: 'PROJECT', value: ({ projectName }) => projectName, flexible: true },
              { title: 'RESULT', value: ({ result }) => words[result], style: ({ result }) => styleOf(result) },
              { title: 'PASSED', value: ({ passed }) => String(passed) },
              { title: 'FAILED', value: ({ failed }) => String(failed) },
              { title: 'PROVEN', value: ({ backupsProven }) => String(backupsProven), optional: 2 },
              { title: 'RTO', value: ({ rto }) => rto && `${rto.median} s`, optional: 1 },
              { title: 'LAST PASSED (UTC)', value: ({ lastPassedAt }) => formatMinute(lastPassedAt), optional: 3 },
            ],
            idOf: ({ projectId }) => projectId,
            empty: 'No projects',
          });
        }
      }),
    );
};

const words: Readonly<Record<Project['result'], string>> = { passed: 'passed', failed: 'failed', not_tested: 'not tested' };
const styleOf = (result: Project['result']) => statusStyle(result === 'not_tested' ? 'warning' : result);
