/** One stream, heard all the time it is open: what it tells goes to the turn under way, step by step. */
import type { ConsistentPoint, ListenCall, Listener, RawDocument } from '../../firestore/index.ts';
import { updatedOf } from '../batch/change-batch-writer.ts';
import { microsOf } from '../model/micro-time.ts';
import { type ResumePosition, targetOf } from '../model/resume-position.ts';
import { CollectionGroup, type Filter, type ObservedChanges } from './observed-changes.ts';
import { Step } from './stream-step.ts';

/** Who hears on when a turn is over: the following one, nobody, or, while none is to end, the same. */
export type Successor = ObservedChanges | 'none' | undefined;

/** Who waits for the end of the step under way. */
interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

export class GroupStream implements Listener {
  readonly #listening: ListenCall;
  #observed: ObservedChanges;
  #following: Successor;
  readonly #groups = new Map<string, CollectionGroup>();
  readonly #targets = new Map<number, string>();
  readonly #step = new Step();
  /** What the source had counted before the step under way. */
  readonly #filters = new Map<CollectionGroup, Filter | undefined>();
  #waiting: Waiting[] = [];
  /** Why nothing more is heard. */
  failure: { readonly error: unknown } | undefined;

  constructor(listening: ListenCall, observed: ObservedChanges, following: Successor) {
    this.#listening = listening;
    this.#observed = observed;
    this.#following = following;
    void this.#hear();
  }

  /** Groups are added all at once, before anything is told. */
  add(position: ResumePosition, targetId: number): void {
    const group = new CollectionGroup(position, false);
    this.#groups.set(position.collectionId, group);
    this.#targets.set(targetId, position.collectionId);
    this.#observed.groups.set(position.collectionId, group);
    this.#listening.add(targetOf(position, targetId));
  }

  /** Resolves with the step in which the source has answered all it was asked. */
  nextStep(): Promise<void> {
    if (this.failure) return Promise.reject(this.failure.error);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** Has the source tell a time, with which the step under way ends: a quiet stream tells none. */
  requestTime(name: string): Promise<void> {
    const asked = this.nextStep();
    if (this.failure) return asked;
    this.#observed.timeRequests += 1;
    this.#listening.askTime(name);
    return asked;
  }

  /** The step that is asked for ends the turn: whatever is told behind it is the following one's. */
  endCycle(following: Successor, probeName: string): Promise<void> {
    this.#following = following;
    return this.requestTime(probeName);
  }

  /** Hears no more: everything up to the last whole step counts. False if that cannot be had. */
  giveUp(): boolean {
    this.close();
    if (this.#step.isTorn || [...this.#groups.values()].some(({ isHeard }) => !isHeard)) return false;
    this.#step.discard();
    for (const [group, filter] of this.#filters) group.filter = filter;
    return true;
  }

  close(): void {
    this.failure ??= { error: new Error('nobody listens any more') };
    this.#listening.close();
  }

  changed(bytes: Buffer, document: RawDocument): void {
    if (this.failure) return;
    const name = bytes.toString('utf8', document.nameStart, document.nameEnd);
    const group = this.#groupOf(name);
    group.documentsSent += 1;
    const updated = updatedOf(document);
    if (updated <= group.since) group.isReplayed = true;
    else if (updated > group.position.to && group.changes.get(name)?.updated !== updated)
      this.#step.changed(group, name, bytes, document, this.#observed);
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
    const isLast = this.#following !== undefined || groups.some(({ isHeard }) => !isHeard);
    this.#step.end(heard.to, this.#observed, isLast);
    for (const group of groups) {
      if (!group.isHeard) this.#observed.markUnobserved({ from: group.position.to, to: heard.to });
      group.heard = heard;
    }
    this.#filters.clear();
    if (!isAnswered) return;
    this.#begin(groups);
    for (const { resolve } of this.#waiting.splice(0)) resolve();
  }

  rest(): Promise<void> {
    return this.#observed.writer.drain();
  }

  async #hear(): Promise<void> {
    try {
      await this.#listening.hear(this);
    } catch (error) {
      this.failure ??= { error };
      for (const { reject } of this.#waiting.splice(0)) reject(this.failure.error);
    }
  }

  #begin(groups: readonly CollectionGroup[]): void {
    const following = this.#following;
    this.#following = undefined;
    if (following === 'none') this.close();
    if (following === undefined || following === 'none') return;
    this.#observed = following;
    for (const { position, heard } of groups) {
      const { collectionId } = position;
      const group = new CollectionGroup({ collectionId, ...heard, count: undefined }, true);
      this.#groups.set(collectionId, group);
      following.groups.set(collectionId, group);
    }
  }

  #groupOf(name: string): CollectionGroup {
    const group = this.#groups.get(name.split('/').at(-2) ?? '');
    if (!group) throw new Error('the source told of a document that nobody asked for');
    return group;
  }
}
