import type { FirestoreDatabase } from '../firestore-database.ts';
import type { SourceRetryOptions } from '../grpc/retry-state.ts';
import type { RateLimiter } from './rate-limiter.ts';
import type { Semaphore } from './semaphore.ts';
import type { WriteBatch } from './write-batch.ts';
import type { WriteStatus } from './write-statuses.ts';

export interface SentWrites {
  readonly batch: WriteBatch;
  readonly slots: readonly number[];
  /** Earlier requests with these writes that failed as a whole. */
  readonly failures: number;
}

/** Shared by all senders of a writer. */
export interface SenderContext {
  readonly target: FirestoreDatabase;
  readonly semaphore: Semaphore;
  readonly rateLimiter: RateLimiter | undefined;
  /** Retry options; the signal ends all waiting. */
  readonly retryOptions: SourceRetryOptions;
  /** Aborts calls in flight. */
  readonly callSignal: AbortSignal;
  /** Number of writes that the target has decided; growth shows that it is reachable. */
  decided: number;
  /** Starts another sender for part of a batch. */
  send(writes: SentWrites): void;
  settle(batch: WriteBatch, slot: number, outcome: 'written' | 'skipped' | WriteStatus): void;
}
