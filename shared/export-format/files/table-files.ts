import { CsvTable } from '../csv-table.ts';
import type { ExportRow } from '../export-row.ts';
import { ParquetFile } from '../parquet-file.ts';
import type { TableSchema } from '../table-schema.ts';
import type { TableSchemas } from '../table-schemas.ts';
import { type ExportFiles, type ExportSink, type FileLayout, largestOf, TableParts } from './export-files.ts';

interface CsvFileOptions {
  readonly layout: FileLayout;
  /** Field paths; undefined: the columns are those of `schemas`. */
  readonly columns?: readonly string[] | undefined;
  /** Texts are not changed, also if a spreadsheet would run them. */
  readonly isExact?: boolean;
  readonly schemas: TableSchemas;
}

interface CsvTableParts {
  readonly table: CsvTable;
  readonly parts: TableParts;
}

/** Files for each id of collections, each with a header. Throws a TypeError that names a wrong column. */
export const csvFiles = (sink: ExportSink, { layout, columns, isExact = false, schemas }: CsvFileOptions): ExportFiles => {
  const tables = new Map<string, CsvTableParts>();
  const given = columns && CsvTable.ofPaths(columns, { isExact });
  const open = ({ collectionId }: ExportRow): CsvTableParts => {
    const table = given ?? CsvTable.ofSchema(schemas.of(collectionId), { isExact });
    const opened = { table, parts: new TableParts(collectionId, { sink, layout }) };
    tables.set(collectionId, opened);
    return opened;
  };
  return {
    add: (row) => {
      const { table, parts } = tables.get(row.collectionId) ?? open(row);
      if (!parts.isOpen) parts.append(Buffer.from(table.header), 0);
      parts.append(Buffer.from(table.line(row)), 1);
      if (parts.isFull) parts.end();
    },
    endLargest: () => largestOf(tables.values())?.parts.end(),
    finish: () => {
      for (const { parts } of tables.values()) parts.end();
    },
  };
};

interface ParquetOptions {
  readonly layout: FileLayout;
  readonly schemas: TableSchemas;
  /** Bytes of documents in memory, in all tables: the largest one becomes a row group then. */
  readonly waitingBytesMax?: number;
}

const usualWaitingBytes = 16 << 20;

interface ParquetTable {
  readonly schema: TableSchema;
  readonly parts: TableParts;
  /** Undefined until the first document of a part. */
  file: ParquetFile | undefined;
  rows: number;
  waiting: number;
}

/** Files for each id of collections: each has the documents of one range of names. */
export const parquetFiles = (
  sink: ExportSink,
  { layout, schemas, waitingBytesMax = usualWaitingBytes }: ParquetOptions,
): ExportFiles => {
  const tables = new Map<string, ParquetTable>();
  let waiting = 0;
  const open = (collectionId: string): ParquetTable => {
    const parts = new TableParts(collectionId, { sink, layout });
    const table: ParquetTable = { schema: schemas.of(collectionId), parts, file: undefined, rows: 0, waiting: 0 };
    tables.set(collectionId, table);
    return table;
  };
  const append = (table: ParquetTable, bytes: Buffer): void => {
    waiting -= table.waiting;
    table.parts.append(bytes, table.rows);
    Object.assign(table, { rows: 0, waiting: 0 });
  };
  const end = (table: ParquetTable): void => {
    if (!table.file) return;
    append(table, table.file.finish());
    table.file = undefined;
    table.parts.end();
  };
  const endRowGroup = (table: ParquetTable): void => {
    if (table.file) append(table, table.file.takeRowGroup());
    if (table.parts.isFull) end(table);
  };
  return {
    add: (row, bytes) => {
      const table = tables.get(row.collectionId) ?? open(row.collectionId);
      table.file ??= new ParquetFile(table.schema);
      table.file.add(row);
      table.rows += 1;
      table.waiting += bytes;
      waiting += bytes;
      if (waiting < waitingBytesMax) return;
      endRowGroup([...tables.values()].reduce((largest, one) => (one.waiting > largest.waiting ? one : largest)));
    },
    endLargest: () => {
      const largest = largestOf(tables.values());
      if (largest) end(largest);
    },
    finish: () => {
      for (const table of tables.values()) end(table);
    },
  };
};
