import { entriesOf, erasureKey } from '../erasure/index.ts';
import { enqueue } from '../event/index.ts';
import { commit, get, type Tenant, type Write } from '../platform/index.ts';
import { type MoveContext, whileMoveActive } from './move-context.ts';

/**
 * Copies the erasure ledger of a project before the project switches; no entry is added meanwhile. The original stays: backups of other
 * projects may have been imported from this one. A search that has not ended begins anew in the other organization. Idempotent.
 */
export const copyErasures = async (move: MoveContext): Promise<void> => {
  const { from, to, projectId } = move;
  const ledger = await get(erasureKey.ledger(from, projectId));
  if (!ledger) return;
  for await (const entry of entriesOf(from, projectId)) {
    const restarted = entry.isResolved ? {} : { searchAfter: undefined, searching: undefined, capturesAfter: undefined };
    await commit([whileMoveActive(move), { put: { ...entry, ...restarted, ...erasureKey.erasure(to, projectId, entry.id) } }]);
  }
  await commit([whileMoveActive(move), { put: { ...ledger, ...erasureKey.ledger(to, projectId) } }]);
};

/** Erasures are not assessed during a move, which hides backups: the side that has the project now does so after it. */
export const assessAfterMove = async (side: Tenant, projectId: string, now: Date): Promise<readonly Write[]> =>
  (await get(erasureKey.ledger(side, projectId))) ? [enqueue(side, { kind: 'assess-erasures', projectId }, now)] : [];
