/** `bms projects update|delete`. */
import type { Command } from 'commander';
import { CliFailure, refuseIfUnchanged } from '../base/cli-failure.ts';
import { defineCommand } from '../base/define-command.ts';
import { exitCodes } from '../base/exit-codes.ts';
import { parsePositive } from '../base/parse-values.ts';
import type { Action } from '../context/context.ts';
import { findProject, findStorageId } from '../context/find-resource.ts';
import { askYesNo } from '../output/ask.ts';

interface UpdateOptions {
  readonly name?: string | undefined;
  /** False: that of the organization. */
  readonly storage?: string | false | undefined;
  readonly timeout?: number | undefined;
  /** False: no limit. */
  readonly maxReads?: number | false | undefined;
}

export const addProjectChangeCommands = (group: Command, action: Action): void => {
  defineCommand(group, {
    name: 'update <project>',
    summary: 'Change the name or the settings of a project',
    examples: ['bms projects update shop --name "Web shop"', 'bms projects update shop --storage Archive --timeout 120'],
  })
    .option('--name <name>', 'a new name')
    .option('--storage <storage>', 'the default storage destination of its backups')
    .option('--no-storage', 'use the default storage destination of the organization')
    .option('--timeout <minutes>', 'how long a backup may take', parsePositive)
    .option('--max-reads <count>', 'billed reads after which a backup ends', parsePositive)
    .option('--no-max-reads', 'do not limit the reads of a backup')
    .action(
      action(async ({ client: open, output }, options: UpdateOptions, wanted = '') => {
        const { name, storage, timeout: backupTimeoutMinutes } = options;
        const settings = {
          backupTimeoutMinutes,
          maxReads: options.maxReads === false ? null : options.maxReads,
        };
        refuseIfUnchanged({ name, storage, ...settings });
        const client = await open();
        const { id: projectId } = await findProject(client, wanted);
        const defaultStorageId = storage === false ? null : await findStorageId(client, storage);
        const isSet = Object.values({ ...settings, defaultStorageId }).some((value) => value !== undefined);
        const body = { name, settings: isSet ? { ...settings, defaultStorageId } : undefined };
        const project = await client.request('PATCH /projects/{projectId}', { params: { projectId }, body });
        output.result(project, project.id, `Updated ${project.name} (${project.id})`);
      }),
    );

  defineCommand(group, {
    name: 'delete <project>',
    aliases: ['rm', 'disconnect'],
    summary: 'Disconnect a project; its backups are kept, its captured changes are deleted',
    examples: ['bms projects delete shop', 'bms projects delete shop --yes'],
  })
    .option('-y, --yes', 'do not ask')
    .action(
      action(async (context, { yes }: { readonly yes?: boolean }, wanted = '') => {
        const client = await context.client();
        const { id: projectId, name } = await findProject(client, wanted);
        const question = `Disconnect ${name} (${projectId})? Its backups are kept; its captured changes are deleted.`;
        if (!yes && !(await askYesNo(context, question))) throw new CliFailure(exitCodes.failed, 'nothing was deleted');
        const result = await client.request('DELETE /projects/{projectId}', { params: { projectId } });
        context.output.result(result, projectId, `Disconnected ${name} (${projectId})`);
      }),
    );
};
