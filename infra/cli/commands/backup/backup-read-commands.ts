/** `bms backup ls|show|browse|cat|diff|import`: reads what is stored. */
import type { Command } from 'commander';
import type { InputOf } from '../../../../shared/client/index.ts';
import { backupStatuses, backupTriggers, backupTypes } from '../../base/choices.ts';
import { CliFailure } from '../../base/cli-failure.ts';
import { defineCommand, defineList } from '../../base/define-command.ts';
import { exitCodes } from '../../base/exit-codes.ts';
import { choiceOption } from '../../base/parse-values.ts';
import type { Action } from '../../context/context.ts';
import { findBackup, findBackupId, findRecordId } from '../../context/find-resource.ts';
import { readDocument, type StoredDocument, tooLarge } from '../../context/read-document.ts';
import { addLimitOptions, type LimitOptions, pageSize, takeSome } from '../../context/take-some.ts';
import { backupColumns, backupDetails } from '../../output/backup-view.ts';
import { formatCount } from '../../output/format.ts';
import { plainFields } from '../../output/plain-value.ts';
import { summaryOf } from '../../texts/contract-text.ts';
import { addDiffCommand } from './diff-command.ts';

type ListQuery = NonNullable<InputOf<'GET /backups'>['query']>;

interface ListOptions extends LimitOptions, Pick<ListQuery, 'status' | 'type' | 'trigger' | 'from' | 'to'> {
  readonly unusual?: boolean | undefined;
  readonly internal?: boolean | undefined;
  readonly project?: string | undefined;
  readonly storage?: string | undefined;
  readonly schedule?: string | undefined;
}

interface CatOptions {
  readonly plain?: boolean | undefined;
  readonly project?: string | undefined;
}

export const addBackupReadCommands = (group: Command, action: Action): void => {
  addLimitOptions(
    defineList(group, {
      summary: summaryOf('GET /backups'),
      examples: ['bms backup ls --project shop --status completed', 'bms backup ls --from 7d --json'],
    })
      .option('--project <project>', 'of this project')
      .option('--storage <storage>', 'in this storage destination')
      .option('--schedule <schedule>', 'of this schedule')
      .addOption(choiceOption('--status <status>', 'with this status', backupStatuses))
      .addOption(choiceOption('--type <type>', 'of this type', backupTypes))
      .addOption(choiceOption('--trigger <trigger>', 'started by', backupTriggers))
      .option('--unusual', 'only those with unusual changes that are not acknowledged')
      .option('--internal', 'also safety backups and those built for a moment'),
    { ofPeriod: true },
  ).action(
    action(async ({ client: open, output }, options: ListOptions) => {
      const client = await open();
      const { project, storage, schedule, status, type, trigger, from, to, unusual, internal } = options;
      const query = {
        projectId: await findRecordId(client, 'project', project),
        storageDestinationId: await findRecordId(client, 'storage', storage),
        scheduleId: await findRecordId(client, 'schedule', schedule),
        limit: pageSize(options),
        ...{ status, type, trigger, from, to },
        anomaly: unusual ? ('unacknowledged' as const) : undefined,
        internal: internal ? undefined : ('exclude' as const),
      };
      const found = await takeSome(client.list('GET /backups', { query }), options, output);
      output.list(found, { columns: backupColumns, idOf: ({ id }) => id, empty: 'No backups' });
    }),
  );

  defineCommand(group, {
    name: 'show <backup>',
    aliases: ['get'],
    summary: summaryOf('GET /backups/{backupId}'),
    examples: ['bms backup show latest', 'bms backup show latest --project shop --json'],
  }).action(
    action(async ({ client: open, output }, { project }: CatOptions, [wanted = '']) => {
      const client = await open();
      const backup = await findBackup(client, wanted, await findRecordId(client, 'project', project));
      output.show(backup, backup.id, backupDetails(backup));
    }),
  );

  addLimitOptions(
    defineCommand(group, {
      name: 'browse <backup> [path]',
      summary: summaryOf('GET /backups/{backupId}/documents'),
      examples: ['bms backup browse latest', 'bms backup browse latest users', 'bms backup browse latest users/ada/orders'],
    }),
  ).action(
    action(async ({ client: open, output }, options: CatOptions & LimitOptions, [wanted = '', path = '']) => {
      const client = await open();
      const backupId = await findBackupId(client, wanted, await findRecordId(client, 'project', options.project));
      const query = { path, showMissing: 'true', limit: pageSize(options) } as const;
      const list = client.list('GET /backups/{backupId}/documents', { params: { backupId }, query });
      const entries = await takeSome(list, options, output);
      output.list(entries, {
        columns: [
          {
            title: 'DOCUMENTS',
            value: ({ documents }) => (documents === undefined ? null : formatCount(documents)),
            align: 'right',
          },
          { title: 'TYPE', value: ({ type, missing }) => (missing ? 'missing' : type) },
          { title: 'PATH', value: (entry) => entry.path, flexible: true },
        ],
        idOf: (entry) => entry.path,
        empty: 'Nothing at this path',
      });
    }),
  );

  defineCommand(group, {
    name: 'cat <backup> <path>',
    summary: 'Print a document of a backup',
    description: 'The document has the format of the Firestore REST API, as "bms archive cat" prints it.',
    examples: ['bms backup cat latest users/ada', 'bms backup cat latest users/ada --plain'],
  })
    .option('--plain', 'print only the fields, as plain values without their types')
    .action(
      action(async ({ client: open, output }, { plain, project }: CatOptions, [wanted = '', path = '']) => {
        const client = await open();
        const backupId = await findBackupId(client, wanted, await findRecordId(client, 'project', project));
        const document = await readDocument(client, { backupId, path });
        if (!document)
          throw new CliFailure(exitCodes.notFound, `${path} is not a document; bms backup browse lists what is there`);
        if (document.fieldsTooLarge) throw tooLarge(path);
        output.json(output.isJson ? document : plain ? plainFields((document.fields ?? {}) as never) : restDocument(document));
      }),
    );

  addDiffCommand(group, action);

  defineCommand(group, {
    name: 'import <path>',
    summary: summaryOf('POST /backups/import'),
    examples: ['bms backup import prj_01JZ/bkp_01JZ --project shop --storage archive'],
  })
    .requiredOption('--project <project>', 'the project it belongs to')
    .requiredOption('--storage <storage>', 'the storage destination that holds it')
    .action(
      action(async ({ client: open, output }, options: { readonly project: string; readonly storage: string }, [path = '']) => {
        const client = await open();
        const projectId = (await findRecordId(client, 'project', options.project)) ?? '';
        const storageDestinationId = (await findRecordId(client, 'storage', options.storage)) ?? '';
        const backup = await client.request('POST /backups/import', { body: { projectId, storageDestinationId, path } });
        output.result(backup, backup.id, `Backup ${backup.id} imported`);
      }),
    );
};

const restDocument = ({ name, fields, createTime, updateTime }: StoredDocument): object => ({
  name,
  fields,
  createTime,
  updateTime,
});
