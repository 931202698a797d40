import { compareFrom, compareRanges } from '../name/compare-names.ts';
import { ArchiveError } from '../primitives/archive-error.ts';
import { asBuffer } from '../primitives/bytes.ts';
import { maxLeafNameBytes, maxLeafRecords, maxPlainBytes } from '../primitives/format-limits.ts';
import {
  column,
  columnsStart,
  kindMask,
  planes,
  type RecordKind,
  recordKind,
  recordOrder,
  type StoredKind,
} from './column-layout.ts';
import { joinDocument, joinedBytes, trimmedCreated, trimmedName, trimmedUpdated } from './document-trim.ts';
import type { ProtobufTimestamp } from './protobuf-timestamp.ts';

const knownFlags = kindMask | trimmedName | trimmedCreated | trimmedUpdated;
const kinds = new Set<number>([recordKind.document, recordKind.tombstone, recordKind.user]);

/** Read access to the records of a leaf by slot. The frames must not change. */
export class Leaf {
  readonly count: number;
  /** True if the names ascend strictly; verified. */
  readonly ordered: boolean;
  readonly #keys: Buffer;
  readonly #bodies: Buffer | undefined;
  readonly #names: Buffer;
  readonly #nameEnds: Uint32Array;
  readonly #bodyEnds: Uint32Array;
  /** Set once a record is hidden. */
  #hidden: Uint8Array | undefined;

  /** Without the bodies frame, only names and times are available. */
  constructor(keysFrame: Uint8Array, bodiesFrame?: Uint8Array) {
    this.#keys = asBuffer(keysFrame);
    this.#bodies = bodiesFrame && asBuffer(bodiesFrame);
    if (this.#keys.length < columnsStart) throw invalid('the keys frame is too short');
    const order = this.#keys.readUInt8();
    if (order !== recordOrder.byName && order !== recordOrder.asGiven) throw invalid('the record order is unknown');
    this.ordered = order === recordOrder.byName;
    this.count = this.#keys.readUInt32BE(1);
    if (this.count > maxLeafRecords) throw new ArchiveError('too-large', `a leaf has ${this.count} records`);
    if (this.#keys.length < columnsStart + planes * this.count) throw invalid('the keys frame is shorter than its records');
    this.#checkFlags();
    this.#nameEnds = new Uint32Array(this.count);
    this.#names = this.#readNames();
    this.#bodyEnds = this.#readBodies();
    if (this.ordered) this.#checkOrder();
  }

  /** Names that share bytes with the one before are compared after these. */
  #checkOrder(): void {
    const names = this.#names;
    const [high, low] = [this.#planeAt(column.shared.plane), this.#planeAt(column.shared.plane + 1)];
    for (let slot = 1, start = 0; slot < this.count; slot++) {
      const [middle, end] = [this.#nameEnds[slot - 1] ?? 0, this.#nameEnds[slot] ?? 0];
      const known = ((this.#keys[high + slot] ?? 0) << 8) | (this.#keys[low + slot] ?? 0);
      const shorter = Math.min(middle - start, end - middle);
      let shared = known;
      while (shared < shorter && names[start + shared] === names[middle + shared]) shared++;
      if (compareFrom(names, start, middle, names, middle, end, shared) >= 0) throw invalid('record names are out of order');
      start = middle;
    }
  }

  #planeAt(plane: number): number {
    return columnsStart + plane * this.count;
  }

  #checkFlags(): void {
    const start = this.#planeAt(column.flags.plane);
    for (let at = start; at < start + this.count; at++) {
      const flags = this.#keys[at] ?? 0;
      if ((flags & ~knownFlags) !== 0 || !kinds.has(flags & kindMask)) throw invalid('the kind of a record is unknown');
      if (flags > kindMask && (flags & kindMask) !== recordKind.document)
        throw invalid('a record other than a document is trimmed');
    }
  }

  #readNames(): Buffer {
    const keys = this.#keys;
    const [sharedHigh, sharedLow] = [this.#planeAt(column.shared.plane), this.#planeAt(column.shared.plane + 1)];
    const [suffixHigh, suffixLow] = [this.#planeAt(column.suffix.plane), this.#planeAt(column.suffix.plane + 1)];
    let total = 0;
    let suffixes = 0;
    let before = 0;
    for (let slot = 0; slot < this.count; slot++) {
      const shared = ((keys[sharedHigh + slot] ?? 0) << 8) | (keys[sharedLow + slot] ?? 0);
      const suffix = ((keys[suffixHigh + slot] ?? 0) << 8) | (keys[suffixLow + slot] ?? 0);
      if (shared > before || shared + suffix === 0) throw invalid('a record name has an invalid shared prefix');
      before = shared + suffix;
      total += before;
      suffixes += suffix;
      this.#nameEnds[slot] = total;
    }
    if (total > maxLeafNameBytes) throw new ArchiveError('too-large', `the names of a leaf have ${total} bytes`);
    let from = columnsStart + planes * this.count;
    if (keys.length !== from + suffixes) throw invalid('record names do not fill the keys frame');
    const names = Buffer.allocUnsafe(total);
    for (let slot = 0, start = 0, previous = 0; slot < this.count; slot++) {
      const shared = ((keys[sharedHigh + slot] ?? 0) << 8) | (keys[sharedLow + slot] ?? 0);
      const end = this.#nameEnds[slot] ?? 0;
      // Most are short: a call that copies takes longer.
      for (let at = start; at < start + shared; at++) names[at] = names[previous++] ?? 0;
      for (let at = start + shared; at < end; at++) names[at] = keys[from++] ?? 0;
      previous = start;
      start = end;
    }
    return names;
  }

  #readBodies(): Uint32Array {
    const ends = new Uint32Array(this.count);
    let total = 0;
    const { count } = this;
    const keys = this.#keys;
    for (let slot = 0, at = this.#planeAt(column.body.plane); slot < count; slot++, at++) {
      const low = ((keys[at + count] ?? 0) << 16) | ((keys[at + 2 * count] ?? 0) << 8) | (keys[at + 3 * count] ?? 0);
      total += (keys[at] ?? 0) * 2 ** 24 + low;
      ends[slot] = total;
    }
    if (total > maxPlainBytes) throw new ArchiveError('too-large', `the bodies of a leaf have ${total} bytes`);
    if (this.#bodies && total !== this.#bodies.length) throw invalid('record bodies do not fill their frame');
    if (!this.#hasValidTimes()) throw invalid('a record has an invalid time');
    return ends;
  }

  /** Microseconds are below 1,000,000, and what is left of the nanoseconds below 1,000. */
  #hasValidTimes(): boolean {
    const { count } = this;
    const keys = this.#keys;
    const apart = (column.created.plane - column.updated.plane) * count;
    for (let slot = 0, at = this.#planeAt(column.updated.plane + 5); slot < count; slot++, at++) {
      const micros = ((keys[at] ?? 0) << 16) | ((keys[at + count] ?? 0) << 8) | (keys[at + 2 * count] ?? 0);
      const rest = ((keys[at + 3 * count] ?? 0) << 8) | (keys[at + 4 * count] ?? 0);
      const other = at + apart;
      const xorMicros = ((keys[other] ?? 0) << 16) | ((keys[other + count] ?? 0) << 8) | (keys[other + 2 * count] ?? 0);
      const xorRest = ((keys[other + 3 * count] ?? 0) << 8) | (keys[other + 4 * count] ?? 0);
      if (micros >= 1_000_000 || rest >= 1_000 || (micros ^ xorMicros) >= 1_000_000 || (rest ^ xorRest) >= 1_000) return false;
    }
    return true;
  }

  /** Approximate memory size. */
  get bytes(): number {
    return this.#keys.length + this.#names.length + (this.#bodies?.length ?? 0) + 8 * this.count;
  }

  get hasBodies(): boolean {
    return this.#bodies !== undefined;
  }

  /** Hides a record: its kind becomes `erased`, and its contents can no longer be read. */
  hide(slot: number): void {
    this.#hidden ??= new Uint8Array(this.count);
    this.#hidden[slot] = 1;
  }

  kind(slot: number): RecordKind {
    return this.#hidden?.[slot] === 1 ? recordKind.erased : this.storedKind(slot);
  }

  /** The kind in the archive, also of a hidden record. */
  storedKind(slot: number): StoredKind {
    return (this.#read(column.flags.plane, 1, slot) & kindMask) as StoredKind;
  }

  name(slot: number): Buffer {
    return this.#names.subarray(this.#nameStart(slot), this.#nameEnds[slot]);
  }

  created(slot: number): ProtobufTimestamp {
    return { seconds: this.#seconds(true, slot), nanos: this.#nanos(true, slot) };
  }

  updated(slot: number): ProtobufTimestamp {
    return { seconds: this.#seconds(false, slot), nanos: this.#nanos(false, slot) };
  }

  /** True if the record was updated at exactly this time. Allocates nothing. */
  isUpdatedAt(slot: number, seconds: number, nanos: number): boolean {
    return this.#nanos(false, slot) === nanos && this.#seconds(false, slot) === seconds;
  }

  /** A view of the stored body; without the fields that the columns hold. */
  body(slot: number): Buffer {
    if (!this.#bodies) throw new Error('the bodies of this leaf were not read');
    if (this.#hidden?.[slot] === 1) throw new Error('the record is hidden by an erasure');
    return this.#bodies.subarray(slot === 0 ? 0 : this.#bodyEnds[slot - 1], this.#bodyEnds[slot]);
  }

  /** The original bytes of the record. */
  content(slot: number): Buffer {
    const flags = this.#read(column.flags.plane, 1, slot);
    if (flags <= kindMask) return this.body(slot);
    return joinDocument(flags, this.name(slot), this.body(slot), this.created(slot), this.updated(slot));
  }

  /** How many bytes `content` has; known without the bodies. */
  contentBytes(slot: number): number {
    const flags = this.#read(column.flags.plane, 1, slot);
    const body = (this.#bodyEnds[slot] ?? 0) - (slot === 0 ? 0 : (this.#bodyEnds[slot - 1] ?? 0));
    return body + (flags <= kindMask ? 0 : joinedBytes(flags, this.name(slot).length, this.created(slot), this.updated(slot)));
  }

  /** The original bytes without createTime and updateTime, which cannot be written to Firestore. */
  contentWithoutTimes(slot: number): Buffer {
    const flags = this.#read(column.flags.plane, 1, slot) & (kindMask | trimmedName);
    return flags <= kindMask ? this.body(slot) : joinDocument(flags, this.name(slot), this.body(slot));
  }

  /** Compares the name of a slot with a name in other bytes without creating views. */
  compareName(slot: number, bytes: Uint8Array, start: number, end: number): number {
    return compareRanges(this.#names, this.#nameStart(slot), this.#nameEnds[slot] ?? 0, bytes, start, end);
  }

  /** Compares two names after skipping a prefix of each, without creating views. */
  compareTails(slot: number, skipped: number, other: Leaf, otherSlot: number, otherSkipped: number): number {
    const [start, otherStart] = [this.#nameStart(slot) + skipped, other.#nameStart(otherSlot) + otherSkipped];
    const [end = 0, otherEnd = 0] = [this.#nameEnds[slot], other.#nameEnds[otherSlot]];
    return compareRanges(this.#names, start, end, other.#names, otherStart, otherEnd);
  }

  /** The first slot of a range whose name is not less than `name`; `to` if there is none. */
  lowerBound(name: Uint8Array, from: number, to: number): number {
    let [low, high] = [from, to];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compareName(middle, name, 0, name.length) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The slot of a name within a range of an ordered leaf, or -1. */
  find(name: Uint8Array, from = 0, to = this.count): number {
    const slot = this.lowerBound(name, from, to);
    return slot < to && this.compareName(slot, name, 0, name.length) === 0 ? slot : -1;
  }

  #nameStart(slot: number): number {
    return slot === 0 ? 0 : (this.#nameEnds[slot - 1] ?? 0);
  }

  #read(plane: number, width: number, slot: number): number {
    let value = 0;
    for (let at = columnsStart + plane * this.count + slot, i = 0; i < width; i++, at += this.count)
      value = value * 256 + (this.#keys[at] ?? 0);
    return value;
  }

  /** Part of a timestamp; created times are stored XOR updated times. */
  #time(isCreated: boolean, offset: number, width: number, slot: number): number {
    const updated = this.#read(column.updated.plane + offset, width, slot);
    return isCreated ? (updated ^ this.#read(column.created.plane + offset, width, slot)) >>> 0 : updated;
  }

  #seconds(isCreated: boolean, slot: number): number {
    const high = this.#time(isCreated, 0, 1, slot);
    return (high > 0x7f ? high - 0x100 : high) * 2 ** 32 + this.#time(isCreated, 1, 4, slot);
  }

  #nanos(isCreated: boolean, slot: number): number {
    const micros = this.#time(isCreated, 5, 3, slot);
    const rest = this.#time(isCreated, 8, 2, slot);
    return micros < 1_000_000 && rest < 1000 ? micros * 1000 + rest : Number.NaN;
  }
}

const invalid = (message: string): ArchiveError => new ArchiveError('record-invalid', message);
