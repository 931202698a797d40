/** `bms restore-test run|runs|cancel`. */
import type { Command } from 'commander';
import { testRunStatuses } from '../../base/choices.ts';
import { defineCommand } from '../../base/define-command.ts';
import { choiceOption } from '../../base/parse-values.ts';
import type { Action } from '../../context/context.ts';
import { findRecordId, type TestRun } from '../../context/find-resource.ts';
import { followTestRuns } from '../../context/follow-test-runs.ts';
import { addLimitOptions, type LimitOptions, pageSize, takeSome } from '../../context/take-some.ts';
import { formatMinute, formatTime } from '../../output/format.ts';
import type { Column } from '../../output/render-table.ts';
import { statusStyle } from '../../output/status-style.ts';
import { summaryOf } from '../../texts/contract-text.ts';

interface RunsOptions extends LimitOptions {
  readonly project?: string | undefined;
  readonly status?: TestRun['status'] | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export const runColumns: readonly Column<TestRun>[] = [
  { title: 'RUN', value: ({ id }) => id },
  { title: 'PROJECT', value: ({ projectName }) => projectName, flexible: true, optional: 2 },
  { title: 'STATUS', value: ({ status }) => status, style: ({ status }) => statusStyle(status) },
  { title: 'STARTED (UTC)', value: ({ startedAt, createdAt }) => formatMinute(startedAt ?? createdAt), optional: 3 },
  { title: 'BACKUP', value: ({ backupId, pointInTime }) => formatTime(pointInTime) ?? backupId, flexible: true, optional: 1 },
];

export const addRunCommands = (group: Command, action: Action): void => {
  defineCommand(group, {
    name: 'run <plan>',
    aliases: ['trigger'],
    summary: summaryOf('POST /restore-tests/{restoreTestId}/run'),
    description: 'With --wait the exit code is 1 unless all runs pass.',
    examples: ['bms restore-test run Weekly --wait', 'bms restore-test run Weekly --wait --json'],
  })
    .option('--wait', 'wait for the end of all runs')
    .action(
      action(async (context, { wait }: { readonly wait?: boolean }, [wanted = '']) => {
        const client = await context.client();
        const restoreTestId = await findRecordId(client, 'restoreTest', wanted);
        const started = await client.request('POST /restore-tests/{restoreTestId}/run', { params: { restoreTestId } });
        if (wait) return followTestRuns(context, started.runs);
        const ids = started.runs.map(({ id }) => id);
        context.output.result(started, ids.join('\n'), `Started ${ids.join(', ')}`);
        if (!context.output.isJson) context.output.note(`See it: bms restore-test show ${started.runId}`);
      }),
    );

  const runs = defineCommand(group, {
    name: 'runs <plan>',
    summary: summaryOf('GET /restore-tests/{restoreTestId}/runs'),
    examples: ['bms restore-test runs Weekly --status failed', 'bms restore-test runs Weekly --from 30d'],
  });
  addLimitOptions(
    runs
      .option('--project <project>', 'of this project')
      .addOption(choiceOption('--status <status>', 'with this status', testRunStatuses)),
    { ofPeriod: true },
  ).action(
    action(async ({ client: open, output }, options: RunsOptions, [wanted = '']) => {
      const client = await open();
      const restoreTestId = await findRecordId(client, 'restoreTest', wanted);
      const { status, from, to } = options;
      const query = {
        status,
        from,
        to,
        projectId: await findRecordId(client, 'project', options.project),
        limit: pageSize(options),
      };
      const list = client.list('GET /restore-tests/{restoreTestId}/runs', { params: { restoreTestId }, query });
      output.list(await takeSome(list, options, output), { columns: runColumns, idOf: ({ id }) => id, empty: 'No runs' });
    }),
  );

  defineCommand(group, {
    name: 'cancel <run>',
    summary: summaryOf('POST /restore-tests/runs/{runId}/cancel'),
    examples: ['bms restore-test cancel rtr_01JZ8Q4V0M6T3X9C2B7N5K1HRD'],
  }).action(
    action(async ({ client: open, output }, _, [runId = '']) => {
      const run = await (await open()).request('POST /restore-tests/runs/{runId}/cancel', { params: { runId } });
      output.result(run, run.id, `Run ${run.id} is ${run.status}`);
    }),
  );
};
