/** `bms search`: documents of a backup by the values of their fields. */
import type { Command } from 'commander';
import { type FoundInParts, searchInParts } from '../../../shared/client/index.ts';
import { formatBytes } from '../../../shared/contract/format-bytes.ts';
import { defineCommand } from '../base/define-command.ts';
import { chooseProjectId } from '../context/choose-project.ts';
import type { Action, Context } from '../context/context.ts';
import { findBackup } from '../context/find-resource.ts';
import { addLimitOptions, type LimitOptions, limitOf } from '../context/take-some.ts';
import { formatCount, formatCounted, formatDuration, formatTime, shellWord } from '../output/format.ts';
import { plainFields, type RestFields } from '../output/plain-value.ts';
import type { Column } from '../output/render-table.ts';
import { summaryOf } from '../texts/contract-text.ts';

interface SearchOptions extends LimitOptions {
  readonly project?: string | undefined;
  readonly backup?: string | undefined;
  readonly collection?: string | undefined;
  readonly dryRun?: boolean | undefined;
}

type Match = FoundInParts['matches'][number];

export const addSearchCommand = (program: Command, action: Action): void => {
  const search = defineCommand(program, {
    name: 'search <query>',
    summary: summaryOf('GET /search'),
    description:
      'The query is a path, an id, a text in double quotes that is looked for in every field, or conditions joined by "and": a field, one of ==, !=, <, <=, >, >=, contains or exists, and a value. Text is in double quotes; numbers, true, false, null, dates (2026-01-31) and paths of documents are not. The newest completed backup of the project is searched, unless --backup names another one. The source is not read.',
    examples: [
      `bms search 'email == "ada@example.com"' --project shop`,
      `bms search 'total > 100 and paid == false' --collection orders --limit 10`,
      `bms search '"Lovelace"' --backup latest --json`,
      `bms search 'total > 100' --dry-run`,
    ],
  })
    .option('--project <project>', 'the project; needed if there are several')
    .option('--backup <backup>', 'a backup by its id, or latest: the newest good one')
    .option('--collection <collection>', 'only the collection with this id or path')
    .option('--dry-run', 'say what the search would read, how long it takes and what it costs');
  addLimitOptions(search).action(
    action(async (context, options: SearchOptions, [q = '']) => {
      const { output } = context;
      const client = await context.client();
      const { projectId, backupId } = await searchedIn(context, options);
      const query = { q, projectId, backupId, collection: options.collection };
      if (options.dryRun) {
        const { plan, ...planned } = await client.request('GET /search', { query: { ...query, dryRun: 'true' } });
        return output.show({ ...planned, plan }, planned.backupId, planDetails(planned, plan));
      }
      const { signal } = context;
      const matchesMax = limitOf(options);
      let total = 0;
      const found = await searchInParts(client, {
        query,
        matchesMax,
        signal,
        onPlan: (plan) => {
          total = plan.documents;
          if (plan.seconds > 5) output.note(`Searching ${planWords(plan)}`);
        },
        onProgress: ({ documents, matches }) =>
          output.progress(
            `\r\u001b[K${percentOf(documents, total)} %, ${formatCounted(documents, 'document')} searched, ${formatCount(matches)} found`,
          ),
      });
      output.progress('\r\u001b[K');
      printFound(context, found);
    }),
  );
};

const searchedIn = async (context: Context, { project, backup }: SearchOptions) => {
  if (backup === undefined) return { projectId: await chooseProjectId(context, project), backupId: undefined };
  const projectId = project === undefined ? undefined : await chooseProjectId(context, project);
  const found = await findBackup(await context.client(), backup, projectId);
  return { projectId: projectId ?? found.projectId, backupId: found.id };
};

const percentOf = (part: number, whole: number): number => Math.min(100, Math.floor((100 * part) / Math.max(1, whole)));

type Plan = FoundInParts['plan'];

const planWords = ({ documents, bytes, seconds, parts, estimatedUsd }: Plan): string =>
  `${formatCounted(documents, 'document')}, ${formatBytes(bytes)}: about ${formatDuration((seconds * 1_000) / parts)}, ${estimatedUsd} USD`;

const planDetails = ({ backupId, readTime, kind }: Pick<FoundInParts, 'backupId' | 'readTime' | 'kind'>, plan: Plan) =>
  [
    ['Backup', backupId],
    ['Of', formatTime(readTime)],
    ['Looks for', { path: 'one path', id: 'an id, in names alone', values: 'values of fields' }[kind]],
    ['Filters', filterWords(plan)],
    ['Documents', `${formatCount(plan.documents)} of ${formatCount(plan.total)}`],
    ['Reads', formatBytes(plan.bytes)],
    ['Takes', `${formatDuration((plan.seconds * 1_000) / plan.parts)}, in ${formatCounted(plan.parts, 'part')} at once`],
    ['Costs', `${plan.estimatedUsd} USD (list prices of AWS; the source is not read)`],
  ] as const;

const filterWords = ({ indexed, fields }: Plan): string => {
  const unnamed = fields.filter(({ named }) => !named).map(({ path }) => path);
  const used = indexed ? 'rule out the other documents' : 'none that this search can use';
  return unnamed.length === 0 ? used : `${used}; bms projects update --search-field names ${unnamed.join(', ')}`;
};

const columns: readonly Column<Match>[] = [
  { title: 'DOCUMENT', value: ({ path }) => path },
  { title: 'CHANGED (UTC)', value: ({ updateTime }) => formatTime(updateTime ?? null) ?? '', optional: 1 },
  {
    title: 'FIELDS',
    value: ({ fields, fieldsTooLarge }) =>
      fieldsTooLarge ? 'too large to show' : JSON.stringify(plainFields((fields ?? {}) as RestFields)),
    flexible: true,
  },
];

const printFound = ({ output }: Context, found: FoundInParts): void => {
  const { matches, scanned, backupId, readTime, isComplete } = found;
  const where = `${backupId}${readTime === null ? '' : ` of ${formatTime(readTime)} UTC`}`;
  output.list(matches, { columns, idOf: ({ path }) => path, empty: `Nothing matches in ${where}`, json: matches });
  if (output.isJson || output.isQuiet) return;
  if (!isComplete) output.note(`Only the first ${formatCount(matches.length)} are listed; --limit or --all lists more`);
  output.note(`Searched ${formatCounted(scanned.documents, 'document')} in ${where}`);
  const [first] = matches;
  if (first) output.note(`Restore one: bms restore ${backupId} --documents ${shellWord(first.path)} --no-subcollections`);
};
