/** `export`: documents in a format of choice, in name order. Memory is bounded, whatever the size of the backup. */
import { exportRow, plainLine, type ScannedCounts, TableSchemas } from '../../../shared/export-format/index.ts';
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
import { NamedCollections } from './named-collections.ts';
import { openExportFiles } from './open-export-files.ts';
import { type Scan, type ScannedRecord, scanDocuments } from './scan-documents.ts';

export const exportBackup = async (backup: OpenBackup, options: ExportOptions, output: Output): Promise<void> => {
  const { manifest, archive } = backup;
  const { users, format, mask: rules } = options;
  const root = `${manifest.source}/documents`;
  const paths = options.collections.map((path) => innerPath(path, root));
  for (const path of paths)
    if (!isCollectionPath(path)) throw unusable(`--collection ${escapeName(path)}: not a collection path`);
  const mask = rules === undefined ? undefined : ExportMask.read(rules);
  const ranges = scopeOf(paths.length > 0 ? paths : undefined);
  const collections = new NamedCollections(paths);
  const scan: Scan = { ranges, kind: users ? 'user' : 'document', mask, collections };
  const exportAll = isFolderFormat(format) ? exportFolder : exportLines;
  const { found, erased } = await exportAll(backup, { options, scan, output });
  if (archive.isFiltered && !users) note(`${grouped(erased)} erased documents were left out`);
  const { missing } = collections;
  if (missing.length > 0 && !users) note(`not in the backup: ${missing.join(', ')}`);
  note(`exported ${grouped(found)} ${users ? 'users' : 'documents'}`);
  if (!users && manifest.counts.users > 0) note(`${grouped(manifest.counts.users)} users were not exported; use --users`);
};

interface Work {
  readonly options: ExportOptions;
  readonly scan: Scan;
  readonly output: Output;
}

const exportLines = async (backup: OpenBackup, { options, scan, output }: Work): Promise<ScannedCounts> => {
  const row = rowsOf(backup);
  const isPlain = options.format === 'ndjson' && !options.users;
  const counts = await scanDocuments(backup, scan, {
    progress: progressOf(backup, scan, options.users ? 'users' : 'documents'),
    each: (record) => output.line(isPlain ? plainLine(row(record)) : toJson(record.content)),
  });
  if (!options.users) scan.collections.assertFound();
  scan.mask?.assertMatched();
  await output.finish();
  return counts;
};

const exportFolder = async (backup: OpenBackup, { options, scan }: Work): Promise<ScannedCounts> => {
  const { out, force } = options;
  if (out === undefined) throw unusable(`--format ${options.format} needs --out`);
  const folder = new ExportFolder(out, { force });
  try {
    const schemas = await findColumns(backup, { options, scan });
    const files = openExportFiles(folder, { options, schemas, readTime: backup.manifest.readTime });
    const row = rowsOf(backup);
    const counts = await scanDocuments(backup, scan, {
      progress: progressOf(backup, scan, 'documents'),
      each: (record) => files.add(row(record), record.bytes),
    });
    scan.collections.assertFound();
    scan.mask?.assertMatched();
    files.finish();
    folder.finish();
    return counts;
  } catch (error) {
    folder.abort();
    throw error;
  }
};

/** The header of a table comes before its first document, so everything is read twice. */
const findColumns = async (
  backup: OpenBackup,
  { options: { format, columns }, scan }: Pick<Work, 'options' | 'scan'>,
): Promise<TableSchemas> => {
  const schemas = new TableSchemas();
  if (format === 'google' || columns !== undefined) return schemas;
  const row = rowsOf(backup);
  await scanDocuments(backup, scan, {
    progress: progressOf(backup, scan, 'documents read to find the columns'),
    each: (record) => schemas.add(row(record)),
  });
  return schemas;
};

const progressOf = ({ manifest }: OpenBackup, { kind }: Scan, unit: string): Progress =>
  new Progress(unit, kind === 'user' ? manifest.counts.users : manifest.counts.documents);

const rowsOf = ({ manifest }: OpenBackup) => {
  const root = `${manifest.source}/documents`;
  return ({ content }: ScannedRecord) => exportRow(content as RestDocument, root);
};
