/** `bms projects update`. */
import type { Command } from 'commander';
import { refuseIfUnchanged } from '../base/cli-failure.ts';
import { defineCommand } from '../base/define-command.ts';
import { parsePositive } from '../base/parse-values.ts';
import type { Action } from '../context/context.ts';
import { findRecordId } from '../context/find-resource.ts';

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
        const projectId = await findRecordId(client, 'project', wanted);
        const defaultStorageId = storage === false ? null : await findRecordId(client, 'storage', storage);
        const isSet = Object.values({ ...settings, defaultStorageId }).some((value) => value !== undefined);
        const body = { name, settings: isSet ? { ...settings, defaultStorageId } : undefined };
        const project = await client.request('PATCH /projects/{projectId}', { params: { projectId }, body });
        output.result(project, project.id, `Updated ${project.name} (${project.id})`);
      }),
    );
};
