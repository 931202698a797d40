/** Merge join of a journal's names with the backup's documents. */
import {
  type Archive,
  compareNames,
  type Leaf,
  type ProtobufTimestamp,
  recordKind,
  type Segment,
  streamLeaves,
} from '../../archive/index.ts';
import type { NameRange } from '../../firestore/index.ts';
import { cacheLeaves } from './cache-leaves.ts';
import { IndexLocator } from './index-locator.ts';

export interface JoinInput {
  readonly journal: Archive;
  readonly backup: Archive;
  readonly range: NameRange;
  /** Continues after this path. */
  readonly after?: string | undefined;
}

/** Consecutive names of a journal leaf, and the one leaf of the backup that may contain them. */
interface JoinedRun {
  readonly names: Leaf;
  readonly from: number;
  readonly to: number;
  readonly found: { readonly segment: Segment; readonly leaf: Leaf } | undefined;
}

/** Backup leaves that are prefetched, to hide the 50 ms of each fetch. */
const ahead = 8;

/** Walks the journal's names in order. It fetches only the backup leaves that may contain one of them, each once. */
export async function* joinJournalWithBackup(search: JoinInput): AsyncGenerator<JoinedRun, void, undefined> {
  const { backup } = search;
  const leafOf = cacheLeaves((segment) => backup.leaf(segment), ahead);
  const prefetched: Promise<JoinedRun>[] = [];
  for await (const { segment, ...run } of locate(search)) {
    const next = segment
      ? leafOf(segment).then((leaf) => ({ ...run, found: { segment, leaf } }))
      : Promise.resolve({ ...run, found: undefined });
    // The rejection is handled when the promise is awaited below.
    next.catch(() => undefined);
    prefetched.push(next);
    const [first] = prefetched;
    if (first && prefetched.length > ahead) {
      prefetched.shift();
      yield await first;
    }
  }
  for (const next of prefetched) yield await next;
}

type LocatedRun = Omit<JoinedRun, 'found'> & { readonly segment: Segment | undefined };

/** Splits the journal's names where the leaves of the backup begin. */
async function* locate(search: JoinInput): AsyncGenerator<LocatedRun, void, undefined> {
  const [journalRoot, backupRoot] = [rootOf(search.journal), rootOf(search.backup)];
  const locator = new IndexLocator(search.backup);
  for await (const { names, from, to } of namesIn(search)) {
    for (let start = from; start < to; ) {
      const path = names.name(start).subarray(journalRoot.length);
      const { segment, next } = await locator.at(Buffer.concat([backupRoot, path]));
      const isOurs = segment?.first.subarray(0, backupRoot.length).equals(backupRoot) ?? false;
      const end = next && Buffer.concat([journalRoot, next.subarray(backupRoot.length)]);
      // Users sort before documents, so `next` is a document.
      const stop = end ? Math.max(start + 1, names.lowerBound(end, start, to)) : to;
      yield { names, from: start, to: stop, segment: isOurs ? segment : undefined };
      start = stop;
    }
  }
}

/** Reads the names only, without the saved contents. */
async function* namesIn({ journal, range, after }: JoinInput): AsyncGenerator<Omit<JoinedRun, 'found'>, void, undefined> {
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

const rootOf = ({ documentsRoot }: Archive): Buffer => Buffer.from(documentsRoot);

/** A name of the journal and the backup's document of that name. */
export class JoinedDocument {
  /** Undefined if the backup has no document of that name, or a tombstone. */
  readonly leaf: Leaf | undefined;
  readonly slot: number;
  /** The document was erased since the plan was made: it is neither written nor deleted. */
  readonly isErased: boolean;
  readonly #names: Leaf;
  readonly #number: number;
  readonly #rootBytes: number;

  constructor(
    { leaf, slot, isErased }: Pick<JoinedDocument, 'leaf' | 'slot' | 'isErased'>,
    { names, number, rootBytes }: { readonly names: Leaf; readonly number: number; readonly rootBytes: number },
  ) {
    this.leaf = leaf;
    this.slot = slot;
    this.isErased = isErased;
    this.#names = names;
    this.#number = number;
    this.#rootBytes = rootBytes;
  }

  get path(): Buffer {
    return this.#names.name(this.#number).subarray(this.#rootBytes);
  }

  /** Update time of the document that the journal saved; undefined if there was none (a tombstone without a time). */
  get was(): ProtobufTimestamp | undefined {
    const [names, number] = [this.#names, this.#number];
    return names.kind(number) === recordKind.document || !names.isUpdatedAt(number, 0, 0) ? names.updated(number) : undefined;
  }
}

export function* joinedDocuments(
  { names, from, to, found }: JoinedRun,
  { journal, backup }: Pick<JoinInput, 'journal' | 'backup'>,
): Generator<JoinedDocument, void, undefined> {
  const [journalRootBytes, backupRootBytes] = [rootOf(journal).length, rootOf(backup).length];
  const end = found ? found.segment.start + found.segment.count : 0;
  let slot = found?.segment.start ?? 0;
  for (let n = from; n < to; n++) {
    let order = 1;
    for (; found && slot < end; slot++) {
      order = found.leaf.compareTails(slot, backupRootBytes, names, n, journalRootBytes);
      if (order >= 0) break;
    }
    const kind = order === 0 ? found?.leaf.kind(slot) : undefined;
    const isErased = kind === recordKind.erased;
    const leaf = kind === recordKind.document ? found?.leaf : undefined;
    yield new JoinedDocument({ leaf, slot, isErased }, { names, number: n, rootBytes: journalRootBytes });
  }
}
