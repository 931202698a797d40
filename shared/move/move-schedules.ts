import { isConflict } from '../platform/index.ts';
import { moveSchedule, schedulesOf } from '../schedule/index.ts';
import { isPastDeadline, type MoveContext, type MoveDeadline } from './move-context.ts';

/** After the switch, moves the project's schedules, one by one. False if the deadline passed first. */
export const moveSchedules = async (move: MoveContext, time: MoveDeadline): Promise<boolean> => {
  const { from, to, projectId } = move;
  for await (const schedule of schedulesOf(from, { projectId })) {
    if (isPastDeadline(time)) return false;
    try {
      await moveSchedule(from, to, schedule, time.clock.now());
    } catch (error) {
      if (!isConflict(error)) throw error;
      // A concurrent run was first: read the remaining schedules again.
      return moveSchedules(move, time);
    }
  }
  return true;
};
