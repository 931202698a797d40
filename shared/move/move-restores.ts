import { isConflict } from '../platform/index.ts';
import { moveRestore, restoresInto } from '../restore/index.ts';
import { isPastDeadline, type MoveContext, type MoveDeadline } from './move-context.ts';

/** After the switch, moves the restores into the project, one by one. False if the deadline passed first. */
export const moveRestores = async (move: MoveContext, time: MoveDeadline): Promise<boolean> => {
  const { from, to, projectId } = move;
  for await (const restore of restoresInto(from, projectId)) {
    if (isPastDeadline(time)) return false;
    try {
      await moveRestore(from, to, restore, time.clock.now());
    } catch (error) {
      if (!isConflict(error)) throw error;
      // A concurrent run was first: read the remaining restores again.
      return moveRestores(move, time);
    }
  }
  return true;
};
