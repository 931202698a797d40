/** The names of a journal, each joined with what the backup has under it. */
import {
  type Archive,
  compareNames,
  type Leaf,
  type Moment,
  recordKind,
  type Segment,
  streamLeaves,
} from '../../archive/index.ts';
import type { NameRange } from '../../firestore/index.ts';
import { IndexPlace } from './index-locator.ts';

export interface Search {
  readonly journal: Archive;
  readonly backup: Archive;
  readonly range: NameRange;
  /** Goes on behind this name below the database. */
  readonly after?: string | undefined;
}

/** Names that stand side by side in a leaf of the journal, and the one leaf of the backup that may have them. */
export interface JoinedRun {
  readonly names: Leaf;
  readonly from: number;
  readonly to: number;
  readonly found: { readonly segment: Segment; readonly leaf: Leaf } | undefined;
}

/** Leaves of the backup that are fetched before they are wanted: 50 ms per fetch are then not what is waited for. */
const ahead = 8;

/**
 * Walks the names in their order. Of the backup it fetches the leaves that may have one of them, each once, and no other: all of
 * them where the names lie close, two ranges for a single name.
 */
export async function* joinJournalWithBackup(search: Search): AsyncGenerator<JoinedRun, void, undefined> {
  const { backup } = search;
  const recent = new Map<string, Promise<Leaf>>();
  const coming: Promise<JoinedRun>[] = [];
  const leafOf = (segment: Segment): Promise<Leaf> => {
    const key = `${segment.backup} ${segment.object} ${segment.frame}`;
    const leaf = recent.get(key) ?? backup.leaf(segment);
    recent.delete(key);
    recent.set(key, leaf);
    for (const oldest of recent.keys()) if (recent.size > ahead) recent.delete(oldest);
    return leaf;
  };
  for await (const { segment, ...stretch } of placed(search)) {
    const next = segment
      ? leafOf(segment).then((leaf) => ({ ...stretch, found: { segment, leaf } }))
      : Promise.resolve({ ...stretch, found: undefined });
    // Whoever waits for it hears of it when its turn comes.
    next.catch(() => undefined);
    coming.push(next);
    const [first] = coming;
    if (first && coming.length > ahead) {
      coming.shift();
      yield await first;
    }
  }
  for (const next of coming) yield await next;
}

type Placed = Omit<JoinedRun, 'found'> & { readonly segment: Segment | undefined };

/** Cuts the names of the journal where the leaves of the backup begin. */
async function* placed(search: Search): AsyncGenerator<Placed, void, undefined> {
  const [ofJournal, ofBackup] = [rootOf(search.journal), rootOf(search.backup)];
  const places = new IndexPlace(search.backup);
  for await (const { names, from, to } of namesIn(search)) {
    for (let start = from; start < to; ) {
      const path = names.name(start).subarray(ofJournal.length);
      const { segment, next } = await places.at(Buffer.concat([ofBackup, path]));
      const isOurs = segment?.first.subarray(0, ofBackup.length).equals(ofBackup) ?? false;
      const end = next && Buffer.concat([ofJournal, next.subarray(ofBackup.length)]);
      // What follows the users in a backup are its documents, so `next` is a document.
      const stop = end ? Math.max(start + 1, names.lowerBound(end, start, to)) : to;
      yield { names, from: start, to: stop, segment: isOurs ? segment : undefined };
      start = stop;
    }
  }
}

/** Names come without what was saved under them. */
async function* namesIn({ journal, range, after }: Search): AsyncGenerator<Omit<JoinedRun, 'found'>, void, undefined> {
  const root = rootOf(journal);
  const begin = after ?? range.from;
  const from = begin === undefined ? root.subarray(0, -1) : Buffer.concat([root, Buffer.from(begin)]);
  const end = range.to === undefined ? undefined : Buffer.concat([root, Buffer.from(range.to)]);
  for await (const { segment, leaf } of streamLeaves(journal, { from, part: 'keys', ahead: 4 })) {
    const last = segment.start + segment.count;
    let start = leaf.lowerBound(from, segment.start, last);
    if (after !== undefined && start < last && compareNames(leaf.name(start), from) === 0) start += 1;
    const stop = end ? leaf.lowerBound(end, start, last) : last;
    if (start < stop) yield { names: leaf, from: start, to: stop };
    if (stop < last) return;
  }
}

/** What the names of an archive's documents begin with. */
export const rootOf = ({ documentsRoot }: Archive): Buffer => Buffer.from(documentsRoot);

/** A name of the journal and the document that the backup has under it. */
export class JoinedDocument {
  /** Undefined if the backup has no document of that name: none at all, or only that there was none. */
  readonly leaf: Leaf | undefined;
  readonly slot: number;
  readonly #names: Leaf;
  readonly #number: number;
  readonly #rootBytes: number;

  constructor(names: Leaf, number: number, rootBytes: number, leaf: Leaf | undefined, slot: number) {
    this.leaf = leaf;
    this.slot = slot;
    this.#names = names;
    this.#number = number;
    this.#rootBytes = rootBytes;
  }

  /** Below the database. */
  get path(): Buffer {
    return this.#names.name(this.#number).subarray(this.#rootBytes);
  }

  /**
   * When the document had been written last that the journal saved, with its contents or only that it was there. A tombstone
   * without a time says that there was none.
   */
  get was(): Moment | undefined {
    const [names, number] = [this.#names, this.#number];
    return names.kind(number) === recordKind.document || !names.isUpdatedAt(number, 0, 0) ? names.updated(number) : undefined;
  }
}

/** The names of a stretch in their order. */
export function* matchesOf(
  { names, from, to, found }: JoinedRun,
  { journal, backup }: Pick<Search, 'journal' | 'backup'>,
): Generator<JoinedDocument, void, undefined> {
  const [ofJournal, ofBackup] = [rootOf(journal).length, rootOf(backup).length];
  const end = found ? found.segment.start + found.segment.count : 0;
  let slot = found?.segment.start ?? 0;
  for (let n = from; n < to; n++) {
    let order = 1;
    for (; found && slot < end; slot++) {
      order = found.leaf.compareTails(slot, ofBackup, names, n, ofJournal);
      if (order >= 0) break;
    }
    const isDocument = order === 0 && found?.leaf.kind(slot) === recordKind.document;
    yield new JoinedDocument(names, n, ofJournal, isDocument ? found?.leaf : undefined, slot);
  }
}
