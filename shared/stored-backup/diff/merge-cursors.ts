import { compareNames } from '../../archive/index.ts';
import { sameFields } from '../../firestore/index.ts';
import type { DocumentCursor } from '../cursor/document-cursor.ts';
import { mergeJoin } from '../cursor/merge-join.ts';

export interface Counts {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
  readonly unchanged: number;
}

interface Changed {
  readonly path: string;
  readonly change: 'added' | 'changed' | 'removed';
}

export interface MergeOptions {
  readonly limit: number;
  readonly counts: Counts;
  /** Whether to count to the end once the page is full. */
  readonly countsOn: boolean;
  /** Whether to stop; checked every few documents. */
  readonly isOver: () => boolean;
  /** Partial sides: only documents they name are compared. */
  readonly partial: Readonly<Record<'from' | 'to', boolean>>;
  /** Whether an erasure hides the document that `to` is at, if that is a live database. */
  readonly hidesLive?: ((name: Buffer) => boolean) | undefined;
}

/** Where to continue: everything before that document is counted. */
export interface Stop {
  readonly counts: Counts;
  readonly at: Buffer;
  /** A side that has a document of this name. */
  readonly side: 'from' | 'to';
}

export interface Merged {
  readonly changes: readonly Changed[];
  readonly stop: Stop | undefined;
  /** Set if both sides were read to their ends. */
  readonly total: Counts | undefined;
}

const checkEvery = 64;

/**
 * Merges two cursors in name order. Documents with the same name and update time are equal. If the times differ, the fields
 * decide, so a document rewritten with the same fields counts as unchanged.
 */
export const mergeCursors = async (from: DocumentCursor, to: DocumentCursor, options: MergeOptions): Promise<Merged> => {
  const { limit, countsOn, isOver, partial } = options;
  const counts = { ...options.counts };
  const changes: Changed[] = [];
  let stop: Stop | undefined;
  await from.load();
  await to.load();
  const isComplete = await mergeJoin({ left: from, right: to, compare: compareNames }, async (order, name, n) => {
    const side = order > 0 ? 'to' : 'from';
    const here = (): Stop => ({ counts: { ...counts }, at: Buffer.from(name), side });
    if (n % checkEvery === 0 && isOver()) {
      stop ??= here();
      return false;
    }
    const isCompared = order === 0 || !partial[order < 0 ? 'to' : 'from'];
    // A document that is hidden on one side is not compared.
    const isHidden = (order <= 0 && from.isErased) || (order >= 0 && (to.isErased || options.hidesLive?.(name)));
    const change = isCompared && !isHidden ? await changeOf(order, from, to) : undefined;
    if (change && change !== 'unchanged') {
      if (changes.length < limit) changes.push({ path: name.toString(), change });
      else stop ??= here();
      if (stop && !countsOn) return false;
    }
    if (change) counts[change] += 1;
    return true;
  });
  return { changes, stop, total: isComplete ? counts : undefined };
};

/** Undefined if the document exists on neither side. */
const changeOf = async (order: number, from: DocumentCursor, to: DocumentCursor): Promise<keyof Counts | undefined> => {
  const was = order <= 0 && !from.isTombstone;
  const is = order >= 0 && !to.isTombstone;
  if (was && is) return compareDocuments(from, to);
  return was ? 'removed' : is ? 'added' : undefined;
};

const compareDocuments = async (from: DocumentCursor, to: DocumentCursor): Promise<'changed' | 'unchanged'> => {
  if (from.seconds === to.seconds && from.nanos === to.nanos) return 'unchanged';
  const [before, after] = await Promise.all([from.content(), to.content()]);
  return sameFields(before, after) ? 'unchanged' : 'changed';
};
