import { type Archive, type Leaf, recordKind, streamLeaves } from '../archive/index.ts';
import { isInRange, type NameRange } from '../firestore/index.ts';

export interface RecordScan {
  /** Ascending. */
  readonly ranges: readonly NameRange[];
  readonly kind: 'document' | 'user';
}

/** A record of a leaf. */
export interface ScannedSlot {
  readonly leaf: Leaf;
  readonly slot: number;
  /** Of a document: its path below the database. */
  readonly path: string;
}

interface ScanSteps {
  readonly each: (record: ScannedSlot) => Promise<void> | void;
  /** Called after each leaf, with the number of its records that were scanned. */
  readonly afterLeaf?: (records: number) => Promise<void> | void;
}

export interface ScannedCounts {
  readonly found: number;
  /** Documents that the erasure ledger hides. */
  readonly erased: number;
}

/** Reads all records of the ranges in name order. Memory holds a few leaves. */
export const scanRecords = async (
  archive: Archive,
  { ranges, kind }: RecordScan,
  { each, afterLeaf }: ScanSteps,
): Promise<ScannedCounts> => {
  const wanted = recordKind[kind];
  const root = archive.documentsRoot;
  let [found, erased] = [0, 0];
  for (const range of ranges) {
    const isWhole = range.from === undefined && range.to === undefined;
    const from = range.from === undefined ? {} : { from: Buffer.from(`${root}${range.from}`) };
    for await (const { segment, leaf } of streamLeaves(archive, from)) {
      let path = '';
      let inLeaf = 0;
      for (let slot = segment.start; slot < segment.start + segment.count; slot++) {
        if (isErasedDocument(leaf, slot) && (isWhole || isInRange(leaf.name(slot).toString().slice(root.length), range)))
          erased += 1;
        if (leaf.kind(slot) !== wanted) continue;
        path = leaf.name(slot).toString().slice(root.length);
        if (!isWhole && !isInRange(path, range)) continue;
        inLeaf += 1;
        const written = each({ leaf, slot, path });
        if (written) await written;
      }
      found += inLeaf;
      await afterLeaf?.(inLeaf);
      // Names ascend: past the end of the range there is nothing left.
      if (path !== '' && range.to !== undefined && !isInRange(path, { to: range.to })) break;
    }
  }
  return { found, erased };
};

const isErasedDocument = (leaf: Leaf, slot: number): boolean =>
  leaf.kind(slot) === recordKind.erased && leaf.storedKind(slot) === recordKind.document;
