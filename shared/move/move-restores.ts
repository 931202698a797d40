import { isConflict } from '../job/index.ts';
import { carryRestore, restoresInto } from '../restore/index.ts';
import { isOver, type Route, type Time } from './move-context.ts';

/** After the project has crossed, the restores into it follow, one by one. False if the time was over first. */
export const carryHistory = async (route: Route, time: Time): Promise<boolean> => {
  const { from, to, projectId } = route;
  for await (const restore of restoresInto(from, projectId)) {
    if (isOver(time)) return false;
    try {
      await carryRestore(from, to, restore, time.clock.now());
    } catch (error) {
      if (!isConflict(error)) throw error;
      // Another run at the same work was first: what is left is looked at anew.
      return carryHistory(route, time);
    }
  }
  return true;
};
