/** Formats of `export`. The last three are folders with several files. */
export const exportFormats = ['ndjson-typed', 'ndjson', 'csv', 'parquet', 'google'] as const;
export type ExportFormat = (typeof exportFormats)[number];
export const isFolderFormat = (format: ExportFormat): boolean => format === 'csv' || format === 'parquet' || format === 'google';

export interface ExportOptions {
  /** Collection paths, each including everything below it; empty means everything. */
  readonly collections: readonly string[];
  /** Firebase Authentication users instead of documents. */
  readonly users: boolean;
  readonly format: ExportFormat;
  /** Field paths of CSV; undefined: the columns are found in the data. */
  readonly columns: readonly string[] | undefined;
  /** Texts of CSV are not changed, also if a spreadsheet would run them. */
  readonly exactText: boolean;
  /** File with the rules that mask documents. */
  readonly mask: string | undefined;
  /** The file, or the folder, that the export becomes. */
  readonly out: string | undefined;
  /** Replaces what an export left that did not end. */
  readonly force: boolean;
}
