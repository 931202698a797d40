import type { FirestoreDatabase } from '../firestore-database.ts';
import type { RetryOptions } from '../grpc/retry-state.ts';
import type { WriteStatus } from './batch-response.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { Semaphore } from './semaphore.ts';
import type { WriteBatch } from './write-batch.ts';

/** What all deliveries of a writer have in common. */
export interface SenderContext {
  readonly target: FirestoreDatabase;
  readonly semaphore: Semaphore;
  readonly rateLimiter: RateLimiter | undefined;
  /** How to wait; its signal ends all waiting. */
  readonly retryOptions: RetryOptions;
  /** Ends calls under way. */
  readonly callSignal: AbortSignal;
  /** Writes that the target has decided about: that it goes up shows that the target is there. */
  decided: number;
  /** Begins another delivery of part of a batch. */
  send(batch: WriteBatch, slots: readonly number[], failures: number): void;
  settle(batch: WriteBatch, slot: number, outcome: 'written' | 'skipped' | WriteStatus): void;
}
