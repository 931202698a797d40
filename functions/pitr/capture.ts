/** Captures what changed in a project since the last turn, and arranges the next. */
import { consume, type TaskMessage } from '../../shared/event/index.ts';

const capture = async ({ task }: TaskMessage): Promise<void> => {
  throw new Error(`${task.kind} is no capture, and came by the wrong queue`);
};

export const handler = consume(capture);
