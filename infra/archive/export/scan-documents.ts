import { type Leaf, recordKind, streamLeaves } from '../../../shared/archive/index.ts';
import { isInRange, type NameRange, restDocument } from '../../../shared/firestore/index.ts';
import { escapeName } from '../escape-output.ts';
import { damaged } from '../failure.ts';
import type { OpenBackup } from '../open-backup.ts';
import type { Progress } from '../output.ts';
import { contentOf } from '../show.ts';
import type { ExportMask } from './export-mask.ts';

export interface Scan {
  /** Ascending. */
  readonly ranges: readonly NameRange[];
  readonly users: boolean;
  readonly mask: ExportMask | undefined;
}

/** A document, or a user as stored, with the bytes that it has in the backup. */
export interface ScannedRecord {
  readonly content: object;
  readonly bytes: number;
}

interface Scanned {
  readonly found: number;
  /** Documents that the erasure ledger hides. */
  readonly erased: number;
}

/** Reads all records of the ranges in name order. Memory holds a few leaves. */
export const scanRecords = async (
  { archive, manifest }: OpenBackup,
  { ranges, users, mask }: Scan,
  { progress, each }: { readonly progress: Progress; readonly each: (record: ScannedRecord) => Promise<void> | void },
): Promise<Scanned> => {
  const wanted = users ? recordKind.user : recordKind.document;
  const root = `${manifest.source}/documents/`;
  let [found, erased] = [0, 0];
  for (const range of ranges) {
    const isWhole = range.from === undefined && range.to === undefined;
    const from = range.from === undefined ? {} : { from: Buffer.from(`${root}${range.from}`) };
    for await (const { segment, leaf } of streamLeaves(archive, from)) {
      let last = '';
      let inLeaf = 0;
      for (let slot = segment.start; slot < segment.start + segment.count; slot++) {
        if (isErasedDocument(leaf, slot) && (isWhole || isInRange(leaf.name(slot).toString().slice(root.length), range)))
          erased += 1;
        if (leaf.kind(slot) !== wanted) continue;
        last = leaf.name(slot).toString().slice(root.length);
        if (!isWhole && !isInRange(last, range)) continue;
        inLeaf += 1;
        const written = each(users || !mask ? recordOf(leaf, slot) : maskedOf(leaf, slot, { mask, path: last }));
        if (written) await written;
      }
      found += inLeaf;
      progress.add(inLeaf);
      // Names ascend: past the end of the range there is nothing left.
      if (last !== '' && range.to !== undefined && !isInRange(last, { to: range.to })) break;
    }
  }
  return { found, erased };
};

const recordOf = (leaf: Leaf, slot: number): ScannedRecord => ({
  content: contentOf(leaf, slot),
  bytes: leaf.contentBytes(slot),
});

const maskedOf = (
  leaf: Leaf,
  slot: number,
  { mask, path }: { readonly mask: ExportMask; readonly path: string },
): ScannedRecord => {
  try {
    const document = mask.apply(leaf.content(slot), path);
    return { content: restDocument(document), bytes: document.length };
  } catch (error) {
    throw damaged(escapeName(path), `cannot be masked: ${(error as Error).message}`, error);
  }
};

const isErasedDocument = (leaf: Leaf, slot: number): boolean =>
  leaf.kind(slot) === recordKind.erased && leaf.storedKind(slot) === recordKind.document;
