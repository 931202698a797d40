import { isConflict } from '../platform/index.ts';

import { carrySchedule, schedulesOfProject } from '../schedule/index.ts';
import { isPastDeadline, type MoveContext, type MoveDeadline } from './move-context.ts';

/** After the project has crossed, its schedules follow, one by one. False if the time was over first. */
export const moveSchedules = async (route: MoveContext, time: MoveDeadline): Promise<boolean> => {
  const { from, to, projectId } = route;
  for await (const schedule of schedulesOfProject(from, projectId)) {
    if (isPastDeadline(time)) return false;
    try {
      await carrySchedule(from, to, schedule, time.clock.now());
    } catch (error) {
      if (!isConflict(error)) throw error;
      // Another run at the same work was first: what is left is looked at anew.
      return moveSchedules(route, time);
    }
  }
  return true;
};
