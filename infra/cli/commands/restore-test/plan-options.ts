/** The options of a new plan. */
import type { Command } from 'commander';
import type { InputOf } from '../../../../shared/client/index.ts';
import { backupPicks, type ChoiceOf } from '../../base/choices.ts';
import { badInput } from '../../base/cli-failure.ts';
import { choiceOption, parsePositive } from '../../base/parse-values.ts';
import type { Context } from '../../context/context.ts';
import { findRecord, findRecordId } from '../../context/find-resource.ts';
import { readSecret } from '../../output/ask.ts';
import { fieldOf } from '../../texts/contract-text.ts';

type Body = InputOf<'POST /restore-tests'>['body'];

export interface PlanOptions {
  readonly cron?: string | undefined;
  readonly timezone?: string | undefined;
  readonly project?: string | undefined;
  readonly pick?: ChoiceOf<typeof backupPicks> | undefined;
  readonly days?: number | undefined;
  readonly sample?: number | undefined;
  readonly target?: string | undefined;
  /** True: typed on the terminal, or read from stdin, because it may contain a token. */
  readonly checkUrl?: string | true | undefined;
  readonly checkTimeout?: number | undefined;
  readonly disable?: boolean | undefined;
}

export const addPlanOptions = (command: Command): Command =>
  command
    .requiredOption('--cron <cron>', fieldOf('POST /restore-tests', 'cron'))
    .option('--timezone <zone>', fieldOf('POST /restore-tests', 'timezone'))
    .option('--project <project>', 'only this one; default: all projects')
    .addOption(
      choiceOption('--pick <pick>', 'the latest backup, a random one, or a random moment (default: latest)', backupPicks),
    )
    .option('--days <days>', 'random: not older than this (default: 30)', parsePositive)
    .option('--sample <documents>', 'this many documents per collection; default: all', parsePositive)
    .option('--target <project>', 'restore into this project and remove it again; default: read only')
    .option('--check-url [url]', 'your own check, told when the restored data is ready; needs --target')
    .option('--check-timeout <seconds>', 'how long to wait for its answer', parsePositive)
    .option('--disable', 'create it paused');

export const planBody = async (context: Context, options: PlanOptions): Promise<Omit<Body, 'name' | 'cron'>> => {
  const { timezone, pick = 'latest', days, sample, target, checkTimeout, disable } = options;
  if (days !== undefined && pick !== 'random') throw badInput('--days needs --pick random');
  if (checkTimeout !== undefined && options.checkUrl === undefined) throw badInput('--check-timeout needs --check-url');
  if (options.checkUrl !== undefined && target === undefined) throw badInput('--check-url needs --target');
  const client = await context.client();
  const projectId = await findRecordId(client, 'project', options.project);
  const url = options.checkUrl === true ? await readSecret(context, 'URL: ') : options.checkUrl;
  return {
    projectId,
    timezone,
    backup: pick === 'random' ? { pick, days } : { pick },
    scope: sample === undefined ? { type: 'all' } : { type: 'sample', documentsPerCollection: sample },
    target: target === undefined ? undefined : { projectId: (await findRecord(client, 'project', target)).id },
    check: url === undefined ? undefined : { url, timeoutSeconds: checkTimeout },
    enabled: disable ? false : undefined,
  };
};
