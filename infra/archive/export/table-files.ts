import { CsvTable, type ExportRow, ParquetFile, TableSchema } from '../../../shared/export-format/index.ts';
import { unusable } from '../failure.ts';
import { type ExportFolder, FileNames } from './export-folder.ts';
import type { ExportOptions } from './export-options.ts';

/** Takes documents in name order and writes them into files of a folder. */
export interface ExportFiles {
  /** `bytes`: the size of the document in the backup. */
  add(row: ExportRow, bytes: number): void;
  finish(): void;
}

/** The columns of each table, by the id of its collections. */
export class TableSchemas {
  readonly #schemas = new Map<string, TableSchema>();

  add({ collectionId, fields }: ExportRow): void {
    this.of(collectionId).add(fields);
  }

  of(collectionId: string): TableSchema {
    const schema = this.#schemas.get(collectionId) ?? new TableSchema();
    this.#schemas.set(collectionId, schema);
    return schema;
  }
}

/** One file for each id of collections: `users.csv`. */
export const csvFiles = (
  folder: ExportFolder,
  { columns, exactText }: Pick<ExportOptions, 'columns' | 'exactText'>,
  schemas: TableSchemas,
): ExportFiles => {
  const names = new FileNames();
  const tables = new Map<string, CsvTable>();
  const options = { isExact: exactText };
  const given = columns && ofPaths(columns, options);
  const open = ({ collectionId }: ExportRow): CsvTable => {
    const table = given ?? CsvTable.ofSchema(schemas.of(collectionId), options);
    tables.set(collectionId, table);
    folder.append(`${names.of(collectionId)}.csv`, Buffer.from(table.header));
    return table;
  };
  return {
    add: (row) => {
      const table = tables.get(row.collectionId) ?? open(row);
      folder.append(`${names.of(row.collectionId)}.csv`, Buffer.from(table.line(row)));
    },
    finish: () => undefined,
  };
};

const ofPaths = (columns: readonly string[], options: { readonly isExact: boolean }): CsvTable => {
  try {
    return CsvTable.ofPaths(columns, options);
  } catch (error) {
    throw unusable(`--columns: ${(error as Error).message}`, error);
  }
};

const parquetLimits = {
  /** Documents in memory, in all tables: the largest one becomes a row group then. */
  waitingBytes: 16 << 20,
  /** A file becomes so large, and then the next one begins: each has the documents of one range of names. */
  fileBytes: 256 << 20,
};

interface ParquetTable {
  readonly name: string;
  readonly schema: TableSchema;
  file: ParquetFile;
  number: number;
  /** Of the current file. */
  size: number;
  waiting: number;
}

/** A folder for each id of collections: `users/part-00001.parquet`. */
export const parquetFiles = (folder: ExportFolder, schemas: TableSchemas, limits = parquetLimits): ExportFiles => {
  const names = new FileNames();
  const tables = new Map<string, ParquetTable>();
  let waiting = 0;
  const open = (collectionId: string): ParquetTable => {
    const schema = schemas.of(collectionId);
    const table = { name: names.of(collectionId), schema, file: new ParquetFile(schema), number: 1, size: 0, waiting: 0 };
    tables.set(collectionId, table);
    return table;
  };
  const append = (table: ParquetTable, bytes: Buffer): void => {
    folder.append(`${table.name}/part-${String(table.number).padStart(5, '0')}.parquet`, bytes);
    table.size += bytes.length;
  };
  const endRowGroup = (table: ParquetTable): void => {
    append(table, table.file.takeRowGroup());
    waiting -= table.waiting;
    table.waiting = 0;
    if (table.size < limits.fileBytes) return;
    append(table, table.file.finish());
    Object.assign(table, { file: new ParquetFile(table.schema), number: table.number + 1, size: 0 });
  };
  return {
    add: (row, bytes) => {
      const table = tables.get(row.collectionId) ?? open(row.collectionId);
      table.file.add(row);
      table.waiting += bytes;
      waiting += bytes;
      if (waiting < limits.waitingBytes) return;
      endRowGroup([...tables.values()].reduce((largest, one) => (one.waiting > largest.waiting ? one : largest)));
    },
    finish: () => {
      // A file that has just begun is not written, unless it is the only one.
      for (const table of tables.values())
        if (table.number === 1 || table.size + table.waiting > 0) append(table, table.file.finish());
    },
  };
};
