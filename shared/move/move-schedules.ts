import { isConflict } from '../platform/index.ts';

import { moveSchedule, schedulesOfProject } from '../schedule/index.ts';
import { isOver, type MoveContext, type Time } from './move-context.ts';

/** After the project has crossed, its schedules follow, one by one. False if the time was over first. */
export const carrySchedules = async (route: MoveContext, time: Time): Promise<boolean> => {
  const { from, to, projectId } = route;
  for await (const schedule of schedulesOfProject(from, projectId)) {
    if (isOver(time)) return false;
    try {
      await moveSchedule(from, to, schedule, time.clock.now());
    } catch (error) {
      if (!isConflict(error)) throw error;
      // Another run at the same work was first: what is left is looked at anew.
      return carrySchedules(route, time);
    }
  }
  return true;
};
