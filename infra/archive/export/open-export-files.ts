import {
  csvFiles,
  type ExportFiles,
  FileNames,
  type GoogleOutputs,
  googleFiles,
  googleKindFolder,
  googleMetadataFiles,
  microsecondsOf,
  parquetFiles,
  type TableSchemas,
  UnexportableError,
} from '../../../shared/export-format/index.ts';
import { escapeName } from '../escape-output.ts';
import { unusable } from '../failure.ts';
import type { ExportFolder } from './export-folder.ts';
import type { ExportOptions } from './export-options.ts';

interface FolderFiles {
  readonly options: ExportOptions;
  readonly schemas: TableSchemas;
  /** The moment of the backup. */
  readonly readTime: string;
}

/** A file ends after so much, and then the next one begins: imports read several at once. */
const fileBytes = 256 << 20;
/** Documents of a row group of Parquet. They are in memory several times while it is written. */
const waitingBytesMax = 8 << 20;

/** The files of a format in a folder. */
export const openExportFiles = (folder: ExportFolder, { options, schemas, readTime }: FolderFiles): ExportFiles => {
  const names = new FileNames();
  const of = (collectionId = ''): string => names.of(collectionId);
  if (options.format === 'google') return googleFolder(folder, { names, readTime });
  if (options.format === 'parquet') {
    const nameOf = (id: string | undefined, part: number) => `${of(id)}/part-${String(part).padStart(5, '0')}.parquet`;
    return parquetFiles(folder, { schemas, layout: { nameOf, bytesMax: fileBytes }, waitingBytesMax });
  }
  const { columns, exactText: isExact } = options;
  const layout = { nameOf: (id: string | undefined) => `${of(id)}.csv`, bytesMax: Number.POSITIVE_INFINITY };
  try {
    return csvFiles(folder, { layout, columns, isExact, schemas });
  } catch (error) {
    throw unusable(`--columns: ${(error as Error).message}`, error);
  }
};

/** The output files of Google's format, followed by the metadata that points to them. */
const googleFolder = (
  folder: ExportFolder,
  { names, readTime }: { readonly names: FileNames; readonly readTime: string },
): ExportFiles => {
  const kinds = new Map<string, GoogleOutputs>();
  const nameOf = (id = '', part: number): string => `${googleKindFolder(names, id)}/output-${part - 1}`;
  const written = new Map<string, number>();
  const sink = {
    append: (file: string, bytes: Uint8Array) => {
      written.set(file, (written.get(file) ?? 0) + bytes.length);
      folder.append(file, bytes);
    },
    end: (file: string, { collectionId = '', documents }: { collectionId: string | undefined; documents: number }) => {
      const before = kinds.get(collectionId) ?? { collectionId, outputs: [], documents: 0, bytes: 0 };
      kinds.set(collectionId, {
        collectionId,
        outputs: [...before.outputs, file.slice(file.lastIndexOf('/') + 1)],
        documents: before.documents + documents,
        bytes: before.bytes + (written.get(file) ?? 0),
      });
      written.delete(file);
    },
  };
  const files = googleFiles(sink, { layout: { nameOf, bytesMax: fileBytes } });
  return {
    ...files,
    add: (row, bytes) => {
      try {
        files.add(row, bytes);
      } catch (error) {
        if (!(error instanceof UnexportableError)) throw error;
        throw unusable(`${escapeName(error.path)}: ${error.message}`, error);
      }
    },
    finish: () => {
      files.finish();
      for (const [file, bytes] of googleMetadataFiles([...kinds.values()], { names, at: microsecondsOf(readTime) }))
        folder.append(file, bytes);
    },
  };
};
