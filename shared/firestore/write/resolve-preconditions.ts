import { isMergeNoop } from '../document/is-merge-noop.ts';
import { sameFields } from '../document/rest-document.ts';
import type { FirestoreDatabase } from '../firestore-database.ts';
import { getDocuments } from '../read/get-documents.ts';
import type { WriteBatch } from './write-batch.ts';
import type { WriteMode } from './write-encoder.ts';

/** State of the target after a failed precondition: as the write intended, missing, or different. */
type TargetState = 'applied' | 'missing' | 'changed';

/** Documents of the target may have 1 MiB each. */
const documentsAtOnce = 16;

/**
 * Compares documents whose precondition failed with the target. A write with a lost response, or one of an earlier run, finds
 * itself applied. An identical write of another client is not distinguished; nothing depends on it.
 */
export const resolvePreconditions = async (
  target: FirestoreDatabase,
  { batch, slots, signal }: { readonly batch: WriteBatch; readonly slots: readonly number[]; readonly signal: AbortSignal },
): Promise<ReadonlyMap<number, TargetState>> => {
  const states = new Map<number, TargetState>();
  const pathOf = (slot: number): string => batch.slot(slot).name.slice(target.root.length + 1);
  for (let at = 0; at < slots.length; at += documentsAtOnce) {
    const part = slots.slice(at, at + documentsAtOnce);
    const found = await getDocuments(target, part.map(pathOf), { signal });
    for (const slot of part) {
      const { mode } = batch.slot(slot);
      const live = found.get(pathOf(slot));
      const wanted = mode === 'delete' ? undefined : batch.document(slot);
      states.set(slot, isAlreadyApplied(wanted, live, mode) ? 'applied' : live ? 'changed' : 'missing');
    }
  }
  return states;
};

/** Whether the write, or the deletion if `wanted` is undefined, would change nothing. */
export const isAlreadyApplied = (wanted: Uint8Array | undefined, live: Uint8Array | undefined, mode: WriteMode): boolean => {
  if (!wanted || !live) return !wanted && !live;
  return mode === 'merge' ? isMergeNoop(wanted, live) : sameFields(wanted, live);
};
