import {
  csvFiles,
  type ExportFiles,
  type ExportSink,
  type FileNames,
  googleFiles,
  googleKindFolder,
  lineFiles,
  parquetFiles,
  plainLine,
  type TableSchemas,
  typedLine,
} from '../../export-format/index.ts';
import type { ExportRecord } from '../model/record.ts';

interface ShardFiles {
  readonly record: Pick<ExportRecord, 'format' | 'columns' | 'exactText'>;
  readonly shard: number;
  readonly names: FileNames;
  readonly schemas: TableSchemas;
  readonly fileBytes: number;
}

/** Numbers with so many digits sort as texts. */
const digits = (number: number): string => String(number).padStart(5, '0');

/** The files of a range. Their names follow from the backup alone, so that a repeated run stores the same objects again. */
export const openShardFiles = (
  sink: ExportSink,
  { record: { format, columns, exactText }, shard, names, schemas, fileBytes: bytesMax }: ShardFiles,
): ExportFiles => {
  const part = (number: number): string => `part-${digits(shard + 1)}${number === 1 ? '' : `-${digits(number)}`}`;
  const inFolder = (extension: string) => (id: string | undefined, number: number) =>
    `${names.of(id ?? '')}/${part(number)}.${extension}`;
  switch (format) {
    case 'ndjson':
    case 'ndjson-typed': {
      const nameOf = (_: string | undefined, number: number): string => `${part(number)}.ndjson`;
      return lineFiles(sink, { nameOf, bytesMax }, format === 'ndjson' ? plainLine : typedLine);
    }
    case 'csv':
      return csvFiles(sink, {
        layout: { nameOf: inFolder('csv'), bytesMax },
        columns: columns ?? undefined,
        isExact: exactText,
        schemas,
      });
    case 'parquet':
      return parquetFiles(sink, { layout: { nameOf: inFolder('parquet'), bytesMax }, schemas });
    case 'google': {
      // Importers take the names from the metadata; those of Google are numbers, too.
      const nameOf = (id = '', number: number): string =>
        `${googleKindFolder(names, id)}/output-${shard}${number === 1 ? '' : `-${number}`}`;
      return googleFiles(sink, { layout: { nameOf, bytesMax } });
    }
  }
};
