import { isMergeNoop } from '../document/is-merge-noop.ts';
import { sameFields } from '../document/rest-document.ts';
import type { FirestoreDatabase } from '../firestore-database.ts';
import { getDocuments } from '../read/get-documents.ts';
import type { WriteBatch } from './write-batch.ts';
import type { WriteMode } from './write-encoder.ts';

/** How the target is where a write's condition was not met: as the write was to leave it, without a document, or otherwise. */
export type TargetState = 'as wanted' | 'gone' | 'other';

/** What the target has there may be 1 MiB each. */
const documentsAtOnce = 16;

/**
 * Looks at documents that were not written because they are not what they had to be. A write whose answer was lost, or that an
 * earlier run made, finds its own work there. Someone who did the very same is not told apart, and nothing depends on it.
 */
export const resolvePreconditions = async (
  target: FirestoreDatabase,
  batch: WriteBatch,
  slots: readonly number[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number, TargetState>> => {
  const standings = new Map<number, TargetState>();
  const pathOf = (slot: number): string => batch.name(slot).slice(target.root.length + 1);
  for (let at = 0; at < slots.length; at += documentsAtOnce) {
    const part = slots.slice(at, at + documentsAtOnce);
    const found = await getDocuments(target, part.map(pathOf), { signal });
    for (const slot of part) {
      const mode = batch.mode(slot);
      const live = found.get(pathOf(slot));
      const wanted = mode === 'delete' ? undefined : batch.document(slot);
      standings.set(slot, isAlreadyApplied(wanted, live, mode) ? 'as wanted' : live ? 'other' : 'gone');
    }
  }
  return standings;
};

/** Whether writing, or deleting where nothing is wanted, would change nothing. */
export const isAlreadyApplied = (wanted: Uint8Array | undefined, live: Uint8Array | undefined, mode: WriteMode): boolean => {
  if (!wanted || !live) return !wanted && !live;
  return mode === 'merge' ? isMergeNoop(wanted, live) : sameFields(wanted, live);
};
