/** What a stream tells between two times up to which it told everything: kept together, because only whole it says anything. */
import type { RawDocument } from '../../firestore/index.ts';
import { createdOf, updatedOf } from '../batch/change-batch-writer.ts';
import { lastSecondBefore } from '../model/micro-time.ts';
import type { CollectionGroup, ObservedChanges, Version } from './observed-changes.ts';

/** What is held back until the step is whole. Of more, a step that is broken off spoils the turn. */
const heldMaxBytes = 8 << 20;

interface Told {
  readonly group: CollectionGroup;
  /** What it is by now; undefined if it is gone. */
  last: Version | undefined;
  /** When the source noticed that it is gone. */
  seenAt: number | undefined;
  /** Versions that were told: one, mostly. */
  readonly versions: Version[];
  /** Whether something was told of it earlier in the turn, and what. */
  readonly wasTold: boolean;
  readonly before: Version | undefined;
}

interface Held {
  readonly bytes: Buffer;
  readonly marks: Marks;
}
type Marks = Pick<RawDocument, 'nameStart' | 'nameEnd' | 'createdSeconds' | 'createdNanos' | 'updatedSeconds' | 'updatedNanos'>;

export class Step {
  readonly #told = new Map<string, Told>();
  readonly #held = new Map<string, Held>();
  #heldBytes = 0;
  /** Something of it is stored already: it must become whole. */
  isTorn = false;

  changed(group: CollectionGroup, name: string, bytes: Buffer, document: RawDocument, observed: ObservedChanges): void {
    const version = { updated: updatedOf(document), created: createdOf(document) };
    const told = this.#of(group, name);
    this.#drop(name, told);
    told.versions.push(version);
    told.last = version;
    group.changes.set(name, version);
    this.#hold(name, bytes, document);
    if (this.#heldBytes > heldMaxBytes) {
      this.isTorn = true;
      this.#store(observed);
    }
  }

  gone(group: CollectionGroup, name: string, seenAt: number | undefined): void {
    const told = this.#of(group, name);
    this.#drop(name, told);
    told.last = undefined;
    told.seenAt = seenAt;
    group.changes.set(name, undefined);
  }

  /** It does not become whole: nothing of it was told. */
  discard(): void {
    for (const [name, { group, wasTold, before }] of this.#told)
      if (wasTold) group.changes.set(name, before);
      else group.changes.delete(name);
    this.#told.clear();
    this.#held.clear();
    this.#heldBytes = 0;
  }

  /**
   * Everything up to `to` is told. What the source tells is what is there at the end: where a whole second lies between the
   * beginning and a change, another version may have been there at that second, which is looked up. `isLast` says that the turn ends
   * within the step, or with it: then the end of the turn may be such a moment, too.
   */
  end(to: number, observed: ObservedChanges, isLast: boolean): void {
    this.#store(observed);
    for (const [name, { group, last, seenAt, versions }] of this.#told) {
      const from = group.heard.to;
      const isSeen = lastSecondBefore(last?.updated ?? to) <= from;
      if (isSeen && !isLast) {
        if (!last) observed.writer.tombstone(name, to);
      } else observed.searches.push({ name, from, to, last, versions, seenAt: group.isHeard ? seenAt : undefined });
    }
    this.#told.clear();
    this.isTorn = false;
  }

  #of(group: CollectionGroup, name: string): Told {
    const known = this.#told.get(name);
    if (known) return known;
    const earlier = { wasTold: group.changes.has(name), before: group.changes.get(name) };
    const told: Told = { group, last: undefined, seenAt: undefined, versions: [], ...earlier };
    this.#told.set(name, told);
    return told;
  }

  /** The bytes are valid within the call only, and a skim is used again. */
  #hold(name: string, bytes: Buffer, document: RawDocument): void {
    const { start, end, nameStart, nameEnd, createdSeconds, createdNanos, updatedSeconds, updatedNanos } = document;
    const times = { createdSeconds, createdNanos, updatedSeconds, updatedNanos };
    const marks = { nameStart: nameStart - start, nameEnd: nameEnd - start, ...times };
    this.#held.set(name, { bytes: Buffer.from(bytes.subarray(start, end)), marks });
    this.#heldBytes += end - start;
  }

  /** Of a document that is told of again within a step only the last counts: when it was what before is looked up. */
  #drop(name: string, { versions }: Told): void {
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
