/** `bms restore-test update`. */
import type { Command } from 'commander';
import { backupPicks, type ChoiceOf } from '../../base/choices.ts';
import { badInput, refuseIfUnchanged } from '../../base/cli-failure.ts';
import { defineCommand } from '../../base/define-command.ts';
import { choiceOption, parsePositive } from '../../base/parse-values.ts';
import type { Action } from '../../context/context.ts';
import { findRecord, findRecordId } from '../../context/find-resource.ts';
import { formatMinute } from '../../output/format.ts';
import { fieldOf, summaryOf } from '../../texts/contract-text.ts';

interface UpdateOptions {
  readonly name?: string | undefined;
  readonly cron?: string | undefined;
  readonly timezone?: string | undefined;
  readonly pick?: ChoiceOf<typeof backupPicks> | undefined;
  readonly days?: number | undefined;
  /** False: all documents. */
  readonly sample?: number | false | undefined;
  /** False: read only. */
  readonly target?: string | false | undefined;
}

export const addPlanUpdateCommand = (group: Command, action: Action): void => {
  defineCommand(group, {
    name: 'update <plan>',
    summary: summaryOf('PATCH /restore-tests/{restoreTestId}'),
    examples: ['bms restore-test update Weekly --cron "0 4 * * 1"', 'bms restore-test update Weekly --pick random --days 90'],
  })
    .option('--name <name>', 'a new name')
    .option('--cron <cron>', fieldOf('PATCH /restore-tests/{restoreTestId}', 'cron'))
    .option('--timezone <zone>', 'such as Europe/Berlin')
    .addOption(choiceOption('--pick <pick>', 'the latest backup, a random one, or a random moment', backupPicks))
    .option('--days <days>', 'random: not older than this (default: 30)', parsePositive)
    .option('--sample <documents>', 'this many documents per collection', parsePositive)
    .option('--no-sample', 'all documents')
    .option('--target <project>', 'restore into this project and remove it again')
    .option('--no-target', 'read only')
    .action(
      action(async ({ client: open, output }, options: UpdateOptions, [wanted = '']) => {
        const { name, cron, timezone, pick, days, sample, target } = options;
        if (days !== undefined && pick !== 'random') throw badInput('--days needs --pick random');
        refuseIfUnchanged({ name, cron, timezone, pick, sample, target });
        const client = await open();
        const restoreTestId = await findRecordId(client, 'restoreTest', wanted);
        const body = {
          name,
          cron,
          timezone,
          backup: pick && (pick === 'random' ? { pick, days } : { pick }),
          scope: sample === undefined ? undefined : scopeOf(sample),
          target:
            typeof target === 'string'
              ? { projectId: (await findRecord(client, 'project', target)).id }
              : target === false
                ? null
                : undefined,
        };
        const plan = await client.request('PATCH /restore-tests/{restoreTestId}', { params: { restoreTestId }, body });
        const next = plan.enabled ? `next run ${formatMinute(plan.nextRunAt) ?? 'never'} UTC` : 'paused';
        output.result(plan, plan.id, `Updated ${plan.name} (${plan.id}); ${next}`);
      }),
    );
};

const scopeOf = (sample: number | false) =>
  sample === false ? ({ type: 'all' } as const) : ({ type: 'sample', documentsPerCollection: sample } as const);
