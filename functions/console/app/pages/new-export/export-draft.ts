/** The form of an export: what it begins with, and the request it makes. */
import type { InputOf } from '../../../../../shared/client/index.ts';
import { downloadChoice, type ExportFormat, exportFormats } from '../../data/export/export-words.ts';
import { describeFailure, isOfField } from '../../format/describe-failure.ts';
import { sentence } from '../../format/sentence.ts';
import { isIncomplete, type MaskRule } from '../../parts/mask/mask-rules.ts';
import { hasSource, type SourceChoice } from '../../parts/source/source-choice.ts';
import { lostRules } from '../../paths.ts';
import { listOf } from '../../search-text.ts';

type ExportBody = NonNullable<InputOf<'POST /exports'>['body']>;

export interface ExportDraft extends SourceChoice {
  readonly scope: 'all' | 'collections';
  readonly collections: readonly string[];
  /** Of another collection: typed, but not added yet. */
  readonly typed: string;
  readonly format: ExportFormat;
  /** One per line; none finds them in the data. */
  readonly columns: string;
  readonly exactText: boolean;
  /** Empty: where the backup is stored; `download`: there, but only to be downloaded. */
  readonly storageId: string;
  /** Public keys, one per line; none: the files are not encrypted. */
  readonly recipients: string;
  /** Days; empty: the files stay. */
  readonly retention: string;
  readonly rules: readonly MaskRule[];
  readonly allowUnmatched: boolean;
  /** The export that is repeated was masked, and the person has not said yet how this one is. */
  readonly areRulesLost: boolean;
}

/** Values of the address may be of any type and content. */
export const draftOf = (search: Readonly<Record<string, unknown>>): ExportDraft => {
  const text = (name: string): string | undefined => {
    const value = search[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const pointInTime = text('pointInTime');
  const at = pointInTime === undefined || Number.isNaN(Date.parse(pointInTime)) ? undefined : pointInTime;
  const collections = listOf(text('collections'));
  const backupId = text('backupId');
  return {
    kind: backupId === undefined && at !== undefined ? 'moment' : 'backup',
    backupId,
    projectId: backupId === undefined ? text('projectId') : undefined,
    at: backupId === undefined ? at : undefined,
    scope: collections.length > 0 ? 'collections' : 'all',
    collections,
    typed: '',
    format: exportFormats.find((one) => one === search.format) ?? 'ndjson',
    columns: listOf(text('columns')).join('\n'),
    exactText: search.exactText === 'yes',
    storageId: text('storageId') ?? '',
    recipients: listOf(text('recipients')).join('\n'),
    retention: text('retention') ?? '',
    rules: [],
    allowUnmatched: false,
    areRulesLost: search.mask === lostRules,
  };
};

/** Why there can be no plan yet; undefined if there can. */
export const missingIn = (draft: ExportDraft): string | undefined => {
  if (!hasSource(draft)) return 'Choose a backup or a point in time first';
  if (draft.scope === 'collections' && draft.typed !== '') return 'Add or clear the collection you typed first';
  if (draft.scope === 'collections' && draft.collections.length === 0) return 'Name at least one collection first';
  if (draft.areRulesLost) return 'Say first whether this export is masked';
  if (draft.rules.some(isIncomplete)) return 'Fill in the collection and the field of every rule first';
  return undefined;
};

const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);

/** The request, without dryRun. */
export const bodyOf = (draft: ExportDraft): ExportBody => {
  const { backupId, projectId, at, scope, collections, format, exactText, storageId, retention, rules, allowUnmatched } = draft;
  const [columns, recipients] = [linesOf(draft.columns), linesOf(draft.recipients)];
  return {
    ...(backupId === undefined ? { projectId, pointInTime: at } : { backupId }),
    ...(scope === 'collections' && { collections: [...collections] }),
    format,
    ...(format === 'csv' && columns.length > 0 && { columns: [...columns] }),
    ...(format === 'csv' && exactText && { exactText }),
    ...(storageId === downloadChoice ? { download: true } : storageId !== '' && { storageDestinationId: storageId }),
    ...(recipients.length > 0 && { recipients: [...recipients] }),
    ...(retention !== '' && { retention: Number(retention) }),
    ...(rules.length > 0 && { transform: { rules, allowUnmatched } }),
  };
};

/** What is wrong with a field of lines, beginning with the line that the service names by its position. */
export const lineError = (
  error: unknown,
  { field, lines }: { readonly field: 'columns' | 'recipients'; readonly lines: string },
): string | undefined => {
  if (!error) return undefined;
  const problem = describeFailure(error).fields.find((each) => isOfField(each, field));
  const position = new RegExp(`^${field}\\.(\\d+)$`).exec(problem?.field ?? '')?.[1];
  const line = position === undefined ? undefined : linesOf(lines)[Number(position)];
  if (!problem) return undefined;
  return line === undefined ? sentence(problem.reason) : `${line} ${problem.reason}.`;
};
