import { applyEdits, type Edit } from '../wire/edits.ts';
import { broken, MessageReader } from '../wire/message-reader.ts';
import { varint } from '../wire/small-messages.ts';
import { valueKind } from './value-kind.ts';

/** Firestore nests 20 levels; deeper input must not exhaust the stack. */
const depthMax = 100;

/** Decides which values of a document change. `State` describes a position in the document. */
export interface ValueVisitor<State> {
  /** The state of a field, or of an entry of a map, below `state`; undefined if nothing in it changes. */
  entry(state: State, name: string): State | undefined;
  /** The state of the elements of an array; undefined if nothing in them changes. */
  element(state: State): State | undefined;
  /** The new encoded Value in place of the whole value; undefined if the value is visited. */
  replace(state: State): Buffer | undefined;
  /** The new encoded Value of a value that is neither map nor array; undefined if it stays. `raw` is its payload. */
  scalar(state: State, kind: number, raw: Buffer): Buffer | undefined;
  /** Before the parts of a map or an array are visited. */
  enter(state: State): void;
  /** After that: the new encoded Value in place of the whole value; undefined if it stays as its parts became. */
  leave(state: State, isVector: boolean): Buffer | undefined;
}

/**
 * Changes values of an encoded document without decoding the rest: all other bytes are kept, unknown fields of the message
 * included. Returns its input if nothing changes.
 */
export class ValueEditor<State> {
  /** Values that the last edit changed. */
  changes = 0;
  readonly #visitor: ValueVisitor<State>;
  #reader = new MessageReader(Buffer.alloc(0));
  #edits: Edit[] = [];
  /** Whether the map whose entries are visited is a vector. */
  #isVector = false;

  constructor(visitor: ValueVisitor<State>) {
    this.#visitor = visitor;
  }

  edit(document: Uint8Array, root: State): Buffer {
    const reader = new MessageReader(document);
    this.#reader = reader;
    this.#edits = [];
    this.changes = 0;
    const end = reader.bytes.length;
    let grown = 0;
    while (reader.next(end)) {
      if (reader.field === 2 && reader.type === 2) grown += this.#inside(end, (stop) => this.#entry(stop, root, 0));
      else reader.skip(end);
    }
    return this.#edits.length === 0 ? reader.bytes : applyEdits(reader.bytes, this.#edits, grown);
  }

  /** Walks a length-delimited message and rewrites its length if an edit changed it. Returns by how many bytes it grew. */
  #inside(end: number, walk: (stop: number) => number): number {
    const reader = this.#reader;
    const lengthStart = reader.at;
    const stop = reader.stop(end);
    const start = reader.at;
    const edit: Edit = { start: lengthStart, end: start, bytes: none };
    const count = this.#edits.push(edit);
    const grown = walk(stop);
    reader.at = stop;
    if (this.#edits.length === count) {
      this.#edits.pop();
      return 0;
    }
    edit.bytes = varint(stop - start + grown);
    return grown + edit.bytes.length - (start - lengthStart);
  }

  /** A map entry. Its key comes first in every known encoder; if it does not, it is found first. */
  #entry(end: number, state: State, depth: number): number {
    const reader = this.#reader;
    const key = this.#keyOf(end);
    if (key === typeKey) this.#isVector = true;
    const child = key === typeKey ? undefined : this.#visitor.entry(state, key);
    if (child === undefined) return 0;
    let grown = 0;
    while (reader.next(end)) {
      if (reader.field === 2 && reader.type === 2) grown += this.#inside(end, (stop) => this.#value(stop, child, depth));
      else reader.skip(end);
    }
    return grown;
  }

  /** The key of the entry; the reader stays where it was. */
  #keyOf(end: number): string {
    const reader = this.#reader;
    const start = reader.at;
    let key = '';
    while (reader.next(end)) {
      if (reader.field === 1 && reader.type === 2) {
        key = reader.text(reader.stop(end));
        // The last of several keys wins, as in protobuf; the value usually follows the only one.
        if (reader.at < end && reader.bytes[reader.at] === valueTag) break;
      } else reader.skip(end);
    }
    reader.at = start;
    return key;
  }

  #value(end: number, state: State, depth: number): number {
    if (depth > depthMax) throw broken();
    const reader = this.#reader;
    const whole = this.#visitor.replace(state);
    if (whole) return this.#put(reader.at, end, whole);
    let grown = 0;
    const first = reader.at;
    for (let start = first; reader.next(end); start = reader.at) {
      const { field, type } = reader;
      const isMap = field === valueKind.map && type === 2;
      if (!isMap && !(field === valueKind.array && type === 2)) {
        grown += this.#scalar(start, end, state);
        continue;
      }
      const [edits, changes] = [this.#edits.length, this.changes];
      const isAroundVector = this.#isVector;
      this.#isVector = false;
      this.#visitor.enter(state);
      grown += this.#inside(end, (stop) => (isMap ? this.#map(stop, state, depth + 1) : this.#array(stop, state, depth + 1)));
      const instead = this.#visitor.leave(state, isMap && this.#isVector);
      this.#isVector = isAroundVector;
      if (!instead) continue;
      this.#edits.length = edits;
      this.changes = changes;
      return this.#put(first, end, instead);
    }
    return grown;
  }

  #scalar(start: number, end: number, state: State): number {
    const reader = this.#reader;
    const { field, type } = reader;
    let payload = reader.at;
    if (type === 2) {
      const stop = reader.stop(end);
      payload = reader.at;
      reader.at = stop;
    } else reader.skip(end);
    const changed = this.#visitor.scalar(state, field, reader.bytes.subarray(payload, reader.at));
    return changed ? this.#put(start, reader.at, changed) : 0;
  }

  #map(end: number, state: State, depth: number): number {
    return this.#each(end, (stop) => this.#entry(stop, state, depth));
  }

  #array(end: number, state: State, depth: number): number {
    const child = this.#visitor.element(state);
    return child === undefined ? 0 : this.#each(end, (stop) => this.#value(stop, child, depth));
  }

  #each(end: number, walk: (stop: number) => number): number {
    const reader = this.#reader;
    let grown = 0;
    while (reader.next(end)) {
      if (reader.field === 1 && reader.type === 2) grown += this.#inside(end, walk);
      else reader.skip(end);
    }
    return grown;
  }

  #put(start: number, end: number, bytes: Buffer): number {
    this.#reader.at = end;
    if (bytes.equals(this.#reader.bytes.subarray(start, end))) return 0;
    this.#edits.push({ start, end, bytes });
    this.changes += 1;
    return bytes.length - (end - start);
  }
}

const none = Buffer.alloc(0);
const valueTag = 0x12;
/** Reserved entry that makes a map a vector; it stays, so that the vector stays one. */
const typeKey = '__type__';
