/** Captures what changed in a project since the last turn, and arranges the next. */
import { engine } from '../../shared/backup/index.ts';
import { workers } from '../../shared/contract/workers.ts';
import { consume, type TaskMessage } from '../../shared/event/index.ts';
import { captureTurn, messageOf } from '../../shared/pitr/index.ts';
import { delayMaxSeconds, log, proveTenant, sendTasks } from '../../shared/platform/index.ts';

/** What is left of its time is for the end of a turn. */
const turnMs = (workers.capture.timeoutSeconds * 1_000 * 9) / 10;

const capture = async ({ organizationId, task }: TaskMessage): Promise<void> => {
  if (task.kind !== 'capture') throw new Error(`${task.kind} is no capture, and came by the wrong queue`);
  const next = await captureTurn(proveTenant(organizationId, 'record'), task, engine, AbortSignal.timeout(turnMs));
  log.info('captured', { organizationId, projectId: task.projectId, turn: task.turn, next });
  if (!next) return;
  const { turn, delaySeconds } = next;
  const following = { ...task, turn };
  const refused = await sendTasks('CAPTURE_QUEUE_URL', [
    messageOf(organizationId, following, Math.min(delaySeconds, delayMaxSeconds)),
  ]);
  // The turn is over all the same; the watch finds it late.
  if (refused.size > 0) log.warn('the next capture was not taken by the queue', { projectId: task.projectId, turn });
};

export const handler = consume(capture);
