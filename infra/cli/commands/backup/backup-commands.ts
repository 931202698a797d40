/** `bms backup`: starts, watches, verifies, cancels and deletes backups. */

import type { Command } from 'commander';
import { formatBytes } from '../../../../shared/contract/format-bytes.ts';
import { backupSources, backupTypes, type ChoiceOf, verifyDepths } from '../../base/choices.ts';
import { CliFailure } from '../../base/cli-failure.ts';
import { defineCommand, defineGroup } from '../../base/define-command.ts';
import { exitCodes } from '../../base/exit-codes.ts';
import { choiceOption, parseNames, parseWhole } from '../../base/parse-values.ts';
import { chooseProjectId } from '../../context/choose-project.ts';
import type { Action, Context } from '../../context/context.ts';
import { type Backup, findBackup, findBackupId, findRecordId, type OfProject } from '../../context/find-resource.ts';
import { followBackup } from '../../context/follow-backup.ts';
import { addWatchOptions, type WatchOptions, watchJob } from '../../context/watch-job.ts';
import { askYesNo } from '../../output/ask.ts';
import { backupSummary } from '../../output/backup-view.ts';
import { formatCount, formatMinute } from '../../output/format.ts';
import { fieldOf, summaryOf } from '../../texts/contract-text.ts';
import { addAcknowledgeCommand } from './acknowledge-command.ts';
import { addBackupReadCommands } from './backup-read-commands.ts';

interface CreateOptions extends WatchOptions {
  readonly project?: string | undefined;
  readonly storage?: string | undefined;
  readonly type?: ChoiceOf<typeof backupTypes> | undefined;
  readonly collections?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly users?: boolean | undefined;
  readonly source?: ChoiceOf<typeof backupSources> | undefined;
  readonly retention?: number | undefined;
  readonly maxReads?: number | undefined;
  readonly dryRun?: boolean | undefined;
}

export const addBackupCommands = (program: Command, action: Action): void => {
  const group = defineGroup(program, {
    name: 'backup',
    aliases: ['backups'],
    summary: 'Create, browse, compare and verify backups',
    examples: ['bms backup create --project shop --watch', 'bms backup ls', 'bms backup diff latest live'],
  });
  addWatchOptions(
    defineCommand(group, {
      name: 'create',
      summary: summaryOf('POST /backups'),
      description:
        'Without --watch or --wait the command ends as soon as the backup has started. ' +
        'Ctrl-C ends only the command, never the backup.',
      examples: [
        'bms backup create --project shop --watch',
        'bms backup create --project shop --type incremental --collections users,orders --wait --quiet',
        'bms backup create --project shop --dry-run',
      ],
    })
      .option('--project <project>', 'the project to back up; needed if there are several')
      .option('--storage <storage>', 'where to store it; default: that of the project or organization')
      .addOption(choiceOption('--type <type>', 'default: full', backupTypes))
      .option('--collections <names>', 'only these, separated by commas; may be repeated', parseNames)
      .option('--exclude <names>', 'all but these, separated by commas; may be repeated', parseNames)
      .option('--users', 'include the users of Firebase Authentication')
      .option('--retention <days>', fieldOf('POST /backups', 'retention'), parseWhole)
      .option('--max-reads <count>', 'fail instead of reading more documents', parseWhole)
      .addOption(
        choiceOption(
          '--source <source>',
          'build it from captured changes where possible, or read (default: auto)',
          backupSources,
        ),
      )
      .option('--dry-run', 'only estimate documents, reads and cost'),
  ).action(
    action(async (context, options: CreateOptions) => {
      const client = await context.client();
      const body = {
        projectId: await chooseProjectId(context, options.project),
        storageDestinationId: await findRecordId(client, 'storage', options.storage),
        type: options.type,
        collections: options.collections && [...options.collections],
        excludeCollections: options.exclude && [...options.exclude],
        includeAuthUsers: options.users,
        retention: options.retention,
        maxReads: options.maxReads,
        source: options.source,
        dryRun: options.dryRun,
      };
      const started = await client.request('POST /backups', { body });
      if (!('id' in started)) {
        const { documents, bytes, reads, estimatedUsd } = started;
        return context.output.show(started, '', [
          ['Documents', documents === null ? 'unknown' : formatCount(documents)],
          ['Size', bytes === null ? 'unknown' : formatBytes(bytes)],
          ['Reads', reads === null ? 'unknown' : formatCount(reads)],
          ['Cost', estimatedUsd === null ? 'unknown' : `about ${estimatedUsd} USD`],
          ['Built from', started.builtFrom === 'changes' ? 'captured changes' : null],
          [
            'Reading all',
            started.costIfRead && `${formatCount(started.costIfRead.reads)} reads, about ${started.costIfRead.estimatedUsd} USD`,
          ],
          ['Collections', started.collections.join(', ')],
          ['Unknown', started.unknownCollections.join(', '), 'yellow'],
        ]);
      }
      await followBackup(context, started, options);
    }),
  );

  defineCommand(group, {
    name: 'watch <backup>',
    summary: 'Wait for the end of a backup and show its progress',
    examples: ['bms backup watch bkp_01JZ8Q4V0M6T3X9C2B7N5K1HRD'],
  }).action(
    action(async (context, { project }: OfProject, [wanted = '']) => {
      const client = await context.client();
      const backup = await findBackup(client, wanted, await findRecordId(client, 'project', project));
      await followBackup(context, backup, { watch: true });
    }),
  );

  addWatchOptions(
    defineCommand(group, {
      name: 'verify <backup>',
      summary: summaryOf('POST /backups/{backupId}/verify'),
      description: 'The exit code is 1 if the backup is damaged.',
      examples: ['bms backup verify latest --depth full --wait'],
    }).addOption(choiceOption('--depth <depth>', fieldOf('POST /backups/{backupId}/verify', 'depth'), verifyDepths)),
  ).action(
    action(async (context, options: VerifyOptions, [wanted = '']) => {
      const client = await context.client();
      const backupId = await findBackupId(client, wanted, await findRecordId(client, 'project', options.project));
      const started = await client.request('POST /backups/{backupId}/verify', {
        params: { backupId },
        body: { depth: options.depth },
      });
      if (!options.watch && !options.wait) {
        context.output.note(`Verification started; see it: bms backup show ${backupId}`);
        return context.output.isJson || context.output.isQuiet ? context.output.show(started, backupId, []) : undefined;
      }
      const until = ({ verification }: Backup): boolean => verification?.status !== 'running';
      reportVerification(context, await watchJob(context, { kind: 'backup', id: backupId, until, showsProgress: false }));
    }),
  );

  defineCommand(group, {
    name: 'cancel <backup>',
    summary: summaryOf('POST /backups/{backupId}/cancel'),
    examples: ['bms backup cancel bkp_01JZ8Q4V0M6T3X9C2B7N5K1HRD'],
  }).action(
    action(async ({ client: open, output }, { project }: OfProject, [wanted = '']) => {
      const client = await open();
      const backupId = await findBackupId(client, wanted, await findRecordId(client, 'project', project));
      const cancelled = await client.request('POST /backups/{backupId}/cancel', { params: { backupId } });
      output.result(cancelled, backupId, backupSummary(cancelled));
    }),
  );

  defineCommand(group, {
    name: 'delete <backup>',
    aliases: ['rm'],
    summary: summaryOf('DELETE /backups/{backupId}'),
    examples: ['bms backup delete bkp_01JZ8Q4V0M6T3X9C2B7N5K1HRD --yes'],
  })
    .option('-y, --yes', 'do not ask')
    .action(
      action(async (context, { yes, project }: OfProject & { readonly yes?: boolean }, [wanted = '']) => {
        const client = await context.client();
        const backup = await findBackup(client, wanted, await findRecordId(client, 'project', project));
        const what = `backup ${backup.id} of ${backup.projectName ?? backup.projectId}, ${formatMinute(backup.createdAt)} UTC`;
        if (!yes && !(await askYesNo(context, `Delete ${what}?`))) throw new CliFailure(exitCodes.failed, 'nothing was deleted');
        const result = await client.request('DELETE /backups/{backupId}', { params: { backupId: backup.id } });
        context.output.result(result, backup.id, `Deleted ${what}`);
      }),
    );
  addAcknowledgeCommand(group, action);
  addBackupReadCommands(group, action);
};

interface VerifyOptions extends WatchOptions, OfProject {
  readonly depth?: ChoiceOf<typeof verifyDepths> | undefined;
}

const reportVerification = ({ output }: Context, backup: Backup): void => {
  const { verification } = backup;
  const findings = verification?.findings ?? [];
  if (output.isJson) output.json(backup);
  else for (const { object, message } of findings) output.warn(`${object}: ${message}`);
  if (verification?.status !== 'passed')
    throw new CliFailure(exitCodes.failed, `backup ${backup.id} is damaged: ${findings.length} findings`);
  if (!output.isJson)
    output.line(
      output.isQuiet ? backup.id : `Backup ${backup.id} passed (${verification.depth}): ${verification.objects} objects`,
    );
};
