import { compareCursors, type DocumentCursor } from './document-cursor.ts';

/**
 * `order` is negative for a document of the left side only, positive for one of the right side only, zero for one of both. `n` counts from
 * one. False ends the join. The name is valid during the visit.
 */
type VisitJoined = (order: number, name: Buffer, n: number) => boolean | Promise<boolean>;

const nothing = Buffer.alloc(0);

/**
 * Joins two sides in the order of names and visits each name once. Both sides are loaded. Without a right side, all names are of the left.
 * Returns false if a visit ended it. A visit that returns no promise costs no turn of the event loop.
 */
export const mergeJoin = async (
  left: DocumentCursor,
  right: DocumentCursor | undefined,
  visit: VisitJoined,
): Promise<boolean> => {
  for (let n = 1; left.name || right?.name; n++) {
    const order = right ? compareCursors(left, right) : -1;
    const visited = visit(order, (order > 0 ? right?.name : left.name) ?? nothing, n);
    if (!(typeof visited === 'boolean' ? visited : await visited)) return false;
    if (order <= 0 && !left.step()) await left.load();
    if (order >= 0 && right && !right.step()) await right.load();
  }
  return true;
};
