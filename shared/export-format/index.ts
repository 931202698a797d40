/** Writes documents as NDJSON, CSV, Parquet and in Google's own export format: values in, bytes out. README.md describes the files. */

export { csvLineOf } from './csv-line.ts';
export { CsvTable } from './csv-table.ts';
export { type ExportRow, exportRow } from './export-row.ts';
export { microsecondsOf } from './export-value.ts';
export { GoogleEntity } from './google/google-entity.ts';
export { type GoogleKind, kindExportMetadata, overallExportMetadata } from './google/google-metadata.ts';
export { LevelDbLog } from './google/leveldb-log.ts';
export { ParquetFile } from './parquet-file.ts';
export { plainLine } from './plain-json.ts';
export { TableSchema } from './table-schema.ts';
