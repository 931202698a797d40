/** One side of a join. `step` moves within the loaded records, without I/O; when it returns false, call `load`. */
export interface JoinSide<Name> {
  /** The name of the current record, or where it is; undefined at the end. Valid until the next step. */
  readonly name: Name | undefined;
  step(): boolean;
  load(): Promise<void>;
}

interface JoinedSides<Left, Right> {
  readonly left: JoinSide<Left>;
  /** Without it, all names are of the left side. */
  readonly right: JoinSide<Right> | undefined;
  readonly compare: (left: Left, right: Right) => number;
}

/**
 * `order` is negative for a record of the left side only, positive for one of the right side only, zero for one of both. `n` counts from
 * one. False ends the join.
 */
type VisitJoined<Name> = (order: number, name: Name, n: number) => boolean | Promise<boolean>;

/**
 * Joins two sides in the order of names and visits each name once. Both sides are loaded. The left side moves on before the right one.
 * Returns false if a visit ended it. A visit that returns no promise costs no turn of the event loop.
 */
export const mergeJoin = async <Left, Right>(
  { left, right, compare }: JoinedSides<Left, Right>,
  visit: VisitJoined<Left | Right>,
): Promise<boolean> => {
  for (let n = 1; ; n++) {
    const ofLeft = left.name;
    const ofRight = right?.name;
    const order = ofRight === undefined ? -1 : ofLeft === undefined ? 1 : compare(ofLeft, ofRight);
    const name = order > 0 ? ofRight : ofLeft;
    if (name === undefined) return true;
    const visited = visit(order, name, n);
    if (!(typeof visited === 'boolean' ? visited : await visited)) return false;
    if (order <= 0 && !left.step()) await left.load();
    if (order >= 0 && right && !right.step()) await right.load();
  }
};
