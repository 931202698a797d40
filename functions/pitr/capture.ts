/** Captures what changes in a project, turn after turn while it listens, and arranges what comes next. */
import { setTimeout as pause } from 'node:timers/promises';
import { backupDeps } from '../../shared/backup/index.ts';
import { workers } from '../../shared/contract/runtime/workers.ts';
import { consume, type TaskMessage } from '../../shared/event/index.ts';
import { messageOf, type QueuedCycle, runContinuousCapture } from '../../shared/pitr/index.ts';
import { after, delayMaxSeconds, log, sendMessages, unsafeTenant } from '../../shared/platform/index.ts';

/** What is left of its time is for the end of a turn. */
const turnMs = (workers.capture.timeoutSeconds * 1_000 * 9) / 10;
/** Nothing is begun after this: a turn may take long, also when it began in time. */
const listenSeconds = workers.capture.timeoutSeconds * 0.7;

const capture = async ({ organizationId, task }: TaskMessage): Promise<void> => {
  if (task.kind !== 'capture') throw new Error(`${task.kind} is no capture, and came by the wrong queue`);
  const { kind, projectId } = task;
  const arrange = async ({ delaySeconds, ...next }: QueuedCycle): Promise<void> => {
    log.info('the next capture is arranged', { ...next, delaySeconds });
    const message = messageOf(organizationId, { kind, projectId, ...next }, Math.min(delaySeconds, delayMaxSeconds));
    // The turn is over all the same; the watch finds the next one late.
    if ((await sendMessages('CAPTURE_QUEUE_URL', [message])).size > 0)
      log.warn('the next capture was not taken by the queue', { projectId, turn: next.turn });
  };
  const next = await runContinuousCapture(unsafeTenant(organizationId, 'record'), task, backupDeps, {
    signal: AbortSignal.timeout(turnMs),
    until: after(backupDeps.clock.now(), listenSeconds),
    enqueueCycle: arrange,
    pause,
  });
  if (next) await arrange(next);
};

export const handler = consume(capture);
