import { LevelDbLog } from './leveldb-log.ts';
import { WireWriter } from './wire-writer.ts';

/** The files of one collection id. */
export interface GoogleKind {
  /** Of its `.export_metadata`, relative to the folder of the export. */
  readonly metadataPath: string;
  readonly entities: number;
  /** Size of its output files. */
  readonly bytes: number;
}

/** Version of the format: the first record of the file. */
const version = Uint8Array.of(0x33);

/** The content of `<name>.overall_export_metadata`: where the files of each collection id are. */
export const overallExportMetadata = (kinds: readonly GoogleKind[]): Buffer => {
  const writer = new WireWriter();
  for (const { metadataPath, entities, bytes } of kinds) {
    writer.message(1, () => {
      // The same in every export that the emulator writes.
      writer.message(1, () => {
        writer.number(1, 2);
        writer.number(3, 3);
      });
      writer.bytesField(2, metadataPath);
      writer.int64(3, BigInt(entities));
      writer.int64(4, BigInt(bytes));
    });
  }
  const log = new LevelDbLog();
  return Buffer.concat([log.record(version), log.record(writer.bytes)]);
};

/** The content of the `.export_metadata` of a collection id. `at` is in microseconds since 1970. */
export const kindExportMetadata = ({
  name,
  at,
  outputs,
}: {
  readonly name: string;
  readonly at: bigint;
  readonly outputs: readonly string[];
}): Buffer => {
  const writer = new WireWriter();
  writer.message(1, () => {
    writer.bytesField(1, name);
    writer.int64(2, at);
    writer.int64(3, at);
  });
  for (const output of outputs) {
    writer.message(2, () => {
      writer.bytesField(1, '');
      writer.bytesField(2, output);
    });
  }
  return writer.bytes;
};
