/** `bms history`: how one document changed, and what gets each state back. */
import type { Command } from 'commander';
import { documentHistory, type FieldChange, type HistoryEntry } from '../../../shared/client/index.ts';
import { badInput, CliFailure } from '../base/cli-failure.ts';
import { defineCommand } from '../base/define-command.ts';
import { exitCodes } from '../base/exit-codes.ts';
import { parsePositive } from '../base/parse-values.ts';
import type { Action } from '../context/context.ts';
import { locate } from '../context/locate-document.ts';
import { formatCounted, formatTime, shellWord } from '../output/format.ts';
import { plainValue } from '../output/plain-value.ts';
import type { Column } from '../output/render-table.ts';

interface HistoryOptions {
  readonly project?: string | undefined;
  readonly limit?: number | undefined;
}

export const addHistoryCommand = (program: Command, action: Action): void => {
  defineCommand(program, {
    name: 'history <document>',
    summary: 'Show every state of a document that backups, captured changes and the live database have',
    description:
      'The document is a path (users/ada), an id, a resource name, or the address of the document in the console of Google Cloud or Firebase. Says what changed in each state, and what restores it. All backups are examined, newest first, unless --limit states are found earlier. A time with ~ is that of the first backup that saw the state.',
    examples: ['bms history users/ada --project shop', 'bms history users/ada --limit 5', 'bms history users/ada --json'],
  })
    .option('--project <project>', 'the project; needed if there are several and the address names none')
    .option('--limit <number>', 'only so many states, the newest', parsePositive)
    .action(
      action(async (context, { project, limit }: HistoryOptions, [pasted = '']) => {
        const { output } = context;
        // The oldest state that is known may change with what is found behind it.
        const isEnough = (located: Parameters<typeof documentHistory>[0]): boolean =>
          limit !== undefined && documentHistory(located).length > limit;
        const { located } = await locate(context, { pasted, project, isEnough });
        const { candidates, path, projectName, moments } = located;
        if (candidates.length > 0) throw badInput(`several documents have this id: ${candidates.join(', ')}; name one`);
        const entries = documentHistory(located).slice(0, limit);
        if (path === null || entries.length === 0)
          throw new CliFailure(exitCodes.notFound, `no state of such a document is known in ${projectName}`);
        output.list(entries.flatMap(rowsOf), { columns, idOf: ({ entry }) => entry.at, empty: '', json: entries });
        if (output.isJson || output.isQuiet) return;
        if (moments?.message) output.warn(`captured changes: ${moments.message}`);
        const from = entries.find(({ source, isLive }) => source && !isLive);
        if (from)
          output.note(`Restore a state: bms restore ${sourceOf(from)} --documents ${shellWord(path)} --no-subcollections`);
      }),
    );
};

/** The first row of a state, and one for each of its other changes. */
interface Row {
  readonly entry: HistoryEntry;
  readonly isFirst: boolean;
  readonly change: FieldChange | undefined;
}

const rowsOf = (entry: HistoryEntry): readonly Row[] => {
  const changes = entry.changes?.length ? entry.changes : [undefined];
  return changes.map((change, n) => ({ entry, change, isFirst: n === 0 }));
};

const columns: readonly Column<Row>[] = [
  { title: 'TIME (UTC)', value: ({ entry, isFirst }) => (isFirst ? `${entry.isExact ? '' : '~'}${formatTime(entry.at)}` : ' ') },
  {
    title: 'CHANGE',
    value: ({ entry, isFirst }) => (isFirst ? changeWords[entry.change] : ' '),
    style: ({ entry }) => (entry.change === 'deleted' ? 'red' : entry.isLive ? 'green' : undefined),
  },
  { title: 'FIELDS', value: ({ entry, change }) => fieldWords(entry, change), flexible: true },
  { title: 'RESTORE FROM', value: ({ entry, isFirst }) => (isFirst ? sourceOf(entry) : ' ') },
];

const changeWords = { first: 'oldest known', created: 'created', changed: 'changed', deleted: 'deleted' } as const;

const fieldWords = ({ change: of, changes, document }: HistoryEntry, change: FieldChange | undefined): string => {
  if (change) {
    const [before, after] = [change.before, change.after].map((value) => value && JSON.stringify(plainValue(value)));
    if (change.change === 'changed') return `${change.path}: ${before} -> ${after}`;
    return change.change === 'added' ? `+ ${change.path}: ${after}` : `- ${change.path}: ${before}`;
  }
  if (of === 'deleted') return '';
  if (changes) return 'written again, without a difference';
  return document?.fields ? formatCounted(Object.keys(document.fields).length, 'field') : 'not shown: too old or too large';
};

const sourceOf = ({ source, isLive }: HistoryEntry): string => {
  if (isLive) return 'live now';
  if (!source) return '';
  return source.backupId ?? `--at ${source.pointInTime} --project ${source.projectId}`;
};
