/** What a turn hears, group by group: written as it comes, and remembered by name. */
import type { Listener, RawDocument } from '../firestore/index.ts';
import { type BatchWriter, createdOf, updatedOf } from './batch-writer.ts';
import type { Standing } from './standing.ts';

/** A version of a document: its times in microseconds. */
export interface Version {
  readonly updated: number;
  readonly created: number;
}

/** How many documents the source says that a group has, and what it had told of until then. */
export interface Filter {
  readonly count: number;
  readonly gone: number;
  readonly created: number;
}

export class Group {
  readonly standing: Standing;
  /** What each document that changed is by now; undefined if it is gone. */
  readonly changes = new Map<string, Version | undefined>();
  filter: Filter | undefined;
  /** Documents came that had not changed: the source told all there is, and of nothing that is gone. */
  isReplayed = false;
  /** Documents sent. */
  told = 0;

  constructor(standing: Standing) {
    this.standing = standing;
  }

  /** Deletions, and documents that were created since the group was left off. */
  tally(): { readonly gone: number; readonly created: number } {
    let [gone, created] = [0, 0];
    for (const version of this.changes.values())
      if (!version) gone += 1;
      else if (version.created > this.standing.to) created += 1;
    return { gone, created };
  }

  /** A query is billed as one read at least. */
  get reads(): number {
    return Math.max(1, this.told);
  }
}

export class Gathering implements Listener {
  readonly groups = new Map<string, Group>();
  readonly #targets = new Map<number, Group>();
  readonly #writer: BatchWriter;

  constructor(writer: BatchWriter) {
    this.#writer = writer;
  }

  /** The group of a target that is to be listened to. */
  add(targetId: number, standing: Standing): Group {
    const group = new Group(standing);
    this.groups.set(standing.collectionId, group);
    this.#targets.set(targetId, group);
    return group;
  }

  changed(bytes: Buffer, document: RawDocument): void {
    const name = bytes.toString('utf8', document.nameStart, document.nameEnd);
    const group = this.#groupOf(name);
    const updated = updatedOf(document);
    group.told += 1;
    if (updated <= group.standing.to) {
      group.isReplayed = true;
      return;
    }
    if (group.changes.get(name)?.updated === updated) return;
    group.changes.set(name, { updated, created: createdOf(document) });
    this.#writer.document(bytes, document.start, document.end, document);
  }

  gone(name: string): void {
    this.#groupOf(name).changes.set(name, undefined);
  }

  counted(targetId: number, count: number): void {
    const group = this.#targets.get(targetId);
    if (group) group.filter = { count, ...group.tally() };
  }

  rest(): Promise<void> {
    return this.#writer.rest();
  }

  /** Documents that changed. */
  get documents(): number {
    return [...this.groups.values()].reduce((sum, { changes }) => sum + changes.size, 0);
  }

  #groupOf(name: string): Group {
    const collectionId = name.split('/').at(-2) ?? '';
    const group = this.groups.get(collectionId);
    if (!group) throw new Error('the source told of a document that nobody asked for');
    return group;
  }
}
