import { type RecordScan, type ScannedCounts, type ScannedSlot, scanRecords } from '../../../shared/export-format/index.ts';
import { restDocument } from '../../../shared/firestore/index.ts';
import { freeBuffers } from '../../../shared/platform/index.ts';
import { escapeName } from '../escape-output.ts';
import { damaged } from '../failure.ts';
import type { OpenBackup } from '../open-backup.ts';
import type { Progress } from '../output.ts';
import { contentOf } from '../show.ts';
import type { ExportMask } from './export-mask.ts';
import type { NamedCollections } from './named-collections.ts';

export interface Scan extends RecordScan {
  readonly collections: NamedCollections;
  readonly mask: ExportMask | undefined;
}

/** A document, or a user as stored, with the bytes that it has in the backup. */
export interface ScannedRecord {
  readonly content: object;
  readonly bytes: number;
}

/** Reads all records of the ranges in name order, documents masked. */
export const scanDocuments = (
  { archive }: OpenBackup,
  { mask, collections, ...scan }: Scan,
  { progress, each }: { readonly progress: Progress; readonly each: (record: ScannedRecord) => Promise<void> | void },
): Promise<ScannedCounts> =>
  scanRecords(archive, scan, {
    each: (record) => {
      collections.add(record.path);
      return each(scan.kind === 'user' || !mask ? recordOf(record) : maskedOf(record, mask));
    },
    afterLeaf: (records) => {
      progress.add(records);
      // V8 counts the buffers of leaves little, and would let some 80 MiB of them gather.
      freeBuffers();
    },
  });

const recordOf = ({ leaf, slot }: ScannedSlot): ScannedRecord => ({
  content: contentOf(leaf, slot),
  bytes: leaf.contentBytes(slot),
});

const maskedOf = ({ leaf, slot, path }: ScannedSlot, mask: ExportMask): ScannedRecord => {
  try {
    const document = mask.apply(leaf.content(slot), path);
    return { content: restDocument(document), bytes: document.length };
  } catch (error) {
    throw damaged(escapeName(path), `cannot be masked: ${(error as Error).message}`, error);
  }
};
