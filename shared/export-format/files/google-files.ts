import type { ExportRow } from '../export-row.ts';
import { GoogleEntity } from '../google/google-entity.ts';
import { type GoogleKind, kindExportMetadata, overallExportMetadata } from '../google/google-metadata.ts';
import { LevelDbLog } from '../google/leveldb-log.ts';
import { type ExportFiles, type ExportSink, type FileLayout, largestOf, TableParts } from './export-files.ts';
import type { FileNames } from './file-names.ts';

/** The name that the Firebase emulator gives its exports. */
const name = 'firestore_export';

/** The folder of a collection id, in which its output files are. */
export const googleKindFolder = (names: FileNames, collectionId: string): string =>
  `${name}/all_namespaces/kind_${names.of(collectionId)}`;

/** A document with a value that the format cannot hold. */
export class UnexportableError extends Error {
  readonly path: string;

  constructor(path: string, cause: Error) {
    super(cause.message, { cause });
    this.name = 'UnexportableError';
    this.path = path;
  }
}

interface Kind {
  readonly parts: TableParts;
  log: LevelDbLog;
}

/** The output files of each id of collections; `googleMetadataFiles` makes those that point to them. */
export const googleFiles = (sink: ExportSink, { layout }: { readonly layout: FileLayout }): ExportFiles => {
  const kinds = new Map<string, Kind>();
  const entity = new GoogleEntity();
  const open = (collectionId: string): Kind => {
    const kind = { parts: new TableParts(collectionId, { sink, layout }), log: new LevelDbLog() };
    kinds.set(collectionId, kind);
    return kind;
  };
  return {
    add: (row) => {
      const kind = kinds.get(row.collectionId) ?? open(row.collectionId);
      if (!kind.parts.isOpen) kind.log = new LevelDbLog();
      kind.parts.append(kind.log.record(encoded(entity, row)), 1);
      if (kind.parts.isFull) kind.parts.end();
    },
    endLargest: () => largestOf(kinds.values())?.parts.end(),
    finish: () => {
      for (const { parts } of kinds.values()) parts.end();
    },
  };
};

const encoded = (entity: GoogleEntity, row: ExportRow): Buffer => {
  try {
    return entity.encode(row);
  } catch (error) {
    throw new UnexportableError(row.path, error as Error);
  }
};

/** The output files of one collection id. */
export interface GoogleOutputs {
  readonly collectionId: string;
  /** Their names, in the folder of the kind. */
  readonly outputs: readonly string[];
  readonly documents: number;
  readonly bytes: number;
}

/** The files beside the output files, which `gcloud firestore import`, BigQuery and the Firebase emulator begin with. */
export const googleMetadataFiles = (
  all: readonly GoogleOutputs[],
  { names, at }: { readonly names: FileNames; readonly at: bigint },
): readonly (readonly [file: string, bytes: Buffer, collectionId: string | undefined])[] => {
  const kinds = all.map(({ collectionId, outputs, documents, bytes }) => {
    const id = names.of(collectionId);
    const metadataPath = `all_namespaces/kind_${id}/all_namespaces_kind_${id}.export_metadata`;
    const metadata = kindExportMetadata({ name, at, outputs });
    const pointer: GoogleKind = { metadataPath, entities: documents, bytes };
    return { collectionId, metadata, pointer };
  });
  const overall = `${name}/${name}.overall_export_metadata`;
  return [
    ...kinds.map(({ collectionId, metadata, pointer }) => [`${name}/${pointer.metadataPath}`, metadata, collectionId] as const),
    [overall, overallExportMetadata(kinds.map(({ pointer }) => pointer)), undefined],
    ['firebase-export-metadata.json', Buffer.from(emulatorMetadata(overall)), undefined],
  ];
};

/** What `firebase emulators:start --import <folder>` looks for. */
const emulatorMetadata = (overall: string): string =>
  `${JSON.stringify({ version: '15.0.0', firestore: { version: '1.19.8', path: name, metadata_file: overall } }, undefined, 2)}\n`;
