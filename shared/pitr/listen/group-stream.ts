/** One Listen stream. Its changes go to the current cycle, step by step. */
import type { ConsistentPoint, ListenCall, Listener, RawDocument, ReadBilling } from '../../firestore/index.ts';
import { updatedOf } from '../batch/change-batch-writer.ts';
import { microsOf } from '../model/micro-time.ts';
import { type ResumePosition, targetOf } from '../model/resume-position.ts';
import { CollectionGroup, type ExistenceFilter, type ObservedChanges } from './observed-changes.ts';
import { StreamStep } from './stream-step.ts';

/** What receives changes after the current cycle: the next cycle, nothing, or (undefined) the cycle does not end yet. */
export type Successor = ObservedChanges | 'none' | undefined;

/** A caller that waits for the end of the current step. */
interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class GroupStream implements Listener {
  readonly #call: ListenCall;
  readonly #billing: ReadBilling;
  #observed: ObservedChanges;
  #successor: Successor;
  readonly #groups = new Map<string, CollectionGroup>();
  readonly #targets = new Map<number, string>();
  readonly #step = new StreamStep();
  /** The source's counts before the current step. */
  readonly #filters = new Map<CollectionGroup, ExistenceFilter | undefined>();
  #waiting: Waiting[] = [];
  /** Set once the stream is closed or has failed. */
  failure: { readonly error: unknown } | undefined;

  constructor(
    call: ListenCall,
    {
      observed,
      successor,
      billing,
    }: { readonly observed: ObservedChanges; readonly successor: Successor; readonly billing: ReadBilling },
  ) {
    this.#call = call;
    this.#billing = billing;
    this.#observed = observed;
    this.#successor = successor;
    void this.#receive();
  }

  /** All groups must be added before the first response. */
  add(position: ResumePosition, targetId: number): void {
    const group = new CollectionGroup(position, false);
    this.#observed.writer.recordHistory();
    this.#groups.set(position.collectionId, group);
    this.#targets.set(targetId, position.collectionId);
    this.#observed.groups.set(position.collectionId, group);
    this.#call.add(targetOf(position, targetId));
  }

  /** Resolves at the end of the step in which the source has answered all requests. */
  nextStep(): Promise<void> {
    if (this.failure) return Promise.reject(this.failure.error);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** Makes the source report its time, which ends the current step: an idle stream reports none. */
  requestTime(probeName: string): Promise<void> {
    const answered = this.nextStep();
    if (this.failure) return answered;
    this.#observed.timeRequests += 1;
    this.#call.askTime(probeName);
    return answered;
  }

  /** Ends the cycle with the requested step; later changes belong to the successor. */
  endCycle(successor: Successor, probeName: string): Promise<void> {
    this.#successor = successor;
    return this.requestTime(probeName);
  }

  /** Closes the stream and keeps everything up to the last complete step. False if part of a later step is already stored. */
  giveUp(): boolean {
    this.close();
    if (this.#step.isTorn || [...this.#groups.values()].some(({ isHeard }) => !isHeard)) return false;
    this.#step.discard();
    for (const [group, filter] of this.#filters) group.filter = filter;
    return true;
  }

  close(): void {
    this.failure ??= { error: new Error('the Listen stream is closed') };
    this.#call.close();
  }

  changed(bytes: Buffer, document: RawDocument): void {
    if (this.failure) return;
    const name = bytes.toString('utf8', document.nameStart, document.nameEnd);
    const group = this.#groupOf(name);
    group.readsSent += this.#billing.document(document.end - document.start);
    const updated = updatedOf(document);
    if (updated <= group.since) group.isReplayed = true;
    else if (updated > group.position.to && group.changes.get(name)?.updated !== updated)
      this.#step.changed({ group, name, bytes, document }, this.#observed);
  }

  gone(name: string, seenAt: string | undefined): void {
    if (!this.failure) this.#step.gone(this.#groupOf(name), name, seenAt === undefined ? undefined : microsOf(seenAt));
  }

  counted(targetId: number, count: number): void {
    const group = this.#groups.get(this.#targets.get(targetId) ?? '');
    if (!group || this.failure) return;
    if (!this.#filters.has(group)) this.#filters.set(group, group.filter);
    group.filter = { count, ...group.tally() };
  }

  settled({ readTime, token, isAnswered }: ConsistentPoint): void {
    if (this.failure) return;
    const heard = { to: microsOf(readTime), token };
    const groups = [...this.#groups.values()];
    const isLast = this.#successor !== undefined || groups.some(({ isHeard }) => !isHeard);
    this.#step.end(heard.to, this.#observed, isLast);
    for (const group of groups) {
      if (!group.isHeard) group.unobserved = { from: group.position.to, to: heard.to };
      group.heard = heard;
    }
    this.#filters.clear();
    if (!isAnswered) return;
    this.#handOver(groups);
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }

  rest(): Promise<void> {
    return this.#observed.writer.drain();
  }

  async #receive(): Promise<void> {
    try {
      await this.#call.hear(this);
    } catch (error) {
      this.failure ??= { error };
      for (const { reject } of this.#waiting.splice(0)) reject(this.failure.error);
    }
  }

  #handOver(groups: readonly CollectionGroup[]): void {
    const successor = this.#successor;
    this.#successor = undefined;
    if (successor === 'none') this.close();
    if (successor === undefined || successor === 'none') return;
    this.#observed = successor;
    for (const { position, heard } of groups) {
      const { collectionId } = position;
      const group = new CollectionGroup({ collectionId, ...heard, count: undefined }, true);
      this.#groups.set(collectionId, group);
      successor.groups.set(collectionId, group);
    }
  }

  #groupOf(name: string): CollectionGroup {
    const group = this.#groups.get(name.split('/').at(-2) ?? '');
    if (!group) throw new Error('the source sent a document of a collection that was not requested');
    return group;
  }
}
