/** Worker of the capture queue: captures a project cycle after cycle, and enqueues the next one. */
import { setTimeout as pause } from 'node:timers/promises';
import { captureListenShare } from '../../shared/contract/limits.ts';
import { workers } from '../../shared/contract/runtime/workers.ts';
import { consumeQueue, queueVariables, type TaskMessage, taskMessage } from '../../shared/event/index.ts';
import { cyclePriority, type QueuedCycle, runContinuousCapture } from '../../shared/pitr/index.ts';
import { after, delayMaxSeconds, log, sendMessages, unsafeTenant } from '../../shared/platform/index.ts';
import { backupDeps } from '../../shared/stored-backup/index.ts';

/** The rest of the timeout is for the end of the cycle. */
const cycleMs = (workers.capture.timeoutSeconds * 1_000 * 9) / 10;
/** No cycle is started after this: a cycle may take long, even if it starts in time. */
const listenSeconds = workers.capture.timeoutSeconds * captureListenShare;

const capture = async ({ organizationId, task }: TaskMessage): Promise<void> => {
  if (task.kind !== 'capture') throw new Error(`unexpected task "${task.kind}" on the capture queue`);
  const { kind, projectId, turn, isRelief, endsAt } = task;
  const tenant = unsafeTenant(organizationId, 'record');
  const enqueueCycle = async ({ turn: cycle, delaySeconds, isHandover, endsAt: end }: QueuedCycle): Promise<void> => {
    log.info('enqueueing the next capture cycle', { turn: cycle, isHandover, delaySeconds });
    const next = { kind, projectId, turn: cycle, isRelief: isHandover, endsAt: end };
    const message = taskMessage(tenant, next, { delaySeconds: Math.min(delaySeconds, delayMaxSeconds) });
    // This cycle has ended in any case; the watchdog finds the next one late.
    if ((await sendMessages(queueVariables.capture, [message])).size > 0)
      log.warn('next capture cycle not accepted by the queue', { projectId, turn: cycle });
  };
  const next = await runContinuousCapture(tenant, {
    task: { projectId, turn, isHandover: isRelief, endsAt },
    deps: backupDeps,
    run: {
      signal: AbortSignal.timeout(cycleMs),
      until: after(backupDeps.clock.now(), listenSeconds),
      enqueueCycle,
      pause,
    },
  });
  if (next) await enqueueCycle(next);
};

export const handler = consumeQueue(capture, {
  priorityOf: async ({ organizationId, task }) => {
    if (task.kind !== 'capture') return 'usual';
    const { projectId, turn, isRelief, endsAt } = task;
    return cyclePriority(unsafeTenant(organizationId, 'record'), { projectId, turn, isHandover: isRelief, endsAt });
  },
});
