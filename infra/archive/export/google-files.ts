import {
  type ExportRow,
  GoogleEntity,
  type GoogleKind,
  kindExportMetadata,
  LevelDbLog,
  overallExportMetadata,
} from '../../../shared/export-format/index.ts';
import { escapeName } from '../escape-output.ts';
import { unusable } from '../failure.ts';
import { type ExportFolder, FileNames } from './export-folder.ts';
import type { ExportFiles } from './table-files.ts';

/** The name that the Firebase emulator gives its exports. */
const name = 'firestore_export';
/** An output file becomes so large, and then the next one begins: imports read several at once. */
const outputBytesMax = 256 << 20;

interface Kind {
  readonly folder: string;
  readonly metadata: string;
  log: LevelDbLog;
  outputs: number;
  entities: number;
  bytes: number;
}

/** The files that `gcloud firestore import`, BigQuery and `firebase emulators:start --import` read; a folder for each id of collections. */
export const googleFiles = (folder: ExportFolder, at: bigint): ExportFiles => {
  const names = new FileNames();
  const kinds = new Map<string, Kind>();
  const entity = new GoogleEntity();
  const open = (collectionId: string): Kind => {
    const id = names.of(collectionId);
    const kind: Kind = {
      folder: `all_namespaces/kind_${id}`,
      metadata: `all_namespaces/kind_${id}/all_namespaces_kind_${id}.export_metadata`,
      log: new LevelDbLog(),
      outputs: 1,
      entities: 0,
      bytes: 0,
    };
    kinds.set(collectionId, kind);
    return kind;
  };
  return {
    add: (row) => {
      const kind = kinds.get(row.collectionId) ?? open(row.collectionId);
      if (kind.log.size >= outputBytesMax) {
        kind.log = new LevelDbLog();
        kind.outputs += 1;
      }
      const record = kind.log.record(encoded(entity, row));
      kind.entities += 1;
      kind.bytes += record.length;
      folder.append(`${name}/${kind.folder}/output-${kind.outputs - 1}`, record);
    },
    finish: () => {
      const all = [...kinds.values()];
      for (const { metadata, outputs: count } of all) {
        const outputs = Array.from({ length: count }, (_, n) => `output-${n}`);
        folder.append(`${name}/${metadata}`, kindExportMetadata({ name, at, outputs }));
      }
      const pointers = all.map(({ metadata, entities, bytes }): GoogleKind => ({ metadataPath: metadata, entities, bytes }));
      const overall = `${name}/${name}.overall_export_metadata`;
      folder.append(overall, overallExportMetadata(pointers));
      folder.append('firebase-export-metadata.json', Buffer.from(emulatorMetadata(overall)));
    },
  };
};

/** What `firebase emulators:start --import <folder>` looks for. */
const emulatorMetadata = (overall: string): string =>
  `${JSON.stringify({ version: '15.0.0', firestore: { version: '1.19.8', path: name, metadata_file: overall } }, undefined, 2)}\n`;

const encoded = (entity: GoogleEntity, row: ExportRow): Buffer => {
  try {
    return entity.encode(row);
  } catch (error) {
    throw unusable(`${escapeName(row.path)}: ${(error as Error).message}`, error);
  }
};
