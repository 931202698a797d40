import { delayMs } from '../grpc/retry-state.ts';
import { SourceError } from '../grpc/source-error.ts';
import { RpcError } from '../grpc/status.ts';
import { type WriteStatus, writeStatuses } from './batch-response.ts';
import { changed, classifyRequest, isOutage, isOutcomeUnknown, isTooLarge, refused, unstable } from './classify-write.ts';
import { groupResults } from './group-results.ts';
import type { RateGrant } from './rate-ramp.ts';
import { resolvePreconditions } from './resolve-preconditions.ts';
import type { SenderContext } from './sender-context.ts';
import type { WriteBatch } from './write-batch.ts';

interface Answer {
  readonly given: RateGrant | undefined;
  /** How the request failed as a whole, or what became of each write. */
  readonly told: RpcError | readonly WriteStatus[];
}

/** A request that failed as often as this goes on in halves: one document may be what the target trips over. */
const failuresWhole = 2;
/** So long a target may take nothing at all for want of quota; longer than a function runs, which then hands over. */
const restMsMax = 15 * 60_000;

/**
 * Sends writes of a batch until it is known of each what became: written, skipped or failed for good. Each write is judged by its
 * own status. A request whose answer is lost may have been applied: without a condition, once more changes nothing; where the
 * condition of a write was not met, what it was to do is compared with what is there.
 */
export class BatchSender {
  readonly #course: SenderContext;
  readonly #batch: WriteBatch;
  #slots: readonly number[];
  /** Requests in a row that failed as a whole. */
  #failures: number;
  /** Whether others got through meanwhile: then it is not the target, it is these. */
  #isPassedBy = false;
  #needsToken = false;
  #rests = 0;
  #restedMs = 0;
  /** What the target had decided when this last had to wait. */
  #seen: number;

  constructor(course: SenderContext, batch: WriteBatch, slots: readonly number[], failures: number) {
    this.#course = course;
    this.#batch = batch;
    this.#slots = slots;
    this.#failures = failures;
    this.#seen = course.decided;
  }

  async run(): Promise<void> {
    while (this.#slots.length > 0) {
      const { given, told } = await this.#send();
      if (told instanceof RpcError) await this.#retry(told, given);
      else await this.#judge(told, given);
    }
  }

  async #send(): Promise<Answer> {
    const { semaphore, rateLimiter, target, retryOptions, callSignal } = this.#course;
    await semaphore.acquire();
    let given: RateGrant | undefined;
    try {
      given = await rateLimiter?.take(this.#slots.length, retryOptions.signal);
      if (given) this.#leaveAfter(given.writes);
      const request = this.#batch.request(target.database, this.#slots);
      const [answer] = await target.callOnce('BatchWrite', request, this.#needsToken, callSignal);
      return { given, told: writeStatuses(answer, this.#slots.length) };
    } catch (error) {
      if (!(error instanceof RpcError)) throw error;
      return { given, told: error };
    } finally {
      semaphore.release();
    }
  }

  /** Keeps the first slots; the others become deliveries of their own, of as many each. */
  #leaveAfter(count: number): void {
    const slots = this.#slots;
    this.#slots = slots.slice(0, count);
    for (let at = count; at < slots.length; at += count)
      this.#course.send(this.#batch, slots.slice(at, at + count), this.#failures);
  }

  async #retry(error: RpcError, given: RateGrant | undefined): Promise<void> {
    const verdict = classifyRequest(error);
    if (verdict instanceof SourceError) throw verdict;
    if (verdict === 'refresh') {
      if (this.#needsToken) throw refused(error);
      this.#needsToken = true;
      return;
    }
    this.#needsToken = false;
    if (verdict === 'split') {
      if (this.#slots.length === 1) this.#giveUp(error);
      else this.#leaveAfter(Math.ceil(this.#slots.length / (isTooLarge(error) ? 10 : 2)));
      return;
    }
    for (const slot of this.#slots) this.#batch.isUnsure[slot] = 1;
    if (verdict === 'rest') return this.#rest(given);
    const { policy, random, sleep, signal } = this.#course.retryOptions;
    this.#failures += 1;
    // At first others still hear answers that were on their way.
    if (this.#isThere() && this.#failures > failuresWhole) this.#isPassedBy = true;
    if (this.#failures >= policy.attempts) {
      if (this.#slots.length === 1 && (this.#isPassedBy || !isOutage(error.status))) return this.#giveUp(error);
      if (!this.#isPassedBy) throw unreachable(error, this.#failures);
      this.#failures -= 1;
    }
    if (this.#failures > failuresWhole && this.#slots.length > 1) this.#leaveAfter(Math.ceil(this.#slots.length / 2));
    await sleep(delayMs(this.#failures, false, random, policy), signal);
  }

  async #judge(statuses: readonly WriteStatus[], given: RateGrant | undefined): Promise<void> {
    const { retryOptions } = this.#course;
    const { written, skipped, unmet, failed, retry, exhausted, refusal } = groupResults(this.#slots, statuses, this.#batch);
    const decided = written.length + skipped.length + unmet.length + failed.length;
    this.#course.decided += decided;
    this.#failures = 0;
    this.#isPassedBy = this.#needsToken = false;
    if (decided > 0) this.#rests = 0;
    const left = [...exhausted];
    for (const slot of written) this.#settle(slot, 'written');
    for (const slot of skipped) this.#settle(slot, 'skipped');
    for (const { slot, status } of failed) this.#settle(slot, status);
    for (const { slot, status } of retry) if (this.#mayTry(slot, status)) left.push(slot);
    if (refusal) throw refusal;
    if (unmet.length > 0) left.push(...(await this.#compare(unmet)));
    this.#slots = left;
    if (exhausted.length > 0) return this.#rest(given);
    const tries = left.reduce((most, slot) => Math.max(most, this.#batch.attempts[slot] ?? 0), 0);
    if (tries > 0) await retryOptions.sleep(delayMs(tries, false, retryOptions.random, retryOptions.policy), retryOptions.signal);
  }

  /** Settles those that are as they were to be, and those that someone else has changed; gives those that can be created again. */
  async #compare(slots: readonly number[]): Promise<readonly number[]> {
    const batch = this.#batch;
    const { target, callSignal } = this.#course;
    const left: number[] = [];
    for (const [slot, standing] of await resolvePreconditions(target, batch, slots, callSignal)) {
      if (standing === 'as wanted') this.#settle(slot, 'written');
      else if (standing === 'gone' && batch.condition(slot) === 'absent') {
        if (this.#mayTry(slot, unstable)) left.push(slot);
      } else this.#settle(slot, batch.mode(slot) === 'skip_existing' ? 'skipped' : changed);
    }
    return left;
  }

  /** Counts a try of a write; the last one settles it as failed. */
  #mayTry(slot: number, told: WriteStatus): boolean {
    const { attempts, isUnsure } = this.#batch;
    const count = (attempts[slot] ?? 0) + 1;
    attempts[slot] = count;
    if (isOutcomeUnknown(told.status)) isUnsure[slot] = 1;
    if (count < this.#course.retryOptions.policy.attempts) return true;
    this.#settle(slot, told);
    return false;
  }

  /** The target has taken all that it takes for now. */
  async #rest(given: RateGrant | undefined): Promise<void> {
    const { policy, random, sleep, signal } = this.#course.retryOptions;
    if (given) await this.#course.rateLimiter?.exhausted(given);
    if (this.#isThere()) this.#restedMs = 0;
    this.#rests += 1;
    const ms = delayMs(this.#rests, true, random, policy);
    this.#restedMs += ms;
    if (this.#restedMs > restMsMax)
      throw new SourceError('WRITE_QUOTA_EXCEEDED', 'The target has taken no more writes for 15 minutes: its quota is used up.', {
        isTransient: true,
      });
    await sleep(ms, signal);
  }

  /** Whether the target has decided about anything since this was last asked. */
  #isThere(): boolean {
    const { decided } = this.#course;
    const isThere = decided !== this.#seen;
    this.#seen = decided;
    return isThere;
  }

  #giveUp({ status, message }: RpcError): void {
    for (const slot of this.#slots) this.#settle(slot, { status, message });
    this.#slots = [];
  }

  #settle(slot: number, outcome: 'written' | 'skipped' | WriteStatus): void {
    this.#course.settle(this.#batch, slot, outcome);
  }
}

const unreachable = (cause: RpcError, failures: number): SourceError =>
  new SourceError('INTERNAL_ERROR', `The target did not answer after ${failures} attempts: ${cause.status}.`, {
    cause,
    isTransient: true,
  });
