import { ArchiveError } from '../../archive/index.ts';
import { applyEdits, type Edit } from '../wire/edits.ts';
import { broken, MessageReader } from '../wire/message-reader.ts';
import { varint } from '../wire/small-messages.ts';
import { valueKind } from './value-kind.ts';

/** Firestore nests 20 levels; deeper input must not exhaust the stack. */
const depthMax = 100;

/**
 * Moves an encoded document from one database (`projects/p/databases/d`) to another: rewrites its name and all references into
 * the first database, at any depth. Other references and lookalike texts stay, and all other bytes are kept. May return its
 * input.
 */
export const referenceRewriter = (from: string, to: string): ((document: Uint8Array) => Buffer) => {
  if (from === to) return (document) => new MessageReader(document).bytes;
  const rewrite = new Rewrite(Buffer.from(`${from}/documents/`), Buffer.from(`${to}/documents/`));
  return (document) => rewrite.of(document);
};

class Rewrite {
  readonly #from: Buffer;
  readonly #to: Buffer;
  #reader = new MessageReader(Buffer.alloc(0));
  #edits: Edit[] = [];
  /** Position of the next occurrence of the searched prefix; messages that end before it are skipped. */
  #hit = -1;

  constructor(from: Buffer, to: Buffer) {
    this.#from = from;
    this.#to = to;
  }

  of(document: Uint8Array): Buffer {
    this.#reader = new MessageReader(document);
    const { bytes } = this.#reader;
    this.#edits = [];
    this.#hit = bytes.indexOf(this.#from);
    const grown = this.#document(bytes.length);
    return applyEdits(bytes, this.#edits, grown);
  }

  /** Returns by how many bytes the edits grow the document, as do the methods below. */
  #document(end: number): number {
    const reader = this.#reader;
    let grown = 0;
    let isNamed = false;
    while (reader.next(end)) {
      if (reader.field === 1 && reader.type === 2) {
        const more = this.#name(end);
        if (more === undefined) throw new ArchiveError('record-invalid', 'the document belongs to another database');
        grown += more;
        isNamed = true;
      } else if (reader.field === 2 && reader.type === 2) grown += this.#inside(end, this.#entry, 0);
      else reader.skip(end);
    }
    if (!isNamed) throw broken();
    return grown;
  }

  /** Walks a length-delimited message and rewrites its length if an edit changed it. */
  #inside(end: number, walk: (end: number, depth: number) => number, depth: number): number {
    if (depth > depthMax) throw broken();
    const reader = this.#reader;
    const lengthStart = reader.at;
    const stop = reader.stop(end);
    if (!this.#isHitBefore(stop)) {
      reader.at = stop;
      return 0;
    }
    const start = reader.at;
    const edit: Edit = { start: lengthStart, end: start, bytes: none };
    const count = this.#edits.push(edit);
    const grown = walk.call(this, stop, depth);
    if (this.#edits.length === count) {
      this.#edits.pop();
      return 0;
    }
    edit.bytes = varint(stop - start + grown);
    return grown + edit.bytes.length - (start - lengthStart);
  }

  /** A field entry. */
  #entry(end: number, depth: number): number {
    const reader = this.#reader;
    let grown = 0;
    while (reader.next(end)) {
      if (reader.field === 2 && reader.type === 2) grown += this.#inside(end, this.#value, depth);
      else reader.skip(end);
    }
    return grown;
  }

  #value(end: number, depth: number): number {
    const reader = this.#reader;
    let grown = 0;
    while (reader.next(end)) {
      if (reader.type !== 2) reader.skip(end);
      else if (reader.field === valueKind.reference) grown += this.#name(end) ?? 0;
      else if (reader.field === valueKind.map) grown += this.#inside(end, this.#map, depth);
      else if (reader.field === valueKind.array) grown += this.#inside(end, this.#array, depth);
      else reader.skip(end);
    }
    return grown;
  }

  #map(end: number, depth: number): number {
    return this.#each(end, this.#entry, depth + 1);
  }

  #array(end: number, depth: number): number {
    return this.#each(end, this.#value, depth + 1);
  }

  #each(end: number, walk: (end: number, depth: number) => number, depth: number): number {
    const reader = this.#reader;
    let grown = 0;
    while (reader.next(end)) {
      if (reader.field === 1 && reader.type === 2) grown += this.#inside(end, walk, depth);
      else reader.skip(end);
    }
    return grown;
  }

  /** Rewrites a name of the first database; undefined if it belongs to another. */
  #name(end: number): number | undefined {
    const reader = this.#reader;
    const lengthStart = reader.at;
    const stop = reader.stop(end);
    const start = reader.at;
    reader.at = stop;
    if (!this.#isHitBefore(stop, start) || this.#hit !== start) return undefined;
    const grown = this.#to.length - this.#from.length;
    const length = varint(stop - start + grown);
    this.#edits.push({ start: lengthStart, end: start + this.#from.length, bytes: Buffer.concat([length, this.#to]) });
    return grown + length.length - (start - lengthStart);
  }

  #isHitBefore(stop: number, from = this.#reader.at): boolean {
    if (this.#hit >= 0 && this.#hit < from) this.#hit = this.#reader.bytes.indexOf(this.#from, from);
    return this.#hit >= 0 && this.#hit < stop;
  }
}

const none = Buffer.alloc(0);
