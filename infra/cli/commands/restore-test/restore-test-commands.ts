/** `bms restore-test`: plans that prove that backups restore. */
import type { Command } from 'commander';
import { defineCommand, defineGroup } from '../../base/define-command.ts';
import type { Action } from '../../context/context.ts';
import { findRecord, type RestoreTest } from '../../context/find-resource.ts';
import { reportRun } from '../../context/follow-test-runs.ts';
import { resourceCommands } from '../../context/resource-commands.ts';
import { formatMinute } from '../../output/format.ts';
import type { Column } from '../../output/render-table.ts';
import { restoreTestDetails, restoreTestResult } from '../../output/restore-test-view.ts';
import { statusStyle } from '../../output/status-style.ts';
import { summaryOf } from '../../texts/contract-text.ts';
import { addEvidenceCommands } from './evidence-commands.ts';
import { addPlanOptions, type PlanOptions, planBody } from './plan-options.ts';
import { addPlanUpdateCommand } from './plan-update-command.ts';
import { addRunCommands } from './run-commands.ts';

const columns: readonly Column<RestoreTest>[] = [
  { title: 'RESTORE TEST', value: ({ id }) => id },
  { title: 'NAME', value: ({ name }) => name, flexible: true },
  { title: 'CRON', value: ({ cron }) => cron, flexible: true, optional: 1 },
  { title: 'LAST', value: (plan) => restoreTestResult(plan), style: (plan) => statusStyle(restoreTestResult(plan)) },
  { title: 'NEXT (UTC)', value: ({ nextRunAt }) => formatMinute(nextRunAt), optional: 2 },
];

export const addRestoreTestCommands = (program: Command, action: Action): void => {
  const group = defineGroup(program, {
    name: 'restore-test',
    aliases: ['restore-tests'],
    summary: 'Test that backups restore, with signed evidence',
    examples: [
      'bms restore-test create Weekly --cron @weekly --pick random --days 30',
      'bms restore-test run Weekly --wait',
      'bms restore-test report --from 90d',
    ],
  });

  const { addList, addSwitch, addRemove } = resourceCommands({ name: 'restoreTest', sample: 'Weekly', group, action });
  addList({
    examples: ['bms restore-test ls --project shop'],
    ofProject: true,
    columns,
    empty: 'No restore tests: nothing proves that backups restore; bms restore-test create <name> --cron @weekly',
  });

  defineCommand(group, {
    name: 'show <plan-or-run>',
    aliases: ['get'],
    summary: 'Show a plan, or a run by its id',
    description: 'The exit code is 1 if the run failed or was cancelled.',
    examples: ['bms restore-test show Weekly', 'bms restore-test show rtr_01JZ8Q4V0M6T3X9C2B7N5K1HRD'],
  }).action(
    action(async (context, _, [wanted = '']) => {
      const client = await context.client();
      if (wanted.startsWith('rtr_')) {
        return reportRun(context, await client.request('GET /restore-tests/runs/{runId}', { params: { runId: wanted } }));
      }
      const plan = await findRecord(client, 'restoreTest', wanted);
      context.output.show(plan, plan.id, restoreTestDetails(plan));
    }),
  );

  addPlanOptions(
    defineCommand(group, {
      name: 'create <name>',
      summary: summaryOf('POST /restore-tests'),
      description:
        'Without --target the archive is read, decrypted and decoded completely and compared with its index and, where its history reaches, with the source.',
      examples: [
        'bms restore-test create Weekly --cron @weekly --pick random --days 30',
        'bms restore-test create Drill --project shop --cron "0 4 * * 1" --target shop-drill --sample 100',
        'bms restore-test create Moments --project shop --cron @daily --pick moment',
      ],
    }),
  ).action(
    action(async (context, options: PlanOptions, [name = '']) => {
      const client = await context.client();
      const body = await planBody(context, options);
      const plan = await client.request('POST /restore-tests', { body: { ...body, name, cron: options.cron ?? '' } });
      const next = formatMinute(plan.nextRunAt) ?? 'never';
      context.output.result(plan, plan.id, `Created ${plan.name} (${plan.id}); next run ${next} UTC`);
      if (plan.check?.secret && !context.output.isJson)
        context.output.note(`The secret of its check is shown only now: ${plan.check.secret}`);
    }),
  );

  addSwitch({ enable: 'Resume a plan', disable: 'Pause a plan' });
  addRemove();
  addPlanUpdateCommand(group, action);
  addRunCommands(group, action);
  addEvidenceCommands(group, action);
};
