/** `bms restore` and `bms undo`: what would change is shown before it is written. */
import type { Command } from 'commander';
import type { InputOf } from '../../../../shared/client/index.ts';
import { type ChoiceOf, mergeModes } from '../../base/choices.ts';
import { badInput } from '../../base/cli-failure.ts';
import { defineCommand, defineGroup } from '../../base/define-command.ts';
import { choiceOption, parseEach, parseMoment, parseNames, parseWhole } from '../../base/parse-values.ts';
import { readJson } from '../../base/read-json.ts';
import type { Action, Context } from '../../context/context.ts';
import { findBackup, findRecord, findRecordId, findRestoreId, type OfProject } from '../../context/find-resource.ts';
import { addConfirmOptions, type ConfirmOptions, runPlanned } from '../../context/run-planned.ts';
import { addWatchOptions } from '../../context/watch-job.ts';
import { formatTime } from '../../output/format.ts';
import { fieldOf, summaryOf } from '../../texts/contract-text.ts';
import { addRestoreReadCommands } from './restore-read-commands.ts';

type Body = NonNullable<InputOf<'POST /backups/restore'>['body']>;
type Transform = NonNullable<NonNullable<Body['options']>['transform']>;

interface CreateOptions extends ConfirmOptions {
  readonly backup?: string | undefined;
  readonly at?: string | undefined;
  readonly project?: string | undefined;
  readonly into?: string | undefined;
  readonly mode?: ChoiceOf<typeof mergeModes> | undefined;
  readonly collections?: readonly string[] | undefined;
  readonly documents?: readonly string[] | undefined;
  readonly users?: boolean | undefined;
  readonly subcollections?: boolean | undefined;
  readonly safetyBackup?: boolean | undefined;
  readonly safetyStorage?: string | undefined;
  readonly allowPartial?: boolean | undefined;
  readonly maxWritesPerSecond?: number | undefined;
  readonly transform?: string | undefined;
}

export const addRestoreCommands = (program: Command, action: Action): void => {
  const group = defineGroup(program, {
    name: 'restore',
    aliases: ['restores'],
    summary: 'Restore a backup or a point in time; list, resume and cancel restores',
    examples: [
      'bms restore latest --collections users --plan',
      'bms restore --at 2026-11-16T11:20:00Z --project shop --documents users/ada',
      'bms restore ls',
    ],
  });
  const create = defineCommand(group, {
    name: 'create [backup]',
    isDefault: true,
    summary: summaryOf('POST /backups/restore'),
    description:
      'On a terminal the plan is shown and confirmed before anything is written. Elsewhere ' +
      '--yes is needed. A restore that was confirmed deletes exactly what its plan listed: ' +
      'if the target has changed meanwhile, it fails before it writes.',
    examples: [
      'bms restore --backup latest --project shop --plan',
      'bms restore latest --into staging --mode rollback --watch',
      'bms restore --at 2026-11-16T11:20:00Z --project shop --documents users/ada --yes --wait',
      'bms restore latest --collections users --dry-run --json',
      'bms restore latest --into staging --transform rules.json --plan',
    ],
  })
    .option('--backup <backup>', 'the backup: id, beginning of an id, or latest')
    .option('--at <time>', 'a point in time of --project; 10m is ten minutes ago', parseMoment)
    .option('--project <project>', 'the project of "latest" or of --at')
    .option('--into <project>', fieldOf('POST /backups/restore', 'targetProjectId'))
    .addOption(
      choiceOption('--mode <mode>', 'rollback also deletes what the backup does not have (default: overwrite)', mergeModes),
    )
    .option('--collections <names>', 'only these, separated by commas; may be repeated', parseNames)
    .option('--documents <path>', 'only this one, such as users/ada; may be repeated', parseEach)
    .option('--users', 'include the users of Firebase Authentication')
    .option('--no-users', 'leave out the users of Firebase Authentication')
    .option('--no-subcollections', 'only the named documents, or those directly in the collections')
    .option('--no-safety-backup', 'save nothing first; there is no undo')
    .option('--safety-storage <storage>', fieldOf('POST /backups/restore', 'options.safetyStorageDestinationId'))
    .option('--allow-partial', fieldOf('POST /backups/restore', 'options.allowPartial'))
    .option('--max-writes-per-second <count>', 'write more slowly', parseWhole)
    .option('--transform <file>', 'rules of a masked copy into another project: a JSON file, or - for stdin');
  addWatchOptions(addConfirmOptions(create)).action(
    action(async (context, options: CreateOptions, [positional]) => {
      const { body, source } = await bodyOf(context, options, positional);
      const client = await context.client();
      const target = await findRecord(client, 'project', body.targetProjectId ?? source.projectId);
      await runPlanned(context, options, {
        title: `${source.title}\ninto ${target.name} (${target.id})`,
        question: `Restore into ${target.name}?`,
        targetName: target.name,
        safetyBackup: options.safetyBackup !== false,
        plan: async () =>
          client.request('POST /backups/restore', { body: { ...body, options: { ...body.options, dryRun: true } } }),
        start: async (deleteDigest) => {
          const started = await client.request('POST /backups/restore', {
            body: { ...body, options: { ...body.options, deleteDigest } },
          });
          if (!('status' in started)) throw new Error('the service planned instead of restoring');
          return started;
        },
      });
    }),
  );
  addRestoreReadCommands(group, action);

  const undo = defineCommand(program, {
    name: 'undo <restore>',
    summary: summaryOf('POST /backups/restore/{restoreJobId}/undo'),
    description: 'Possible for 7 days. An undo is a restore and can be undone, too.',
    examples: ['bms undo latest', 'bms undo rst_01JZ8Q4V0M6T3X9C2B7N5K1HRD --yes --wait'],
  });
  addWatchOptions(addConfirmOptions(undo)).action(
    action(async (context, options: ConfirmOptions & OfProject, [wanted = '']) => {
      const client = await context.client();
      const params = { restoreJobId: await findRestoreId(client, wanted, options) };
      const { targetProjectName } = await client.request('GET /backups/restore/{restoreJobId}', { params });
      const route = 'POST /backups/restore/{restoreJobId}/undo';
      await runPlanned(context, options, {
        title: `Undo of ${params.restoreJobId} in ${targetProjectName}`,
        question: `Undo ${params.restoreJobId} in ${targetProjectName}?`,
        targetName: targetProjectName,
        safetyBackup: true,
        plan: () => client.request(route, { params, body: { dryRun: true } }),
        start: (deleteDigest) => client.request(route, { params, body: { deleteDigest } }),
      });
    }),
  );
};

interface Source {
  readonly projectId: string;
  readonly title: string;
}

const bodyOf = async (
  { client: open }: Context,
  options: CreateOptions,
  positional: string | undefined,
): Promise<{ readonly body: Body; readonly source: Source }> => {
  const { at, project, into } = options;
  const backup = options.backup ?? positional;
  if (options.backup !== undefined && positional !== undefined) throw badInput('name the backup once: --backup or the argument');
  if (backup !== undefined && at !== undefined) throw badInput('--backup and --at exclude each other');
  if (backup === undefined && at === undefined)
    throw badInput('restore what? Add --backup latest, or --at <time> --project <project>');
  if (at !== undefined && project === undefined) throw badInput('--at needs --project');
  const transform = options.transform === undefined ? undefined : readJson(options.transform, '--transform');
  if (transform && into === undefined) throw badInput('--transform needs --into: a masked copy is never written into its source');
  const client = await open();
  const ofProject = project === undefined ? undefined : await findRecord(client, 'project', project);
  const found = backup === undefined ? undefined : await findBackup(client, backup, ofProject?.id);
  const body: Body = {
    ...(found ? { backupId: found.id } : { projectId: ofProject?.id, pointInTime: at }),
    targetProjectId: into === undefined ? undefined : (await findRecord(client, 'project', into)).id,
    collections: options.collections && [...options.collections],
    documentIds: options.documents && [...options.documents],
    allowPartial: options.allowPartial,
    options: {
      mergeMode: options.mode,
      includeAuthUsers: options.users,
      includeSubcollections: options.subcollections === false ? false : undefined,
      safetyBackup: options.safetyBackup === false ? false : undefined,
      safetyStorageDestinationId: await findRecordId(client, 'storage', options.safetyStorage),
      maxWritesPerSecond: options.maxWritesPerSecond,
      ...(transform && { transform: transform as Transform }),
    },
  };
  const projectId = found?.projectId ?? ofProject?.id ?? '';
  const title = found
    ? `Backup ${found.id} of ${found.projectName ?? projectId} (${formatTime(found.readTime ?? found.createdAt)})`
    : `${ofProject?.name} at ${at}`;
  return { body, source: { projectId, title } };
};
