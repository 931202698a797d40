/** `export`: documents in a format of choice, in name order. Memory is bounded, whatever the size of the backup. */
import { exportRow, microsecondsOf, plainLine } from '../../../shared/export-format/index.ts';
import { isCollectionPath, type RestDocument, scopeOf } from '../../../shared/firestore/index.ts';
import { escapeName } from '../escape-output.ts';
import { unusable } from '../failure.ts';
import { innerPath } from '../list.ts';
import type { OpenBackup } from '../open-backup.ts';
import { grouped, note, type Output, Progress } from '../output.ts';
import { toJson } from '../to-json.ts';
import { ExportFolder } from './export-folder.ts';
import { ExportMask } from './export-mask.ts';
import { type ExportOptions, isFolderFormat } from './export-options.ts';
import { googleFiles } from './google-files.ts';
import { type Scan, type ScannedRecord, scanRecords } from './scan-documents.ts';
import { csvFiles, type ExportFiles, parquetFiles, TableSchemas } from './table-files.ts';

export const exportBackup = async (backup: OpenBackup, options: ExportOptions, output: Output): Promise<void> => {
  const { manifest, archive } = backup;
  const { users, format, mask: rules } = options;
  const root = `${manifest.source}/documents`;
  const paths = options.collections.map((path) => innerPath(path, root));
  for (const path of paths)
    if (!isCollectionPath(path)) throw unusable(`--collection ${escapeName(path)}: not a collection path`);
  const mask = rules === undefined ? undefined : ExportMask.read(rules);
  const scan: Scan = { ranges: scopeOf(paths.length > 0 ? paths : undefined), users, mask };
  const exportAll = isFolderFormat(format) ? exportFolder : exportLines;
  const { found, erased } = await exportAll(backup, { options, scan, output });
  if (archive.isFiltered && !users) note(`${grouped(erased)} erased documents were left out`);
  note(`exported ${grouped(found)} ${users ? 'users' : 'documents'}`);
  if (!users && manifest.counts.users > 0) note(`${grouped(manifest.counts.users)} users were not exported; use --users`);
};

interface Work {
  readonly options: ExportOptions;
  readonly scan: Scan;
  readonly output: Output;
}

type Counts = Awaited<ReturnType<typeof scanRecords>>;

const exportLines = async (backup: OpenBackup, { options, scan, output }: Work): Promise<Counts> => {
  const row = rowsOf(backup);
  const isPlain = options.format === 'ndjson' && !options.users;
  const counts = await scanRecords(backup, scan, {
    progress: progressOf(backup, scan, scan.users ? 'users' : 'documents'),
    each: (record) => output.line(isPlain ? plainLine(row(record)) : toJson(record.content)),
  });
  scan.mask?.assertMatched();
  await output.finish();
  return counts;
};

const exportFolder = async (backup: OpenBackup, { options, scan }: Work): Promise<Counts> => {
  const { out, force } = options;
  if (out === undefined) throw unusable(`--format ${options.format} needs --out`);
  const folder = new ExportFolder(out, { force });
  try {
    const files = await openFiles(backup, folder, { options, scan });
    const row = rowsOf(backup);
    const counts = await scanRecords(backup, scan, {
      progress: progressOf(backup, scan, 'documents'),
      each: (record) => files.add(row(record), record.bytes),
    });
    scan.mask?.assertMatched();
    files.finish();
    folder.finish();
    return counts;
  } catch (error) {
    folder.abort();
    throw error;
  }
};

const openFiles = async (
  backup: OpenBackup,
  folder: ExportFolder,
  { options, scan }: Pick<Work, 'options' | 'scan'>,
): Promise<ExportFiles> => {
  const { format, columns } = options;
  if (format === 'google') return googleFiles(folder, microsecondsOf(backup.manifest.readTime));
  const schemas = new TableSchemas();
  // The header of a table comes before its first document, so everything is read twice.
  if (columns === undefined) {
    const row = rowsOf(backup);
    await scanRecords(backup, scan, {
      progress: progressOf(backup, scan, 'documents read to find the columns'),
      each: (record) => schemas.add(row(record)),
    });
  }
  return format === 'csv' ? csvFiles(folder, options, schemas) : parquetFiles(folder, schemas);
};

const progressOf = ({ manifest }: OpenBackup, { users }: Scan, unit: string): Progress =>
  new Progress(unit, users ? manifest.counts.users : manifest.counts.documents);

const rowsOf = ({ manifest }: OpenBackup) => {
  const root = `${manifest.source}/documents`;
  return ({ content }: ScannedRecord) => exportRow(content as RestDocument, root);
};
