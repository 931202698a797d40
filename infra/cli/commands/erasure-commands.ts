/** `bms erasure`: documents that no backup shows any more. */
import type { Command } from 'commander';
import { ApiFailure, type DataOf } from '../../../shared/client/index.ts';
import { escapeName } from '../../archive/escape-output.ts';
import { badInput, CliFailure, cliFailureOf } from '../base/cli-failure.ts';
import { defineCommand, defineGroup } from '../base/define-command.ts';
import { exitCodes } from '../base/exit-codes.ts';
import { chooseProjectId } from '../context/choose-project.ts';
import type { Action, Context } from '../context/context.ts';
import { findRecord } from '../context/find-resource.ts';
import { addLimitOptions, type LimitOptions, pageSize, takeSome } from '../context/take-some.ts';
import { askYesNo } from '../output/ask.ts';
import { erasureColumns, erasureDetails, previewLines } from '../output/erasure-view.ts';
import { fieldOf, summaryOf } from '../texts/contract-text.ts';

type Preview = DataOf<'POST /projects/{projectId}/erasures/preview'>;

interface CreateOptions {
  readonly project?: string | undefined;
  readonly reason?: string | undefined;
  readonly field?: string | undefined;
  readonly value?: string | undefined;
  readonly collection?: string | undefined;
  readonly subcollections: boolean;
  readonly dryRun?: boolean | undefined;
  readonly yes?: boolean | undefined;
}

export const addErasureCommands = (program: Command, action: Action): void => {
  const group = defineGroup(program, {
    name: 'erasure',
    summary: 'Erase documents from all backups of a project (GDPR article 17)',
    description:
      'The backups stay as they are; from then on nothing reads the documents from them. It cannot be undone. An API key needs the scope erasures:write.',
    examples: ['bms erasure create users/ada --project shop --reason "Request 4711"', 'bms erasure ls --project shop'],
  });

  defineCommand(group, {
    name: 'create [paths...]',
    summary: summaryOf('POST /projects/{projectId}/erasures'),
    description:
      'The documents that it would hide in the newest backup are counted and listed, then it asks. --yes neither searches nor asks. --dry-run only searches. Versions in other backups and in captured changes are hidden, too.',
    examples: [
      'bms erasure create --field email --value ada@example.com --project shop --dry-run',
      'bms erasure create users/ada users/bob --project shop --reason "Request 4711"',
      'bms erasure create --field email --value ada@example.com --project shop --reason "Request 4711"',
    ],
  })
    .option('--project <project>', 'the project')
    .option('--reason <text>', `${fieldOf('POST /projects/{projectId}/erasures', 'reason')}; needed unless --dry-run`)
    .option('--field <path>', `${fieldOf('POST /projects/{projectId}/erasures', 'query.field')}; with --value`)
    .option('--value <text>', 'the value: text, or JSON such as 5, true, null or {"timestampValue": "…"}')
    .option('--collection <id>', fieldOf('POST /projects/{projectId}/erasures', 'query.collection'))
    .option('--no-subcollections', 'keep what is below the documents')
    .option('--dry-run', 'only list what the newest backup has of these documents')
    .option('-y, --yes', 'do not ask')
    .action(action(create));

  addLimitOptions(
    defineCommand(group, {
      name: 'ls',
      aliases: ['list'],
      summary: summaryOf('GET /projects/{projectId}/erasures'),
      examples: ['bms erasure ls --project shop'],
    }).option('--project <project>', 'the project'),
  ).action(
    action(async (context, options: LimitOptions & { readonly project?: string }) => {
      const projectId = await projectIdOf(context, options.project);
      const input = { params: { projectId }, query: { limit: pageSize(options) } };
      const found = (await context.client()).list('GET /projects/{projectId}/erasures', input);
      context.output.list(await takeSome(found, options, context.output), {
        columns: erasureColumns,
        idOf: ({ id }) => id,
        empty: 'Nothing was erased',
      });
    }),
  );

  defineCommand(group, {
    name: 'show <erasure>',
    summary: summaryOf('GET /projects/{projectId}/erasures/{erasureId}'),
    examples: ['bms erasure show era_01JZ8Q4V0M6T3X9C2B7N5K1HRD --project shop'],
  })
    .option('--project <project>', 'the project')
    .action(
      action(async (context, options: { readonly project?: string }, [erasureId = '']) => {
        const projectId = await projectIdOf(context, options.project);
        const input = { params: { projectId, erasureId } };
        const erasure = await (await context.client()).request('GET /projects/{projectId}/erasures/{erasureId}', input);
        context.output.show(erasure, erasure.id, erasureDetails(erasure));
      }),
    );
};

const create = async (context: Context, options: CreateOptions, given: readonly string[]): Promise<void> => {
  const { output } = context;
  const { project, reason, dryRun, yes, subcollections: includeSubcollections } = options;
  // A variadic argument arrives as one list.
  const body = { ...named(given.flat(), options), includeSubcollections };
  if (dryRun && yes) throw badInput('--dry-run and --yes exclude each other');
  if (reason === undefined && !dryRun) throw badInput('--reason is needed; --dry-run only looks');
  if (!dryRun && !yes && !output.terminal.isInteractive)
    throw badInput('this cannot be undone: add --yes to confirm, or --dry-run to look; there is no terminal to ask on');
  const client = await context.client();
  const projectId = await projectIdOf(context, project);
  const params = { projectId };
  const preview = (): Promise<Preview> => client.request('POST /projects/{projectId}/erasures/preview', { params, body });
  if (dryRun) return showPreview(context, await preview());
  if (!yes && !(await isConfirmed(context, preview))) throw new CliFailure(exitCodes.failed, 'nothing was erased');
  const erasure = await client.request('POST /projects/{projectId}/erasures', {
    params,
    body: { ...body, reason: reason ?? '' },
  });
  output.show(erasure, erasure.id, erasureDetails(erasure));
};

const showPreview = ({ output }: Context, found: Preview): void => {
  if (output.isJson) output.json(found);
  else for (const line of output.isQuiet ? found.paths.map(escapeName) : previewLines(found)) output.line(line);
};

/** The result is on stdout: what is shown before the question is not. A failed search does not prevent the erasure. */
const isConfirmed = async (context: Context, preview: () => Promise<Preview>): Promise<boolean> => {
  const { output } = context;
  const found = await preview().catch((error: unknown) => {
    if (!isAboutBackup(error)) throw error;
    output.warn(`the newest backup could not be searched: ${cliFailureOf(error).message}`);
    return undefined;
  });
  if (found) for (const line of previewLines(found)) output.note(line);
  return askYesNo(context, 'Erase these documents from all backups? This cannot be undone.');
};

/** Not about the caller or what the caller has given. */
const isAboutBackup = (error: unknown): boolean =>
  error instanceof ApiFailure && (error.status >= 500 || error.status === 409 || error.status === 422);

const projectIdOf = async (context: Context, wanted: string | undefined): Promise<string> =>
  (await findRecord(await context.client(), 'project', wanted ?? (await chooseProjectId(context, undefined)))).id;

const named = (paths: readonly string[], { field, value, collection }: CreateOptions) => {
  if ((field === undefined) !== (value === undefined)) throw badInput('--field and --value belong together');
  if (field === undefined || value === undefined) {
    if (collection !== undefined) throw badInput('--collection belongs to --field');
    if (paths.length === 0) throw badInput('which documents? Give paths such as users/ada, or --field and --value');
    return { paths: [...paths] };
  }
  if (paths.length > 0) throw badInput('Give either paths or --field and --value');
  return { query: { field, value: parseValue(value), ...(collection !== undefined && { collection }) } };
};

/** Text that is no JSON value is a string. */
const parseValue = (text: string): string | number | boolean | null | Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(text);
    // JSON has no exact integers beyond 2^53; Firestore does.
    if (typeof value === 'number' && /^-?\d+$/.test(text.trim()) && !Number.isSafeInteger(value))
      return { integerValue: text.trim() };
    return Array.isArray(value) ? text : (value as Record<string, unknown>);
  } catch {
    return text;
  }
};
