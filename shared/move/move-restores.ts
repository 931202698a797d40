import { isConflict } from '../platform/index.ts';

import { moveRestore, restoresInto } from '../restore/index.ts';
import { isPastDeadline, type MoveContext, type MoveDeadline } from './move-context.ts';

/** After the project has crossed, the restores into it follow, one by one. False if the time was over first. */
export const moveRestores = async (route: MoveContext, time: MoveDeadline): Promise<boolean> => {
  const { from, to, projectId } = route;
  for await (const restore of restoresInto(from, projectId)) {
    if (isPastDeadline(time)) return false;
    try {
      await moveRestore(from, to, restore, time.clock.now());
    } catch (error) {
      if (!isConflict(error)) throw error;
      // Another run at the same work was first: what is left is looked at anew.
      return moveRestores(route, time);
    }
  }
  return true;
};
