/** `bms config`: what surrounds the documents of a backup. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Command } from 'commander';
import type { DataOf } from '../../../shared/client/index.ts';
import { configurationLines, differenceLine } from '../../archive/configuration-lines.ts';
import { escapeName, escapeOutput } from '../../archive/escape-output.ts';
import { badInput, CliFailure } from '../base/cli-failure.ts';
import { defineCommand, defineGroup } from '../base/define-command.ts';
import { exitCodes } from '../base/exit-codes.ts';
import { parseNames } from '../base/parse-values.ts';
import type { Action, Context } from '../context/context.ts';
import { findBackupId, findRecordId, type OfProject } from '../context/find-resource.ts';
import { askYesNo } from '../output/ask.ts';
import { formatCounted, formatTime } from '../output/format.ts';
import { fieldOf, summaryOf } from '../texts/contract-text.ts';

type Shown = DataOf<'GET /backups/{backupId}/configuration'>;
type Configuration = NonNullable<Shown['configuration']>;
type Diff = DataOf<'GET /backups/{backupId}/configuration/diff'>;

type Restored = DataOf<'POST /backups/{backupId}/configuration/restore'>;
type Part = Restored['steps'][number]['part'];

interface RestoreOptions extends OfProject {
  readonly into?: string | undefined;
  readonly parts?: readonly string[] | undefined;
  readonly dryRun?: boolean | undefined;
  readonly yes?: boolean | undefined;
  readonly wait?: boolean | undefined;
}

interface DiffOptions extends OfProject {
  readonly exitCode?: boolean | undefined;
}

export const addConfigCommands = (program: Command, action: Action): void => {
  const group = defineGroup(program, {
    name: 'config',
    summary: 'Show, compare and restore what surrounds the documents: indexes, TTL policies, settings, security rules',
    examples: [
      'bms config show latest --project shop',
      'bms config diff latest live --project shop',
      'bms config restore latest --project shop --parts indexes --wait',
    ],
  });

  defineCommand(group, {
    name: 'show <backup>',
    summary: summaryOf('GET /backups/{backupId}/configuration'),
    examples: ['bms config show latest --project shop', 'bms config show bkp_01JZ8Q --json'],
  })
    .option('--project <project>', 'the project of "latest"')
    .action(
      action(async (context, { project }: OfProject, [wanted = '']) => {
        const client = await context.client();
        const backupId = await findBackupId(client, wanted, await findRecordId(client, 'project', project));
        const shown = await client.request('GET /backups/{backupId}/configuration', { params: { backupId } });
        if (context.output.isJson) return context.output.json(shown);
        if (!shown.configuration) return context.output.note('The backup holds no configuration');
        printConfiguration(context, shown.configuration);
      }),
    );

  defineCommand(group, {
    name: 'diff <backup> [against]',
    summary: summaryOf('GET /backups/{backupId}/configuration/diff'),
    description:
      'Without a second backup it is compared with the live database. "+" means: only in the second, "-" only in the first.',
    examples: ['bms config diff latest', 'bms config diff bkp_01JZ8Q bkp_01JZ9R', 'bms config diff latest live --exit-code'],
  })
    .option('--project <project>', 'the project of "latest"')
    .option('--exit-code', 'end with 1 if anything differs or is not known')
    .action(
      action(async (context, { project, exitCode }: DiffOptions, [wanted = '', other = 'live']) => {
        const client = await context.client();
        const projectId = await findRecordId(client, 'project', project);
        const backupId = await findBackupId(client, wanted, projectId);
        const against = other === 'live' ? other : await findBackupId(client, other, projectId);
        const diff = await client.request('GET /backups/{backupId}/configuration/diff', {
          params: { backupId },
          query: { against },
        });
        if (context.output.isJson) context.output.json(diff);
        else printDiff(context, diff);
        const isSame = diff.differences.length + diff.unknown.length + diff.withoutConfiguration.length === 0;
        // The differences are printed: there is nothing more to say.
        if (exitCode && !isSame) throw new CliFailure(exitCodes.failed, '');
      }),
    );
  addRestoreCommand(group, action);
};

const addRestoreCommand = (group: Command, action: Action): void => {
  defineCommand(group, {
    name: 'restore <backup>',
    summary: summaryOf('POST /backups/{backupId}/configuration/restore'),
    description:
      'The plan is shown and confirmed before anything is written; elsewhere than on a terminal --yes is needed. Nothing is deleted. With --wait it ends when the indexes are ready.',
    examples: [
      'bms config restore latest --project shop --dry-run',
      'bms config restore latest --project shop --parts indexes,fields --yes --wait',
      'bms config restore latest --into staging',
    ],
  })
    .option('--project <project>', 'the project of "latest"')
    .option('--into <project>', fieldOf('POST /backups/{backupId}/configuration/restore', 'targetProjectId'))
    .option('--parts <parts>', 'settings, indexes, fields, rules: only these, separated by commas', parseNames)
    .option('--dry-run', 'only print the plan')
    .option('-y, --yes', 'do not ask')
    .option('--wait', 'wait until the indexes are ready')
    .action(action(restore));
};

const restore = async (
  context: Context,
  { project, into, parts, dryRun, yes, wait }: RestoreOptions,
  [wanted = '']: readonly string[],
): Promise<void> => {
  const { output } = context;
  if (dryRun && (yes || wait)) throw badInput('--dry-run excludes --yes and --wait');
  const client = await context.client();
  const backupId = await findBackupId(client, wanted, await findRecordId(client, 'project', project));
  const targetProjectId = await findRecordId(client, 'project', into);
  const run = (isPlan: boolean): Promise<Restored> =>
    client.request('POST /backups/{backupId}/configuration/restore', {
      params: { backupId },
      body: { dryRun: isPlan, parts: parts && [...(parts as Part[])], targetProjectId },
    });
  const plan = await run(true);
  if (!output.isJson && !output.isQuiet) printPlan(context, plan);
  if (dryRun) return output.isJson ? output.json(plan) : undefined;
  if (countWaiting(plan) > 0) {
    if (!yes && !(await askYesNo(context, 'Write this to the database?')))
      throw new CliFailure(exitCodes.failed, 'nothing was written');
    await writeAll(context, run);
  }
  const end = await untilReady(context, run, wait ?? false);
  if (output.isJson) output.json(end);
  else output.note(summaryLine(end));
  const broken = end.steps.filter(({ kind, action }) => kind === 'index' && action === 'impossible');
  for (const { name, reason } of broken) output.warn(`index ${escapeName(name)}: ${escapeOutput(reason ?? '')}`);
  if (broken.length > 0) throw new CliFailure(exitCodes.failed, `Google could not build ${broken.length} of the indexes`);
};

type Run = (isPlan: boolean) => Promise<Restored>;

/** A request has some seconds: what it did not reach is written by the next one. */
const writeAll = async ({ output }: Context, run: Run): Promise<void> => {
  for (let isReached = false; !isReached; ) {
    const { steps } = await run(false);
    const failed = steps.filter(({ outcome }) => outcome === 'failed');
    for (const { kind, name, error } of failed) output.warn(`${kind} ${escapeName(name)}: ${escapeOutput(error ?? '')}`);
    if (failed.length > 0) throw new CliFailure(exitCodes.failed, `${formatCounted(failed.length, 'step')} failed`);
    isReached = !steps.some(({ outcome }) => outcome === 'not_reached');
  }
};

const pollMs = 2_000;

/** What is there is read again: only a plan tells. */
const untilReady = async ({ output, signal }: Context, run: Run, waits: boolean): Promise<Restored> => {
  for (;;) {
    const now = await run(true);
    const building = now.steps.filter((step) => step.action === 'building');
    if (!waits || building.length === 0) return now;
    const percents = building.flatMap(({ percent }) => percent ?? []);
    const slowest = percents.length > 0 ? `, the slowest ${Math.min(...percents)} %` : '';
    output.progress(`\r\u001b[Kindexes being built: ${building.length}${slowest}`);
    await pause(pollMs, undefined, { signal });
  }
};

const countWaiting = ({ counts: { create, change } }: Restored): number => create + change;

const actionMarks = {
  create: ['+', 'green'],
  change: ['~', 'yellow'],
  building: ['*', 'yellow'],
  equal: ['=', 'dim'],
  kept: ['=', 'dim'],
  impossible: ['!', 'red'],
} as const;

const printPlan = ({ output }: Context, { steps, unknown }: Restored): void => {
  for (const { action, kind, name, reason, percent } of steps) {
    const [mark, style] = actionMarks[action];
    const more = [...(percent === null ? [] : [`${percent} %`]), ...(reason === null ? [] : [reason])].join(', ');
    const text = `${mark} ${action} ${kind} ${escapeName(name)}${more === '' ? '' : `: ${escapeOutput(more)}`}`;
    output.line(output.terminal.paint(style, text));
  }
  for (const { part, side, reason } of unknown)
    output.warn(`${part} are left out: the ${side} does not tell: ${escapeOutput(reason)}`);
};

const summaryLine = ({ counts: { create, change, equal, building, impossible } }: Restored): string =>
  `${equal} as in the backup, ${building} being built, ${create + change} not written, ${impossible} impossible`;

const printConfiguration = ({ output }: Context, configuration: Configuration): void => {
  output.line(`captured ${formatTime(configuration.capturedAt)}`);
  for (const line of configurationLines(configuration)) output.line(line);
};

const styles = { added: 'green', changed: 'yellow', removed: 'red' } as const;

const printDiff = ({ output }: Context, { differences, unknown, withoutConfiguration, equal }: Diff): void => {
  for (const one of differences) output.line(output.terminal.paint(styles[one.change], differenceLine(one)));
  for (const id of withoutConfiguration) output.warn(`${id} holds no configuration: nothing was compared`);
  if (unknown.length > 0) output.warn(`not compared, because one side does not know them: ${unknown.join(', ')}`);
  output.note(`${formatCounted(differences.length, 'difference')}, ${equal} equal`);
};
