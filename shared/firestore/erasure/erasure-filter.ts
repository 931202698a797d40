/** Hides the records of erased documents. One filter serves every reader of an archive. */

import {
  compareNames,
  type Leaf,
  type LedgerEntry,
  lastAtMost,
  type ProtobufTimestamp,
  type RecordFilter,
  recordKind,
} from '../../archive/index.ts';
import { MessageReader } from '../wire/message-reader.ts';
import { type ErasedRange, erasedRangeOf, erasedRanges, erasedUntil } from './erased-ranges.ts';
import { FieldMatcher } from './field-matcher.ts';

interface FieldQuery {
  /** Undefined for the collections of any id. */
  readonly collection: Buffer | undefined;
  readonly matcher: FieldMatcher;
  /** A document that was created later is a new one. */
  readonly until: number;
}

const slash = 0x2f;

/**
 * Matches records by name (binary search per leaf, so a leaf without an erased name costs nothing) and by field. Fields are read
 * only in collections that an erasure names. A document that was created after the erasure is a new one, and stays.
 */
export class ErasureFilter implements RecordFilter {
  /** Ascending and disjoint; full names. */
  readonly #ranges: readonly ErasedRange[];
  readonly #queries: readonly FieldQuery[];
  readonly #root: Buffer;

  /** `documentsRoot` is that of the archive: `projects/{id}/databases/{id}/documents/`. */
  constructor(erasures: readonly LedgerEntry[], documentsRoot: string) {
    this.#root = Buffer.from(documentsRoot);
    this.#ranges = erasedRanges(erasures, documentsRoot);
    this.#queries = erasures.flatMap(({ query, createdAt }) =>
      query
        ? [
            {
              collection: query.collection === undefined ? undefined : Buffer.from(query.collection),
              matcher: new FieldMatcher(query.field, query.value),
              until: erasedUntil({ createdAt }),
            },
          ]
        : [],
    );
  }

  /** The erased names, ascending and disjoint. */
  get ranges(): readonly ErasedRange[] {
    return this.#ranges;
  }

  /** The values by which documents are erased, and their fields. */
  get values(): readonly Pick<FieldMatcher, 'field' | 'key'>[] {
    return this.#queries.map(({ matcher }) => matcher);
  }

  /** Whether a name from `from` up to `to` is erased. */
  namesWithin(from: Uint8Array, to: Uint8Array | undefined): boolean {
    const at = lastAtMost(this.#ranges, from, (range) => range.from);
    const [before, next] = [this.#ranges[at], this.#ranges[at + 1]];
    if (before && compareNames(from, before.to) < 0) return true;
    return next !== undefined && (!to || compareNames(next.from, to) < 0);
  }

  apply(leaf: Leaf): boolean {
    if (leaf.count === 0) return true;
    this.#hideRanges(leaf);
    if (this.#queries.length === 0) return true;
    if (leaf.hasBodies) {
      this.#hideMatches(leaf);
      return true;
    }
    for (let slot = 0; slot < leaf.count; slot++)
      if (leaf.kind(slot) === recordKind.document && this.#queriesOf(leaf.name(slot)).length > 0) return false;
    return true;
  }

  /** Whether the ledger names this path, given or found by a query, or a document above it. A new document may have it. */
  hidesPath(path: Uint8Array): boolean {
    return this.#ranges.length > 0 && erasedRangeOf(this.#ranges, Buffer.concat([this.#root, path])) !== undefined;
  }

  /** Whether a document is erased by its path or by its fields. `created` is that of `document`, unless that has no times. */
  hidesDocument(path: Uint8Array, document: Uint8Array, created: ProtobufTimestamp = createdIn(document)): boolean {
    const createdMs = msOf(created);
    const range = this.#ranges.length > 0 ? erasedRangeOf(this.#ranges, Buffer.concat([this.#root, path])) : undefined;
    if (range && createdMs <= range.until) return true;
    return this.#queriesOf(path).some(({ matcher, until }) => createdMs <= until && matcher.matches(document));
  }

  #hideRanges(leaf: Leaf): void {
    const last = leaf.name(leaf.count - 1);
    const first = Math.max(
      0,
      lastAtMost(this.#ranges, leaf.name(0), ({ from }) => from),
    );
    for (let at = first; at < this.#ranges.length; at++) {
      const { from, to, until } = this.#ranges[at] as ErasedRange;
      if (compareNames(from, last) > 0) return;
      const start = leaf.lowerBound(from, 0, leaf.count);
      const end = leaf.lowerBound(to, start, leaf.count);
      for (let slot = start; slot < end; slot++) {
        // A tombstone shows nothing, and an undo needs it to delete what its restore wrote.
        if (leaf.kind(slot) === recordKind.document && msOf(leaf.created(slot)) <= until) leaf.hide(slot);
      }
    }
  }

  #hideMatches(leaf: Leaf): void {
    for (let slot = 0; slot < leaf.count; slot++) {
      if (leaf.kind(slot) !== recordKind.document) continue;
      const queries = this.#queriesOf(leaf.name(slot));
      if (queries.length === 0) continue;
      const [body, createdMs] = [leaf.body(slot), msOf(leaf.created(slot))];
      if (queries.some(({ matcher, until }) => createdMs <= until && matcher.matches(body))) leaf.hide(slot);
    }
  }

  /** The queries that apply to the collection of a document; `name` may be a path. */
  #queriesOf(name: Uint8Array): readonly FieldQuery[] {
    const end = name.lastIndexOf(slash);
    const start = name.lastIndexOf(slash, end - 1) + 1;
    return this.#queries.filter(({ collection }) => collection === undefined || collection.compare(name, start, end) === 0);
  }
}

/** A document without a creation time counts as an old one. */
const msOf = ({ seconds, nanos }: ProtobufTimestamp): number => seconds * 1_000 + nanos / 1_000_000;

/** The field `create_time` of a Document. */
const createTimeField = 3;

/** The creation time of an encoded document; 1970 if it has none. */
const createdIn = (document: Uint8Array): ProtobufTimestamp => {
  const reader = new MessageReader(document);
  const end = reader.bytes.length;
  let created: ProtobufTimestamp = { seconds: 0, nanos: 0 };
  while (reader.next(end)) {
    if (reader.field === createTimeField && reader.type === 2) created = momentIn(reader, reader.stop(end));
    else reader.skip(end);
  }
  return created;
};

const momentIn = (reader: MessageReader, end: number): ProtobufTimestamp => {
  let [seconds, nanos] = [0, 0];
  while (reader.next(end)) {
    if (reader.field === 1 && reader.type === 0) seconds = Number(reader.int64(end));
    else if (reader.field === 2 && reader.type === 0) nanos = reader.number(end);
    else reader.skip(end);
  }
  return { seconds, nanos };
};
