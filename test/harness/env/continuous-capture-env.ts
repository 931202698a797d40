/** Continuous capture of the project of a capture environment, under the test's clock. */
import { setImmediate as soon } from 'node:timers/promises';
import { type ContinuousTask, type QueuedCycle, runContinuousCapture } from '../../../shared/pitr/index.ts';
import type { CaptureEnv } from './capture-env.ts';

export interface ListenOptions {
  readonly seconds: number;
  /** Called in each second. */
  readonly happens?: ((second: number) => Promise<void>) | undefined;
  /** Called when a cycle is enqueued. */
  readonly onEnqueue?: (next: QueuedCycle) => void;
  readonly isHandover?: boolean;
  /** When the worker to take over from stops listening. */
  readonly endsAt?: string;
  /** Begins before the cycle is due, like a worker that replaces a crashed one. */
  readonly isEarly?: boolean;
  /** Default: the due cycle. */
  readonly turn?: number;
  readonly signal?: AbortSignal;
}

/** Captures for some seconds; returns the enqueued cycles in order. */
export const listen = async (t: CaptureEnv, options: ListenOptions): Promise<readonly QueuedCycle[]> => {
  const { seconds, happens, isHandover, endsAt, isEarly, signal = AbortSignal.timeout(600_000) } = options;
  if (!isHandover && !isEarly) t.nowMs = Math.max(t.nowMs, Date.parse(t.pitr.nextTurnAt ?? ''));
  const enqueued: QueuedCycle[] = [];
  let second = 0;
  const turn = options.turn ?? t.pitr.turn;
  const task: ContinuousTask = { projectId: t.projectId, turn, ...(isHandover && { isHandover, endsAt }) };
  const next = await runContinuousCapture(t.tenant, {
    task,
    deps: t.deps,
    run: {
      signal,
      until: new Date(t.nowMs + seconds * 1_000),
      enqueueCycle: async (one) => {
        enqueued.push(one);
        options.onEnqueue?.(one);
      },
      pause: async (ms) => {
        // A successor shares the clock of the worker it shadows.
        if (happens || !isHandover) t.pass(ms / 1_000);
        await happens?.(second++);
        for (let n = 0; n < 5; n++) await soon();
      },
    },
  });
  return next ? [...enqueued, next] : enqueued;
};
