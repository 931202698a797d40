/** The changes of a stream between two consistent points. They are consistent only once the step is complete. */
import type { RawDocument } from '../../firestore/index.ts';
import { createdOf, updatedOf } from '../batch/change-batch-writer.ts';
import { lastSecondBefore } from '../model/micro-time.ts';
import type { CollectionGroup, ObservedChanges, Version } from './observed-changes.ts';

/** Documents held back until the step is complete. A larger step is stored early; if it then fails, the cycle is lost. */
const heldMaxBytes = 8 << 20;

interface StepChange {
  readonly group: CollectionGroup;
  /** The current version; undefined if the document is deleted. */
  last: Version | undefined;
  /** When the source noticed the deletion. */
  seenAt: number | undefined;
  /** Versions received in this step, usually one. */
  readonly versions: Version[];
  /** Whether the document changed earlier in the cycle, and its version then. */
  readonly wasChanged: boolean;
  readonly before: Version | undefined;
}

interface Held {
  readonly bytes: Buffer;
  readonly marks: Marks;
}
type Marks = Pick<RawDocument, 'nameStart' | 'nameEnd' | 'createdSeconds' | 'createdNanos' | 'updatedSeconds' | 'updatedNanos'>;

interface ReceivedDocument {
  readonly group: CollectionGroup;
  readonly name: string;
  readonly bytes: Buffer;
  readonly document: RawDocument;
}

export class StreamStep {
  readonly #changes = new Map<string, StepChange>();
  readonly #held = new Map<string, Held>();
  #heldBytes = 0;
  /** Part of the step is stored already: it must be completed. */
  isTorn = false;

  changed({ group, name, bytes, document }: ReceivedDocument, observed: ObservedChanges): void {
    const version = { updated: updatedOf(document), created: createdOf(document) };
    const change = this.#changeOf(group, name);
    this.#drop(name, change);
    change.versions.push(version);
    change.last = version;
    group.changes.set(name, version);
    this.#hold(name, bytes, document);
    if (this.#heldBytes > heldMaxBytes) {
      this.isTorn = true;
      this.#store(observed);
    }
  }

  gone(group: CollectionGroup, name: string, seenAt: number | undefined): void {
    const change = this.#changeOf(group, name);
    this.#drop(name, change);
    change.last = undefined;
    change.seenAt = seenAt;
    group.changes.set(name, undefined);
  }

  /** Undoes an incomplete step. */
  discard(): void {
    for (const [name, { group, wasChanged, before }] of this.#changes)
      if (wasChanged) group.changes.set(name, before);
      else group.changes.delete(name);
    this.#changes.clear();
    this.#held.clear();
    this.#heldBytes = 0;
  }

  /**
   * Completes the step at `to`. The source sends only the version at its end. If a whole second lies between the start and a change,
   * another version may have existed at that second: it is looked up. If the cycle ends within the step (`isLast`), so is the version
   * at the end of the cycle.
   */
  end(to: number, observed: ObservedChanges, isLast: boolean): void {
    this.#store(observed);
    for (const [name, { group, last, seenAt, versions }] of this.#changes) {
      const from = group.heard.to;
      const isSeen = lastSecondBefore(last?.updated ?? to) <= from;
      if (isSeen && !isLast) {
        if (!last) observed.writer.tombstone(name, to);
      } else observed.searches.push({ name, from, to, last, versions, seenAt: group.isHeard ? seenAt : undefined });
    }
    this.#changes.clear();
    this.isTorn = false;
  }

  #changeOf(group: CollectionGroup, name: string): StepChange {
    const known = this.#changes.get(name);
    if (known) return known;
    const earlier = { wasChanged: group.changes.has(name), before: group.changes.get(name) };
    const change: StepChange = { group, last: undefined, seenAt: undefined, versions: [], ...earlier };
    this.#changes.set(name, change);
    return change;
  }

  /** Copies: the bytes are valid during the call only, and `document` is reused. */
  #hold(name: string, bytes: Buffer, document: RawDocument): void {
    const { start, end, nameStart, nameEnd, createdSeconds, createdNanos, updatedSeconds, updatedNanos } = document;
    const times = { createdSeconds, createdNanos, updatedSeconds, updatedNanos };
    const marks = { nameStart: nameStart - start, nameEnd: nameEnd - start, ...times };
    this.#held.set(name, { bytes: Buffer.from(bytes.subarray(start, end)), marks });
    this.#heldBytes += end - start;
  }

  /** Only the last version within a step is stored; earlier ones are looked up. */
  #drop(name: string, { versions }: StepChange): void {
    const held = this.#held.get(name);
    if (!held) return;
    versions.pop();
    this.#held.delete(name);
    this.#heldBytes -= held.bytes.length;
  }

  #store({ writer }: ObservedChanges): void {
    for (const { bytes, marks } of this.#held.values()) writer.document(bytes, 0, bytes.length, marks);
    this.#held.clear();
    this.#heldBytes = 0;
  }
}
