/** `bms export`: a backup or a moment as files in a storage destination. */
import type { Command } from 'commander';
import type { DataOf, InputOf } from '../../../shared/client/index.ts';
import { formatBytes } from '../../../shared/contract/format-bytes.ts';
import { type ChoiceOf, documentFormats, restoreStatuses } from '../base/choices.ts';
import { badInput, CliFailure } from '../base/cli-failure.ts';
import { collectAll } from '../base/collect-all.ts';
import { defineCommand, defineGroup } from '../base/define-command.ts';
import { exitCodes } from '../base/exit-codes.ts';
import { matchName } from '../base/match-name.ts';
import { choiceOption, parseEach, parseMoment, parseNames, parseWhole } from '../base/parse-values.ts';
import { readJson } from '../base/read-json.ts';
import type { Action, Context } from '../context/context.ts';
import { downloadExport } from '../context/download-export.ts';
import { findBackup, findRecordId, type OfProject } from '../context/find-resource.ts';
import { addLimitOptions, type LimitOptions, pageSize, takeSome } from '../context/take-some.ts';
import { addWatchOptions, type WatchOptions, watchJob } from '../context/watch-job.ts';
import { exportColumns, exportDetails, exportPlanSummary, exportSummary } from '../output/export-view.ts';
import { formatCounted } from '../output/format.ts';
import { fieldOf, summaryOf } from '../texts/contract-text.ts';

type ExportJob = DataOf<'GET /exports/{exportId}'>;
type Body = InputOf<'POST /exports'>['body'];
type Query = NonNullable<InputOf<'GET /exports'>['query']>;

interface CreateOptions extends WatchOptions {
  readonly backup?: string | undefined;
  readonly at?: string | undefined;
  readonly project?: string | undefined;
  readonly format: ChoiceOf<typeof documentFormats>;
  readonly collections?: readonly string[] | undefined;
  readonly columns?: readonly string[] | undefined;
  readonly exactText?: boolean | undefined;
  readonly storage?: string | undefined;
  readonly recipient: readonly string[];
  readonly retention?: number | undefined;
  readonly transform?: string | undefined;
  readonly dryRun?: boolean | undefined;
  readonly download?: string | undefined;
}

interface ListOptions extends LimitOptions, Pick<Query, 'status' | 'from' | 'to'> {
  readonly project?: string | undefined;
}

export const addExportCommands = (program: Command, action: Action): void => {
  const group = defineGroup(program, {
    name: 'export',
    aliases: ['exports'],
    summary: 'Export a backup or a point in time as NDJSON, CSV, Parquet or for Google’s tools; list and cancel exports',
    examples: [
      'bms export latest --format parquet --storage lake --watch',
      'bms export --at 2026-11-16T11:20:00Z --project shop --format ndjson --collections users',
      'bms export ls',
    ],
  });
  const create = defineCommand(group, {
    name: 'create [backup]',
    isDefault: true,
    summary: summaryOf('POST /exports'),
    description:
      'The files are stored in a folder of the storage destination, and manifest.json, which is ' +
      'written last, lists them. The source is not read.',
    examples: [
      'bms export latest --project shop --format csv --dry-run',
      'bms export latest --format csv --columns __id__,email,address.city --collections users --wait',
      'bms export latest --format ndjson --transform rules.json --watch',
      'bms export latest --format csv --recipient age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p',
    ],
  })
    .option('--backup <backup>', 'the backup: id, beginning of an id, or latest')
    .option('--at <time>', 'a point in time of --project; 10m is ten minutes ago', parseMoment)
    .option('--project <project>', 'the project of "latest" or of --at')
    .addOption(choiceOption('--format <format>', 'of the files', documentFormats).makeOptionMandatory())
    .option('--collections <names>', 'only these, separated by commas; may be repeated', parseNames)
    .option('--columns <paths>', fieldOf('POST /exports', 'columns'), parseNames)
    .option('--exact-text', fieldOf('POST /exports', 'exactText'))
    .option('--storage <storage>', fieldOf('POST /exports', 'storageDestinationId'))
    .option('--recipient <key>', 'encrypt the files for the owner of this public key of age; may be repeated', parseEach, [])
    .option('--retention <days>', fieldOf('POST /exports', 'retention'), parseWhole)
    .option('--transform <file>', 'rules that mask documents: a JSON file, or - for stdin')
    .option(
      '--download <folder>',
      'wait, and download the files into this folder; without --storage they stay for a day only, unless --retention says how long',
    )
    .option('--dry-run', 'only say what would be exported');
  addWatchOptions(create).action(
    action(async (context, options: CreateOptions, [positional]) => {
      const { output } = context;
      const body = await bodyOf(context, options, positional);
      const client = await context.client();
      const started = await client.request('POST /exports', { body });
      if ('dryRun' in started) {
        if (started.unknownCollections.length > 0) output.warn(`not in the backup: ${started.unknownCollections.join(', ')}`);
        if (started.partial) output.warn(`the backup is not complete: ${started.partial.reason}`);
        return output.result(started, String(started.documents), exportPlanSummary(started));
      }
      await followExport(context, started, options);
    }),
  );

  addLimitOptions(
    defineCommand(group, {
      name: 'ls',
      aliases: ['list'],
      summary: summaryOf('GET /exports'),
      examples: ['bms export ls --project shop', 'bms export ls --status failed --json'],
    })
      .option('--project <project>', 'of this project')
      .addOption(choiceOption('--status <status>', 'with this status', restoreStatuses)),
    { ofPeriod: true },
  ).action(
    action(async ({ client: open, output }, options: ListOptions) => {
      const client = await open();
      const { status, from, to } = options;
      const projectId = await findRecordId(client, 'project', options.project);
      const query = { projectId, limit: pageSize(options), status, from, to };
      const found = await takeSome(client.list('GET /exports', { query }), options, output);
      output.list(found, { columns: exportColumns, idOf: ({ id }) => id, empty: 'No exports' });
    }),
  );

  defineCommand(group, {
    name: 'show <export>',
    aliases: ['get'],
    summary: summaryOf('GET /exports/{exportId}'),
    examples: ['bms export show latest'],
  }).action(
    action(async (context, ofProject: OfProject, [wanted = '']) => {
      const job = await findExport(context, wanted, ofProject);
      context.output.show(job, job.id, exportDetails(job));
    }),
  );

  defineCommand(group, {
    name: 'watch <export>',
    summary: 'Wait for the end of an export and show its progress',
    examples: ['bms export watch latest'],
  }).action(
    action(async (context, ofProject: OfProject, [wanted = '']) =>
      followExport(context, await findExport(context, wanted, ofProject), { watch: true }),
    ),
  );

  addWatchOptions(
    defineCommand(group, {
      name: 'resume <export>',
      summary: summaryOf('POST /exports/{exportId}/resume'),
      examples: ['bms export resume latest --watch'],
    }),
  ).action(
    action(async (context, { project, ...options }: WatchOptions & OfProject, [wanted = '']) => {
      const client = await context.client();
      const { id } = await findExport(context, wanted, { project });
      const job = await client.request('POST /exports/{exportId}/resume', { params: { exportId: id } });
      await followExport(context, job, options);
    }),
  );

  defineCommand(group, {
    name: 'download <export>',
    summary: 'Download the files of a completed export, at most 1 GiB',
    description:
      'The digest of every file is verified. Files that are there already are not downloaded again, so an interrupted ' +
      'download goes on where it stopped.',
    examples: ['bms export download latest', 'bms export download latest --into exports'],
  })
    .option('--into <folder>', 'where to put them; by default a folder with the id of the export')
    .action(
      action(async (context, { into, project }: OfProject & { readonly into?: string }, [wanted = '']) =>
        saveExport(context, await findExport(context, wanted, { project }), into),
      ),
    );

  defineCommand(group, {
    name: 'cancel <export>',
    summary: summaryOf('POST /exports/{exportId}/cancel'),
    description: 'Waits until no worker stores a file any more, which takes a few seconds.',
    examples: ['bms export cancel latest'],
  }).action(
    action(async (context, ofProject: OfProject, [wanted = '']) => {
      const client = await context.client();
      const { id } = await findExport(context, wanted, ofProject);
      await client.request('POST /exports/{exportId}/cancel', { params: { exportId: id } });
      const job = await watchJob(context, { kind: 'export', id, showsProgress: false });
      context.output.result(job, id, exportSummary(job));
    }),
  );
};

const bodyOf = async ({ client: open }: Context, options: CreateOptions, positional: string | undefined): Promise<Body> => {
  const { at, project, format, collections, columns, exactText, storage, recipient, retention, dryRun } = options;
  const backup = options.backup ?? positional;
  if (options.backup !== undefined && positional !== undefined) throw badInput('name the backup once: --backup or the argument');
  if (backup !== undefined && at !== undefined) throw badInput('--backup and --at exclude each other');
  if (backup === undefined && at === undefined)
    throw badInput('export what? Add --backup latest, or --at <time> --project <project>');
  if (at !== undefined && project === undefined) throw badInput('--at needs --project');
  const transform = options.transform === undefined ? undefined : readJson(options.transform, '--transform');
  const client = await open();
  const projectId = await findRecordId(client, 'project', project);
  return {
    ...(backup === undefined ? { projectId, pointInTime: at } : { backupId: (await findBackup(client, backup, projectId)).id }),
    format,
    collections: collections && [...collections],
    columns: columns && [...columns],
    exactText,
    storageDestinationId: await findRecordId(client, 'storage', storage),
    ...(options.download !== undefined && storage === undefined && { download: true }),
    ...(recipient.length > 0 && { recipients: [...recipient] }),
    retention,
    ...(transform ? { transform: transform as Body['transform'] } : {}),
    dryRun,
  };
};

/** By id, the beginning of an id, or `latest`. */
const findExport = async ({ client: open }: Context, wanted: string, { project }: OfProject): Promise<ExportJob> => {
  const client = await open();
  if (/^exp_[0-9A-HJKMNP-TV-Z]{26}$/.test(wanted))
    return client.request('GET /exports/{exportId}', { params: { exportId: wanted } });
  const projectId = await findRecordId(client, 'project', project);
  if (wanted === 'latest') {
    for await (const newest of client.list('GET /exports', { query: { projectId } })) return newest;
    throw new CliFailure(exitCodes.notFound, 'there is no export');
  }
  const found = await collectAll(client.list('GET /exports', { query: { projectId, limit: 100 } }));
  return matchName('export', { wanted, found, namedOf: ({ id }) => ({ id, names: [] }) });
};

/** Downloads the files, and says where they are. */
const saveExport = async (context: Context, job: ExportJob, into = job.id): Promise<void> => {
  const saved = await downloadExport(context, job, into);
  const { files, bytes } = saved;
  context.output.result(saved, job.id, `${formatCounted(files, 'file')} (${formatBytes(bytes)}) of export ${job.id} in ${into}`);
};

const followExport = async (
  context: Context,
  started: ExportJob,
  { watch, wait, download }: WatchOptions & Pick<CreateOptions, 'download'>,
): Promise<void> => {
  const { output } = context;
  const { id } = started;
  if (!watch && !wait && download === undefined) {
    output.result(started, id, `Export ${id} started`);
    if (!output.isJson) output.note(`Watch it: bms export watch ${id}`);
    return;
  }
  const ended = await watchJob(context, { kind: 'export', id, showsProgress: watch === true });
  if (ended.status === 'completed') {
    if (download === undefined) output.result(ended, id, exportSummary(ended));
    if (ended.unknownCollections.length > 0) output.warn(`not in the backup: ${ended.unknownCollections.join(', ')}`);
    if (ended.partial) output.warn(`the backup is not complete: ${ended.partial.reason}`);
    if (download !== undefined) await saveExport(context, ended, download);
    return;
  }
  if (output.isJson) output.json(ended);
  const isResumable = ended.resumableUntil !== null;
  if (isResumable && !output.isJson) output.note(`Go on where it stopped: bms export resume ${id}`);
  throw new CliFailure(exitCodes.failed, ended.error?.message ?? exportSummary(ended));
};
