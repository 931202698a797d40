/** `bms pitr cat`: a document as it was at a moment. */
import type { Command } from 'commander';
import { CliFailure } from '../base/cli-failure.ts';
import { defineCommand } from '../base/define-command.ts';
import { exitCodes } from '../base/exit-codes.ts';
import { parseMoment } from '../base/parse-values.ts';
import { chooseProjectId } from '../context/choose-project.ts';
import type { Action } from '../context/context.ts';
import { findDocumentAt } from '../context/find-document-at.ts';
import { tooLarge } from '../context/read-document.ts';
import { plainFields, type RestFields } from '../output/plain-value.ts';

interface CatOptions {
  readonly at: string;
  readonly project?: string | undefined;
  readonly plain?: boolean | undefined;
}

export const addPitrCatCommand = (group: Command, action: Action): void => {
  defineCommand(group, {
    name: 'cat <path>',
    summary: 'Print a document as it was at a moment',
    description:
      'Reads the backups next to the moment; stderr says which one and whether it is exact. If the document ' +
      'was written between a backup and the moment, bms restore --at … --dry-run shows what would change.',
    examples: ['bms pitr cat users/ada --at 2026-11-16T11:20:00Z --project shop', 'bms pitr cat users/ada --at 2h --plain'],
  })
    .requiredOption('--at <time>', 'the moment; 2h is two hours ago', parseMoment)
    .option('--project <project>', 'the project; needed if there are several')
    .option('--plain', 'print only the fields, as plain values without their types')
    .action(
      action(async (context, { at, project, plain }: CatOptions, [path = '']) => {
        const { output, signal } = context;
        const client = await context.client();
        const projectId = await chooseProjectId(context, project);
        const found = await findDocumentAt(client, { projectId, path, at, signal });
        const { document, explanation, exact, backupId } = found;
        output.note(`${exact ? 'Exact' : 'Not exact'}, from ${backupId}. ${explanation}`);
        if (output.isJson) output.json(found);
        if (!document) throw new CliFailure(exitCodes.notFound, `${path} was not in backup ${backupId}`);
        if (document.fieldsTooLarge && !output.isJson) throw tooLarge(path);
        const { name, fields, createTime, updateTime } = document;
        if (!output.isJson)
          output.json(plain ? plainFields((fields ?? {}) as RestFields) : { name, fields, createTime, updateTime });
      }),
    );
};
