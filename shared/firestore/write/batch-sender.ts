import { delayMs } from '../grpc/retry-state.ts';
import { SourceError } from '../grpc/source-error.ts';
import { RpcError } from '../grpc/status.ts';
import { changed, classifyRequest, isOutage, isTooLarge, isWriteOutcomeUnknown, refused, unstable } from './classify-write.ts';
import { groupResults } from './group-results.ts';
import type { RateGrant } from './rate-ramp.ts';
import { resolvePreconditions } from './resolve-preconditions.ts';
import type { SenderContext, SentWrites } from './sender-context.ts';
import type { WriteBatch } from './write-batch.ts';
import { type WriteStatus, writeStatuses } from './write-statuses.ts';

interface SendResult {
  readonly grant: RateGrant | undefined;
  /** The failure of the whole request, or the status of each write. */
  readonly outcome: RpcError | readonly WriteStatus[];
}

/** After this many failures a request is split in halves: a single document may cause them. */
const maxFailuresWhole = 2;
/** Maximum time without any accepted write for lack of quota. Longer than a function runs, so that it yields first. */
const maxBackOffMs = 15 * 60_000;

/**
 * Sends writes of a batch until the outcome of each is known: written, skipped or failed. Each write is classified by its own
 * status. A request with a lost response may have been applied: without a precondition it is repeated safely; where a
 * precondition fails, the intended and the actual document are compared.
 */
export class BatchSender {
  readonly #context: SenderContext;
  readonly #batch: WriteBatch;
  #slots: readonly number[];
  /** Consecutive requests that failed as a whole. */
  #failures: number;
  /** Whether other requests succeeded meanwhile: then these writes fail, not the target. */
  #othersSucceeded = false;
  #needsToken = false;
  #backOffs = 0;
  #backedOffMs = 0;
  /** `decided` when this sender last waited. */
  #decidedBefore: number;

  constructor(context: SenderContext, { batch, slots, failures }: SentWrites) {
    this.#context = context;
    this.#batch = batch;
    this.#slots = slots;
    this.#failures = failures;
    this.#decidedBefore = context.decided;
  }

  async run(): Promise<void> {
    while (this.#slots.length > 0) {
      const { grant, outcome } = await this.#send();
      if (outcome instanceof RpcError) await this.#retry(outcome, grant);
      else await this.#handleStatuses(outcome, grant);
    }
  }

  async #send(): Promise<SendResult> {
    const { semaphore, rateLimiter, target, retryOptions, callSignal } = this.#context;
    await semaphore.acquire();
    let grant: RateGrant | undefined;
    try {
      grant = await rateLimiter?.take(this.#slots.length, retryOptions.signal);
      if (grant) this.#splitAfter(grant.writes);
      const request = this.#batch.request(target.database, this.#slots);
      const [response] = await target.callOnce('BatchWrite', request, { refresh: this.#needsToken, signal: callSignal });
      return { grant, outcome: writeStatuses(response, this.#slots.length) };
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      return { grant, outcome: error };
    } finally {
      semaphore.release();
    }
  }

  /** Keeps the first `count` slots; the rest are sent separately in groups of that size. */
  #splitAfter(count: number): void {
    const slots = this.#slots;
    this.#slots = slots.slice(0, count);
    for (let at = count; at < slots.length; at += count)
      this.#context.send({ batch: this.#batch, slots: slots.slice(at, at + count), failures: this.#failures });
  }

  async #retry(error: RpcError, grant: RateGrant | undefined): Promise<void> {
    const verdict = classifyRequest(error);
    if (verdict instanceof SourceError) throw verdict;
    if (verdict === 'refreshToken') {
      if (this.#needsToken) throw refused(error);
      this.#needsToken = true;
      return;
    }
    this.#needsToken = false;
    if (verdict === 'split') {
      if (this.#slots.length === 1) this.#giveUp(error);
      else this.#splitAfter(Math.ceil(this.#slots.length / (isTooLarge(error) ? 10 : 2)));
      return;
    }
    for (const slot of this.#slots) this.#batch.isUnsure[slot] = 1;
    if (verdict === 'backOff') return this.#backOff(grant);
    const { policy, random, sleep, signal, availability } = this.#context.retryOptions;
    availability.failed({ isExhausted: false });
    this.#failures += 1;
    // At first other senders still receive responses that were in flight.
    if (this.#hasProgress() && this.#failures > maxFailuresWhole) this.#othersSucceeded = true;
    if (this.#failures >= policy.attempts) {
      if (this.#slots.length === 1 && (this.#othersSucceeded || !isOutage(error.status))) return this.#giveUp(error);
      if (!this.#othersSucceeded) throw unreachable(error, this.#failures);
      this.#failures -= 1;
    }
    if (this.#failures > maxFailuresWhole && this.#slots.length > 1) this.#splitAfter(Math.ceil(this.#slots.length / 2));
    await sleep(delayMs(this.#failures, { isExhausted: false, random, policy }), signal);
  }

  async #handleStatuses(statuses: readonly WriteStatus[], grant: RateGrant | undefined): Promise<void> {
    const { retryOptions } = this.#context;
    const { written, skipped, unmet, failed, retry, exhausted, refusal } = groupResults(this.#slots, statuses, this.#batch);
    const decided = written.length + skipped.length + unmet.length + failed.length;
    this.#context.decided += decided;
    this.#failures = 0;
    this.#othersSucceeded = this.#needsToken = false;
    if (decided > 0) {
      this.#backOffs = 0;
      retryOptions.availability.succeeded();
    }
    const remaining = [...exhausted];
    for (const slot of written) this.#settle(slot, 'written');
    for (const slot of skipped) this.#settle(slot, 'skipped');
    for (const { slot, status } of failed) this.#settle(slot, status);
    for (const { slot, status } of retry) if (this.#mayRetry(slot, status)) remaining.push(slot);
    if (refusal) throw refusal;
    if (unmet.length > 0) remaining.push(...(await this.#resolve(unmet)));
    this.#slots = remaining;
    if (exhausted.length > 0) return this.#backOff(grant);
    const attempts = remaining.reduce((max, slot) => Math.max(max, this.#batch.attempts[slot] ?? 0), 0);
    if (attempts > 0)
      await retryOptions.sleep(
        delayMs(attempts, { isExhausted: false, random: retryOptions.random, policy: retryOptions.policy }),
        retryOptions.signal,
      );
  }

  /** Settles writes that are already applied and those that another client changed; returns those to be created again. */
  async #resolve(slots: readonly number[]): Promise<readonly number[]> {
    const batch = this.#batch;
    const { target, callSignal } = this.#context;
    const remaining: number[] = [];
    for (const [slot, state] of await resolvePreconditions(target, { batch, slots, signal: callSignal })) {
      if (state === 'applied') this.#settle(slot, 'written');
      else if (state === 'missing' && batch.slot(slot).condition === 'absent') {
        if (this.#mayRetry(slot, unstable)) remaining.push(slot);
      } else this.#settle(slot, batch.slot(slot).mode === 'skip_existing' ? 'skipped' : changed);
    }
    return remaining;
  }

  /** Counts an attempt of a write; after the last one it has failed. */
  #mayRetry(slot: number, status: WriteStatus): boolean {
    const { attempts, isUnsure } = this.#batch;
    const count = (attempts[slot] ?? 0) + 1;
    attempts[slot] = count;
    if (isWriteOutcomeUnknown(status.status)) isUnsure[slot] = 1;
    if (count < this.#context.retryOptions.policy.attempts) return true;
    this.#settle(slot, status);
    return false;
  }

  /** Backs off: the write quota of the target is exhausted. */
  async #backOff(grant: RateGrant | undefined): Promise<void> {
    const { policy, random, sleep, signal, availability } = this.#context.retryOptions;
    availability.failed({ isExhausted: true });
    if (grant) await this.#context.rateLimiter?.exhausted(grant);
    if (this.#hasProgress()) this.#backedOffMs = 0;
    this.#backOffs += 1;
    const ms = delayMs(this.#backOffs, { isExhausted: true, random, policy });
    this.#backedOffMs += ms;
    if (this.#backedOffMs > maxBackOffMs)
      throw new SourceError('WRITE_QUOTA_EXCEEDED', 'The target has accepted no writes for 15 minutes: its quota is exhausted.', {
        isTransient: true,
      });
    await sleep(ms, signal);
  }

  /** Whether the target has decided any write since the last call. */
  #hasProgress(): boolean {
    const { decided } = this.#context;
    const hasProgress = decided !== this.#decidedBefore;
    this.#decidedBefore = decided;
    return hasProgress;
  }

  #giveUp({ status, message }: RpcError): void {
    for (const slot of this.#slots) this.#settle(slot, { status, message });
    this.#slots = [];
  }

  #settle(slot: number, outcome: 'written' | 'skipped' | WriteStatus): void {
    this.#context.settle(this.#batch, slot, outcome);
  }
}

const unreachable = (cause: RpcError, failures: number): SourceError =>
  new SourceError('INTERNAL_ERROR', `The target did not answer ${failures} calls in a row: ${cause.status}.`, {
    cause,
    isTransient: true,
  });
