/** `bms restore-test evidence|report`. */
import type { Command } from 'commander';
import type { DataOf } from '../../../../shared/client/index.ts';
import { defineCommand } from '../../base/define-command.ts';
import { writeText } from '../../base/write-text.ts';
import type { Action } from '../../context/context.ts';
import { findRecordId } from '../../context/find-resource.ts';
import { addReportOptions, printReport, type ReportOptions } from '../../context/print-report.ts';
import { formatCounted, formatMinute } from '../../output/format.ts';
import type { Output } from '../../output/output.ts';
import { statusStyle } from '../../output/status-style.ts';
import { summaryOf } from '../../texts/contract-text.ts';

type Report = Exclude<DataOf<'GET /restore-tests/report'>, string>;
type Project = Report['projects'][number];

export const addEvidenceCommands = (group: Command, action: Action): void => {
  defineCommand(group, {
    name: 'evidence <run>',
    summary: summaryOf('GET /restore-tests/runs/{runId}/evidence'),
    description: 'Check it without the service: bms archive verify-evidence <file>.',
    examples: ['bms restore-test evidence rtr_01JZ8Q4V0M6T3X9C2B7N5K1HRD --out evidence.json'],
  })
    .option('--out <file>', 'write it to a file instead of stdout')
    .action(
      action(async ({ client: open, output }, { out }: { readonly out?: string }, [runId = '']) => {
        const evidence = await (await open()).request('GET /restore-tests/runs/{runId}/evidence', { params: { runId } });
        if (out === undefined) return output.json(evidence);
        writeText(out, `${JSON.stringify(evidence, undefined, 2)}\n`);
        output.result({ file: out, keyId: evidence.signature.keyId }, out, `Wrote ${out}, signed by ${evidence.signature.keyId}`);
      }),
    );

  const command = defineCommand(group, {
    name: 'report',
    summary: summaryOf('GET /restore-tests/report'),
    examples: [
      'bms restore-test report --from 90d',
      'bms restore-test report --from 2026-10-01 --to 2026-10-31 --html --out report.html',
    ],
  }).option('--project <project>', 'of this project only');
  addReportOptions(command, ['html']).action(
    action(async (context, options: ReportOptions & { readonly project?: string }) => {
      const { from, to, project } = options;
      await printReport(context, options, {
        read: async (format: 'html' | 'json') => {
          const client = await context.client();
          const projectId = await findRecordId(client, 'project', project);
          return client.request('GET /restore-tests/report', { query: { from, to, projectId, format } });
        },
        show: (report) => showReport(report, context.output),
      });
    }),
  );
};

const showReport = ({ from, to, summary, projects }: Report, output: Output): void => {
  output.note(
    `${formatMinute(from)} to ${formatMinute(to)} UTC: ${summary.tested} of ${summary.projects} projects tested, ${formatCounted(summary.passed, 'test')} passed, ${summary.failed} failed${summary.notProven > 0 ? `, ${summary.notProven} not proven because they wrote less than their scope` : ''}`,
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
};

const words: Readonly<Record<Project['result'], string>> = { passed: 'passed', failed: 'failed', not_tested: 'not tested' };
const styleOf = (result: Project['result']) => statusStyle(result === 'not_tested' ? 'warning' : result);
