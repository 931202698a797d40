/** `bms find`: where a document exists, and how to get it back. */
import type { Command } from 'commander';
import type { Client, InputOf } from '../../../shared/client/index.ts';
import { badInput, CliFailure } from '../base/cli-failure.ts';
import { defineCommand } from '../base/define-command.ts';
import { exitCodes } from '../base/exit-codes.ts';
import type { Action, Context } from '../context/context.ts';
import { locate } from '../context/locate-document.ts';
import { addConfirmOptions, type ConfirmOptions, runPlanned } from '../context/run-planned.ts';
import { needsOlder, type Searched } from '../context/search-document.ts';
import { addWatchOptions } from '../context/watch-job.ts';
import { formatCounted, formatTime, shellWord } from '../output/format.ts';
import { type Located, locatedColumns, locatedDetails, locatedRows } from '../output/located-view.ts';
import { summaryOf } from '../texts/contract-text.ts';

interface FindOptions extends ConfirmOptions {
  readonly all?: boolean | undefined;
  readonly project?: string | undefined;
  readonly restore?: boolean | undefined;
  readonly subcollections?: boolean | undefined;
}

type RestoreBody = NonNullable<InputOf<'POST /backups/restore'>['body']>;

export const addFindCommand = (program: Command, action: Action): void => {
  const find = defineCommand(program, {
    name: 'find <document>',
    summary: summaryOf('GET /documents/locate'),
    description:
      'The document is a path (users/ada), an id, a resource name, or the address of the document in the ' +
      'console of Google Cloud or Firebase. Says when it last changed or vanished, and what to restore. Searches ' +
      'ever older backups until one has a state to restore, or the live database has the document.',
    examples: [
      'bms find users/ada --project shop',
      'bms find users/ada --restore',
      'bms find "https://console.firebase.google.com/project/shop/firestore/data/~2Fusers~2Fada" --json',
    ],
  })
    .option('--project <project>', 'the project; needed if there are several and the address names none')
    .option('--all', 'examine all backups, also after the first state that could be restored')
    .option('--restore', 'restore what is recommended: shows the plan, then asks')
    .option('--subcollections', 'with --restore: also the documents below it');
  addWatchOptions(addConfirmOptions(find)).action(
    action(async (context, options: FindOptions, [pasted = '']) => {
      const client = await context.client();
      const searched = await locate(context, {
        pasted,
        project: options.project,
        isEnough: (located) => options.all !== true && !needsOlder(located),
      });
      if (options.restore) return restoreFound(context, { client, located: searched.located, options });
      printLocated(context, searched);
    }),
  );
};

const printLocated = ({ output }: Context, { located, nextCursor }: Searched): void => {
  const { path, candidates, examined, summary, moments } = located;
  if (output.isJson) output.json(located);
  if (candidates.length > 0) {
    if (!output.isJson) for (const candidate of candidates) output.line(candidate);
    output.note('Several documents have this id; name one of these paths');
    return;
  }
  if (!summary.found || path === null) throw nothing(located);
  if (output.isJson) return;
  if (output.isQuiet) {
    output.line(path);
    return;
  }
  output.details(locatedDetails(located));
  const rows = locatedRows(located);
  if (rows.length > 0) output.line('');
  if (rows.length > 0) output.table(rows, locatedColumns);
  if (moments?.message) output.warn(`captured changes: ${moments.message}`);
  if (nextCursor !== null)
    output.note(`Examined the newest ${formatCounted(examined, 'backup')}; --all examines the older ones, too`);
  const next = nextCommand(located);
  output.note(next ? `Restore it: ${next}` : 'Nothing to restore: every stored state is the live one');
};

/** The exact command that restores what is recommended. */
const nextCommand = ({ path, projectId, recommended }: Located): string | undefined => {
  if (!recommended) return undefined;
  const { backupId, pointInTime } = recommended;
  const from = backupId === null ? `--at ${pointInTime} --project ${projectId}` : backupId;
  return `bms restore ${from} --documents ${shellWord(path ?? '')} --no-subcollections`;
};

const nothing = ({ examined, projectName }: Located): CliFailure =>
  new CliFailure(
    exitCodes.notFound,
    `no such document in ${projectName}: neither live nor in its ${formatCounted(examined, 'backup')}`,
  );

const restoreFound = async (
  context: Context,
  { client, located, options }: { readonly client: Client; readonly located: Located; readonly options: FindOptions },
): Promise<void> => {
  const { path, candidates, recommended, projectId, projectName, summary } = located;
  if (candidates.length > 0) throw badInput(`several documents have this id: ${candidates.join(', ')}; name one`);
  if (!summary.found || path === null) throw nothing(located);
  if (!recommended) throw new CliFailure(exitCodes.failed, `nothing to restore: every stored state of ${path} is the live one`);
  const { backupId, pointInTime } = recommended;
  const body: RestoreBody = {
    ...(backupId === null ? { projectId, pointInTime: pointInTime ?? undefined } : { backupId }),
    // A backup may have been imported into another project.
    targetProjectId: projectId,
    documentIds: [path],
    options: { includeSubcollections: options.subcollections === true },
  };
  await runPlanned(context, options, {
    title: `${path} ${backupId === null ? `at ${formatTime(pointInTime)}` : `from backup ${backupId}`}\ninto ${projectName} (${projectId})`,
    question: `Restore ${path} into ${projectName}?`,
    targetName: projectName,
    safetyBackup: true,
    plan: async () => client.request('POST /backups/restore', { body: { ...body, options: { ...body.options, dryRun: true } } }),
    start: async (deleteDigest) => {
      const started = await client.request('POST /backups/restore', {
        body: { ...body, options: { ...body.options, deleteDigest } },
      });
      if (!('status' in started)) throw new Error('the service planned instead of restoring');
      return started;
    },
  });
};
