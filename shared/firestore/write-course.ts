import type { AttemptOptions } from './attempts.ts';
import type { Gate } from './gate.ts';
import type { Source } from './source.ts';
import type { WriteStatus } from './write-answer.ts';
import type { WriteBatch } from './write-batch.ts';
import type { Pace } from './write-pace.ts';

/** What all deliveries of a writer have in common. */
export interface Course {
  readonly target: Source;
  readonly gate: Gate;
  readonly pace: Pace | undefined;
  /** How to wait; its signal ends all waiting. */
  readonly waiting: AttemptOptions;
  /** Ends calls under way. */
  readonly callSignal: AbortSignal;
  /** Writes that the target has decided about: that it goes up shows that the target is there. */
  decided: number;
  /** Begins another delivery of part of a batch. */
  deliver(batch: WriteBatch, slots: readonly number[], failures: number): void;
  settle(batch: WriteBatch, slot: number, outcome: 'written' | 'skipped' | WriteStatus): void;
}
