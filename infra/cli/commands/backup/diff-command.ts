/** `bms backup diff`: what changed between a backup and another one, or the live database. */
import { isDeepStrictEqual } from 'node:util';
import type { Command } from 'commander';
import type { DataOf } from '../../../../shared/client/index.ts';
import { escapeName, escapeOutput } from '../../../archive/escape-output.ts';
import { toJson } from '../../../archive/to-json.ts';
import { CliFailure, cliFailureOf } from '../../base/cli-failure.ts';
import { defineCommand } from '../../base/define-command.ts';
import { exitCodes } from '../../base/exit-codes.ts';
import type { Action, Context } from '../../context/context.ts';
import { findBackupId, findRecordId } from '../../context/find-resource.ts';
import { formatCount } from '../../output/format.ts';
import { plainFields, type RestFields } from '../../output/plain-value.ts';
import { fieldOf, summaryOf } from '../../texts/contract-text.ts';

type Diff = DataOf<'GET /backups/{backupId}/diff'>;
type Entry = NonNullable<NonNullable<Diff['document']>['before']>;

interface DiffOptions {
  readonly path?: string | undefined;
  readonly project?: string | undefined;
  readonly limit?: number | undefined;
  readonly exitCode?: boolean | undefined;
}

export const addDiffCommand = (group: Command, action: Action): void => {
  defineCommand(group, {
    name: 'diff <backup> [against]',
    summary: summaryOf('GET /backups/{backupId}/diff'),
    description: 'Without a second backup it is compared with the live database. "added" means: only in the second.',
    examples: [
      'bms backup diff latest',
      'bms backup diff bkp_01JZ8Q bkp_01JZ9R',
      'bms backup diff latest live --path users/ada',
      'bms backup diff latest live --exit-code --quiet || notify',
    ],
  })
    .option('--path <path>', fieldOf('GET /backups/{backupId}/diff', 'path'))
    .option('--exit-code', 'as git: end with 1 if anything differs, 0 if nothing does, 128 instead of 1 if it failed')
    .action(
      action((context, options: DiffOptions, [wanted = '', other = 'live']) =>
        options.exitCode
          ? compare(context, options, [wanted, other]).catch(distinguish)
          : compare(context, options, [wanted, other]),
      ),
    );
};

const compare = async (
  context: Context,
  { path, project, exitCode }: DiffOptions,
  [wanted, other]: readonly [wanted: string, other: string],
): Promise<void> => {
  const client = await context.client();
  const projectId = await findRecordId(client, 'project', project);
  const backupId = await findBackupId(client, wanted, projectId);
  const against = other === 'live' ? other : await findBackupId(client, other, projectId);
  const input = { params: { backupId }, query: { against, path, limit: 100 } };
  let whole: Diff | undefined;
  // Counts grow with each page; the changes of all pages are one list.
  for await (const { data } of client.pages('GET /backups/{backupId}/diff', input)) {
    if (!context.output.isJson && !context.output.isQuiet) printChanges(context, data);
    whole = { ...data, changes: [...(whole?.changes ?? []), ...data.changes] };
  }
  if (!whole) return;
  report(context, whole);
  // The differences are printed: there is nothing more to say.
  if (exitCode && differs(whole)) throw new CliFailure(exitCodes.failed, '');
};

/** With --exit-code, 1 says that something differs: any other failure of that code gets another one, as git has it. */
const distinguish = (error: unknown): never => {
  const { exitCode, message } = cliFailureOf(error);
  throw exitCode === exitCodes.failed && message !== ''
    ? new CliFailure(exitCodes.notCompared, message, { cause: error })
    : error;
};

/** What could not be compared may differ. */
const differs = ({ counts: { added, changed, removed }, document, lacks }: Diff): boolean =>
  added + changed + removed > 0 ||
  lacks !== undefined ||
  (document !== undefined && !isDeepStrictEqual(document?.before?.fields, document?.after?.fields));

const marks = { added: ['+', 'green'], changed: ['~', 'yellow'], removed: ['-', 'red'] } as const;

const printChanges = ({ output }: Context, { changes }: Diff): void => {
  for (const { path, change } of changes) {
    const [mark, style] = marks[change];
    output.line(output.terminal.paint(style, `${mark} ${escapeName(path)}`));
  }
};

const report = ({ output }: Context, diff: Diff): void => {
  if (output.isJson) {
    output.json(diff);
    return;
  }
  if (output.isQuiet) for (const { path } of diff.changes) output.line(escapeName(path));
  if (diff.document && !output.isQuiet) printDocument({ output }, diff.document);
  const { added, changed, removed, unchanged } = diff.counts;
  const counts = `${formatCount(added)} added, ${formatCount(changed)} changed, ${formatCount(removed)} removed`;
  if (!diff.document) output.note(`${counts}, ${formatCount(unchanged)} unchanged${diff.complete ? '' : ' so far'}`);
  if (diff.lacks) output.warn(['not compared completely', ...diff.lacks.collections, diff.lacks.reason].join(': '));
};

/** One line per side of every field that differs. Values are plain, unless only their types differ. */
const printDocument = ({ output }: Pick<Context, 'output'>, { before, after }: NonNullable<Diff['document']>): void => {
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  const [oldPlain, nowPlain] = [plainFields(old), plainFields(now)];
  for (const name of [...new Set([...Object.keys(old), ...Object.keys(now)])].sort()) {
    if (isDeepStrictEqual(old[name], now[name])) continue;
    const isPlain = !isDeepStrictEqual(oldPlain[name], nowPlain[name]);
    const [was, is] = isPlain ? [oldPlain[name], nowPlain[name]] : [old[name], now[name]];
    if (was !== undefined) output.line(output.terminal.paint('red', escapeOutput(`- ${name}: ${toJson(was)}`)));
    if (is !== undefined) output.line(output.terminal.paint('green', escapeOutput(`+ ${name}: ${toJson(is)}`)));
  }
};

const fieldsOf = (entry: Entry | null): RestFields => (entry?.fields ?? {}) as RestFields;
