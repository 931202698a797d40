/** `bms restore ls|show|watch|resume|cancel`. */
import type { Command } from 'commander';
import type { InputOf } from '../../../../shared/client/index.ts';
import { restoreStatuses } from '../../base/choices.ts';
import { defineCommand } from '../../base/define-command.ts';
import { choiceOption } from '../../base/parse-values.ts';
import type { Action } from '../../context/context.ts';
import { findBackupId, findRecordId, findRestoreId, type OfProject } from '../../context/find-resource.ts';
import { followRestore } from '../../context/run-planned.ts';
import { addLimitOptions, type LimitOptions, pageSize, takeSome } from '../../context/take-some.ts';
import { addWatchOptions, type WatchOptions, watchJob } from '../../context/watch-job.ts';
import { restoreColumns, restoreDetails, restoreSummary } from '../../output/restore-view.ts';
import { summaryOf } from '../../texts/contract-text.ts';

type Query = NonNullable<InputOf<'GET /backups/restore'>['query']>;

interface ListOptions extends LimitOptions, Pick<Query, 'status' | 'from' | 'to'> {
  readonly project?: string | undefined;
  readonly backup?: string | undefined;
}

export const addRestoreReadCommands = (group: Command, action: Action): void => {
  addLimitOptions(
    defineCommand(group, {
      name: 'ls',
      aliases: ['list'],
      summary: summaryOf('GET /backups/restore'),
      examples: ['bms restore ls --project shop', 'bms restore ls --status failed --json'],
    })
      .option('--project <project>', 'of this project')
      .option('--backup <backup>', 'of this backup')
      .addOption(choiceOption('--status <status>', 'with this status', restoreStatuses)),
    { ofPeriod: true },
  ).action(
    action(async ({ client: open, output }, options: ListOptions) => {
      const client = await open();
      const { status, from, to } = options;
      const query = {
        projectId: await findRecordId(client, 'project', options.project),
        backupId: options.backup === undefined ? undefined : await findBackupId(client, options.backup),
        limit: pageSize(options),
        ...{ status, from, to },
      };
      const found = await takeSome(client.list('GET /backups/restore', { query }), options, output);
      output.list(found, { columns: restoreColumns, idOf: ({ restoreJobId }) => restoreJobId, empty: 'No restores' });
    }),
  );

  defineCommand(group, {
    name: 'show <restore>',
    aliases: ['get'],
    summary: summaryOf('GET /backups/restore/{restoreJobId}'),
    examples: ['bms restore show latest'],
  }).action(
    action(async ({ client: open, output }, ofProject: OfProject, [wanted = '']) => {
      const client = await open();
      const restoreJobId = await findRestoreId(client, wanted, ofProject);
      const job = await client.request('GET /backups/restore/{restoreJobId}', { params: { restoreJobId } });
      output.show(job, restoreJobId, restoreDetails(job));
      if (!output.isJson) for (const { path, message } of job.failures) output.warn(`${path}: ${message}`);
    }),
  );

  defineCommand(group, {
    name: 'watch <restore>',
    summary: 'Wait for the end of a restore and show its progress',
    examples: ['bms restore watch latest'],
  }).action(
    action(async (context, ofProject: OfProject, [wanted = '']) => {
      const client = await context.client();
      const restoreJobId = await findRestoreId(client, wanted, ofProject);
      const job = await client.request('GET /backups/restore/{restoreJobId}', { params: { restoreJobId } });
      await followRestore(context, job, { watch: true });
    }),
  );

  addWatchOptions(
    defineCommand(group, {
      name: 'resume <restore>',
      summary: summaryOf('POST /backups/restore/{restoreJobId}/resume'),
      examples: ['bms restore resume latest --watch'],
    }),
  ).action(
    action(async (context, options: WatchOptions & OfProject, [wanted = '']) => {
      const client = await context.client();
      const restoreJobId = await findRestoreId(client, wanted, options);
      const job = await client.request('POST /backups/restore/{restoreJobId}/resume', { params: { restoreJobId } });
      await followRestore(context, job, options);
    }),
  );

  defineCommand(group, {
    name: 'cancel <restore>',
    summary: summaryOf('POST /backups/restore/{restoreJobId}/cancel'),
    description: 'Waits until nothing writes any more, which takes a few seconds, and prints what was written.',
    examples: ['bms restore cancel latest'],
  }).action(
    action(async (context, ofProject: OfProject, [wanted = '']) => {
      const client = await context.client();
      const restoreJobId = await findRestoreId(client, wanted, ofProject);
      const asked = await client.request('POST /backups/restore/{restoreJobId}/cancel', { params: { restoreJobId } });
      const watched = { kind: 'restore', id: restoreJobId, showsProgress: false } as const;
      const job = asked.cancelling ? await watchJob(context, watched) : asked;
      context.output.result(job, restoreJobId, restoreSummary(job));
    }),
  );
};
