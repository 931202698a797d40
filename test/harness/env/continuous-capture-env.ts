/** Whoever listens to the project of a capture world, with the clock in the hands of the test. */
import { setImmediate as soon } from 'node:timers/promises';
import { type ContinuousTask, type QueuedCycle, runContinuousCapture } from '../../../shared/pitr/index.ts';
import { type CaptureWorld, pass, pitrNow, projectId, tenant, time } from './capture-env.ts';

export interface ListenWish {
  readonly seconds: number;
  /** What happens in each second that is waited for. */
  readonly happens?: ((second: number) => Promise<void>) | undefined;
  /** What is done when the queue is asked for a turn. */
  readonly arranged?: (next: QueuedCycle) => void;
  readonly isHandover?: boolean;
  /** The one that is due, unless given. */
  readonly turn?: number;
  readonly signal?: AbortSignal;
}

/** Listens for some seconds; answers what the queue was asked for, the last at the end. */
export const listening = async (world: CaptureWorld, wish: ListenWish): Promise<readonly QueuedCycle[]> => {
  const { seconds, happens, isHandover, signal = AbortSignal.timeout(60_000) } = wish;
  if (!isHandover) time.ms = Math.max(time.ms, Date.parse(pitrNow().nextTurnAt ?? ''));
  const arranged: QueuedCycle[] = [];
  let second = 0;
  const task: ContinuousTask = { projectId, turn: wish.turn ?? pitrNow().turn, ...(isHandover && { isHandover: isHandover }) };
  const next = await runContinuousCapture(tenant, task, world.engine, {
    signal,
    until: new Date(time.ms + seconds * 1_000),
    enqueueCycle: async (one) => {
      arranged.push(one);
      wish.arranged?.(one);
    },
    pause: async (ms) => {
      // Whoever joins in listens while the other's time passes.
      if (happens || !isHandover) pass(ms / 1_000);
      await happens?.(second++);
      for (let n = 0; n < 5; n++) await soon();
    },
  });
  return next ? [...arranged, next] : arranged;
};
