/** Writes documents as NDJSON, CSV, Parquet and in Google's own export format: values in, bytes out. README.md describes the files. */

export { csvLineOf } from './csv-line.ts';
export { CsvTable } from './csv-table.ts';
export { type ExportRow, exportRow, typedLine } from './export-row.ts';
export { microsecondsOf } from './export-value.ts';
export type { EndedPart, ExportFiles, ExportSink, FileLayout } from './files/export-files.ts';
export { FileNames } from './files/file-names.ts';
export {
  type GoogleOutputs,
  googleFiles,
  googleKindFolder,
  googleMetadataFiles,
  UnexportableError,
} from './files/google-files.ts';
export { lineFiles } from './files/line-files.ts';
export { csvFiles, parquetFiles } from './files/table-files.ts';
export { GoogleEntity } from './google/google-entity.ts';
export { type GoogleKind, kindExportMetadata, overallExportMetadata } from './google/google-metadata.ts';
export { LevelDbLog } from './google/leveldb-log.ts';
export { ParquetFile } from './parquet-file.ts';
export { plainLine } from './plain-json.ts';
export { type RecordScan, type ScannedCounts, type ScannedSlot, scanRecords } from './scan-records.ts';
export { TableSchema } from './table-schema.ts';
export { type FoundTable, TableSchemas } from './table-schemas.ts';
