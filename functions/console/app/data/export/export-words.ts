/** What the formats and phases of an export mean, in words. */
import type { DataOf } from '../../../../../shared/client/index.ts';

type ExportJob = DataOf<'GET /exports/{exportId}'>;

export type ExportFormat = ExportJob['format'];

interface FormatWords {
  readonly name: string;
  readonly what: string;
}

/** In the order in which they are offered. */
export const formatWords: Readonly<Record<ExportFormat, FormatWords>> = {
  ndjson: { name: 'NDJSON', what: 'Plain JSON with one document per line, for jq, DuckDB and BigQuery.' },
  'ndjson-typed': {
    name: 'NDJSON, typed',
    what: 'Firestore’s own JSON with one document per line, which keeps the exact type of every value.',
  },
  csv: { name: 'CSV', what: 'A table for each collection id, for spreadsheets and pandas.' },
  parquet: { name: 'Parquet', what: 'A table with typed columns for each collection id, for DuckDB, Spark and BigQuery.' },
  google: {
    name: 'Google’s export format',
    what: 'The files of a managed export, for the Firebase emulator, gcloud and BigQuery.',
  },
};

export const exportFormats = Object.keys(formatWords) as readonly ExportFormat[];

/** In place of the id of a storage destination: the files are only to be downloaded. */
export const downloadChoice = 'download';

/** In the order of the phases. */
export const exportPhaseWords: Readonly<Record<ExportJob['phase'], string>> = {
  queued: 'Waiting to begin',
  building: 'Building the backup of the moment',
  planning: 'Dividing the work',
  reading: 'Finding the columns',
  writing: 'Writing files',
  finishing: 'Checking what was stored',
  finished: 'Done',
};

/** The phases that an export has: only that of a moment builds a backup, and only tables without given columns find them. */
export const phasesOf = ({
  pointInTime,
  format,
  columns,
}: Pick<ExportJob, 'pointInTime' | 'format' | 'columns'>): readonly ExportJob['phase'][] => [
  'queued',
  ...(pointInTime === null ? [] : (['building'] as const)),
  'planning',
  ...(format === 'parquet' || (format === 'csv' && columns === null) ? (['reading'] as const) : []),
  'writing',
  'finishing',
];

/** What is exported, in a few words. */
export const exportScope = ({ collections }: Pick<ExportJob, 'collections'>): string => {
  const [first = '*', ...others] = collections;
  if (collections.includes('*') || collections.length === 0) return 'Everything';
  return others.length === 0 ? first : `${first} and ${others.length} more`;
};

/** What to do about a failed export, by the code of its error. `{again}` is how. */
const advices: Readonly<Record<string, string>> = {
  STORAGE_UPLOAD_ERROR: 'Check that the bucket of the destination accepts objects, then {again}.',
  STORAGE_READ_ERROR: 'Check that the bucket of the backup can be read, then {again}.',
  COLLECTION_NOT_FOUND: 'Check the names of the collections, or choose an older backup.',
  TRANSFORM_INVALID: 'Correct the rules that mask the documents, then {again}.',
  CHUNK_CORRUPT: 'The backup is damaged. Verify it, and export another one.',
  KEY_UNAVAILABLE: 'Make the key of the backup available again, then {again}.',
  CONFLICT: 'Choose another point in time, or a backup.',
  BACKUP_NOT_FOUND: 'The backup was deleted meanwhile. Choose another one.',
};

export const exportAdvice = (code: string, { isResumable }: { readonly isResumable: boolean }): string =>
  (advices[code] ?? (isResumable ? 'Resume it.' : 'Export again.')).replace(
    '{again}',
    isResumable ? 'resume it' : 'export again',
  );
