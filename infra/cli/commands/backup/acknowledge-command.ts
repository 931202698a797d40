/** `bms backup acknowledge`: a person has seen what is unusual about a backup. */
import type { Command } from 'commander';
import { CliFailure } from '../../base/cli-failure.ts';
import { defineCommand } from '../../base/define-command.ts';
import { exitCodes } from '../../base/exit-codes.ts';
import type { Action } from '../../context/context.ts';
import { findBackup, findRecordId, type OfProject } from '../../context/find-resource.ts';
import { askYesNo } from '../../output/ask.ts';
import { summaryOf } from '../../texts/contract-text.ts';

interface AcknowledgeOptions extends OfProject {
  readonly note?: string | undefined;
  readonly yes?: boolean | undefined;
}

export const addAcknowledgeCommand = (group: Command, action: Action): void => {
  defineCommand(group, {
    name: 'acknowledge <backup>',
    aliases: ['ack'],
    summary: summaryOf('POST /backups/{backupId}/acknowledge'),
    description:
      'Until then retention keeps the last backup from before it. Afterwards the same level of changes is not reported again. ' +
      'Only people can: an API key is refused.',
    examples: ['bms backup acknowledge bkp_01JZ8Q4V0M6T3X9C2B7N5K1HRD --note "Yearly clean-up"'],
  })
    .option('--note <text>', 'why it is in order')
    .option('-y, --yes', 'do not ask')
    .action(
      action(async (context, { note, yes, project }: AcknowledgeOptions, [wanted = '']) => {
        const client = await context.client();
        const backup = await findBackup(client, wanted, await findRecordId(client, 'project', project));
        for (const { message } of backup.anomaly?.findings ?? []) context.output.note(message);
        const isOpen = backup.anomaly?.acknowledgedAt === null;
        if (isOpen && !yes && !(await askYesNo(context, `Acknowledge this, so that older backups may expire?`)))
          throw new CliFailure(exitCodes.failed, 'nothing was acknowledged');
        const body = note === undefined ? {} : { note };
        const done = await client.request('POST /backups/{backupId}/acknowledge', { params: { backupId: backup.id }, body });
        context.output.result(done, backup.id, `Acknowledged backup ${backup.id}`);
      }),
    );
};
