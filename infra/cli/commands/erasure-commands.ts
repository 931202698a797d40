/** `bms erasure`: documents that no backup shows any more. */
import type { Command } from 'commander';
import type { DataOf } from '../../../shared/client/index.ts';
import { badInput, CliFailure } from '../base/cli-failure.ts';
import { defineCommand, defineGroup } from '../base/define-command.ts';
import { exitCodes } from '../base/exit-codes.ts';
import { chooseProjectId } from '../context/choose-project.ts';
import type { Action, Context } from '../context/context.ts';
import { findRecord } from '../context/find-resource.ts';
import { addLimitOptions, type LimitOptions, pageSize, takeSome } from '../context/take-some.ts';
import { askYesNo } from '../output/ask.ts';
import { formatCount, formatCounted, formatMinute, formatTime } from '../output/format.ts';
import type { Detail } from '../output/output.ts';
import type { Column } from '../output/render-table.ts';
import { statusStyle } from '../output/status-style.ts';
import { fieldOf, summaryOf } from '../texts/contract-text.ts';

type Erasure = DataOf<'GET /projects/{projectId}/erasures/{erasureId}'>;

interface CreateOptions {
  readonly project?: string | undefined;
  readonly reason: string;
  readonly field?: string | undefined;
  readonly value?: string | undefined;
  readonly collection?: string | undefined;
  readonly subcollections: boolean;
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
    examples: [
      'bms erasure create users/ada users/bob --project shop --reason "Request 4711"',
      'bms erasure create --field email --value ada@example.com --project shop --reason "Request 4711"',
    ],
  })
    .option('--project <project>', 'the project')
    .requiredOption('--reason <text>', fieldOf('POST /projects/{projectId}/erasures', 'reason'))
    .option('--field <path>', `${fieldOf('POST /projects/{projectId}/erasures', 'query.field')}; with --value`)
    .option('--value <text>', 'the value: text, or JSON such as 5, true, null or {"timestampValue": "…"}')
    .option('--collection <id>', fieldOf('POST /projects/{projectId}/erasures', 'query.collection'))
    .option('--no-subcollections', 'keep what is below the documents')
    .option('-y, --yes', 'do not ask')
    .action(
      action(async (context, options: CreateOptions, [...given]) => {
        // A variadic argument arrives as one list.
        const paths = given.flat();
        const client = await context.client();
        const projectId = await projectIdOf(context, options.project);
        const body = { ...named(paths, options), includeSubcollections: options.subcollections, reason: options.reason };
        if (!options.yes && !(await askYesNo(context, 'Erase these documents from all backups? This cannot be undone.')))
          throw new CliFailure(exitCodes.failed, 'nothing was erased');
        const erasure = await client.request('POST /projects/{projectId}/erasures', { params: { projectId }, body });
        context.output.show(erasure, erasure.id, erasureDetails(erasure));
      }),
    );

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

const whatOf = ({ query, pathCount }: Pick<Erasure, 'query' | 'pathCount'>): string =>
  query ? `${query.collection ?? '*'}.${query.field} = …` : formatCounted(pathCount, 'path');

export const erasureColumns: readonly Column<Erasure>[] = [
  { title: 'ERASURE', value: ({ id }) => id },
  { title: 'CREATED (UTC)', value: ({ createdAt }) => formatMinute(createdAt), optional: 2 },
  { title: 'STATUS', value: ({ status }) => status, style: ({ status }) => statusStyle(status) },
  { title: 'WHAT', value: whatOf, flexible: true },
  { title: 'REASON', value: ({ reason }) => reason, flexible: true, optional: 1 },
];

const erasureDetails = (erasure: Erasure): readonly Detail[] => [
  ['Erasure', erasure.id],
  ['Status', erasure.status, statusStyle(erasure.status)],
  ['What', whatOf(erasure)],
  ['Subcollections', erasure.includeSubcollections ? 'included' : 'kept'],
  ['Reason', erasure.reason],
  ['Documents found', erasure.documentsFound === null ? 'searching' : formatCount(erasure.documentsFound)],
  ['Last held by', erasure.lastHeldBackupId],
  ['Expired', formatTime(erasure.expiredAt)],
  ['Copies beside the backups', erasure.copies],
  ['Created', formatTime(erasure.createdAt)],
  ['Created by', erasure.createdBy?.email ?? erasure.createdBy?.type],
];
