import type { ExportRow } from '../export-row.ts';
import { type ExportFiles, type ExportSink, type FileLayout, TableParts } from './export-files.ts';

/** A line for each document, of all collections, in name order. */
export const lineFiles = (sink: ExportSink, layout: FileLayout, lineOf: (row: ExportRow) => string): ExportFiles => {
  const parts = new TableParts(undefined, { sink, layout });
  return {
    add: (row) => {
      parts.append(Buffer.from(`${lineOf(row)}\n`), 1);
      if (parts.isFull) parts.end();
    },
    endLargest: () => parts.end(),
    finish: () => parts.end(),
  };
};
