import { entropyOf, judgedBytesMin, ValueJudge } from './value-judge.ts';

/** A field of a document: its name, and whether most of its text is opaque. */
export interface FieldContent {
  readonly name: string;
  readonly isOpaque: boolean;
}

/** Deeper values are not looked at. Firestore allows 20 levels. */
const depthMax = 20;
/** A longer text is judged by its beginning. */
const valueBytesMax = 4_096;

/** Skims the fields of an encoded google.firestore.v1.Document on the wire. Broken bytes end the skim; nothing throws. */
export class DocumentContent {
  fields: FieldContent[] = [];
  /** Bytes of all string and bytes values. */
  textBytes = 0;
  readonly #judge = new ValueJudge();
  readonly #counts = new Uint32Array(256);
  #counted = 0;
  #judged = 0;
  #opaque = 0;
  #at = 0;
  #length = 0;

  /** Entropy of the string and bytes values, in bits per byte. */
  get bits(): number {
    return entropyOf(this.#counts, this.#counted);
  }

  read(bytes: Buffer, start: number, end: number): void {
    this.fields = [];
    this.#counts.fill(0);
    this.#counted = this.textBytes = 0;
    this.#each(bytes, start, end, (field, from, to) => {
      if (field === 2) this.#field(bytes, from, to);
    });
  }

  #field(bytes: Buffer, start: number, end: number): void {
    let name: string | undefined;
    this.#judged = this.#opaque = 0;
    this.#each(bytes, start, end, (field, from, to) => {
      if (field === 1) name = bytes.toString('utf8', from, to);
      else if (field === 2) this.#value(bytes, from, to, 0);
    });
    if (name !== undefined) this.fields.push({ name, isOpaque: this.#opaque > 0 && 2 * this.#opaque >= this.#judged });
  }

  #value(bytes: Buffer, start: number, end: number, depth: number): void {
    this.#each(bytes, start, end, (field, from, to) => {
      if (field === 17) this.#text(bytes, from, to, 'string');
      else if (field === 18) this.#text(bytes, from, to, 'bytes');
      else if (depth < depthMax && field === 9)
        this.#each(bytes, from, to, (inner, first, last) => {
          if (inner === 1) this.#value(bytes, first, last, depth + 1);
        });
      else if (depth < depthMax && field === 6)
        this.#each(bytes, from, to, (inner, first, last) => {
          if (inner === 1) this.#each(bytes, first, last, (part, a, b) => part === 2 && this.#value(bytes, a, b, depth + 1));
        });
    });
  }

  #text(bytes: Buffer, start: number, whole: number, kind: 'string' | 'bytes'): void {
    const end = Math.min(whole, start + valueBytesMax);
    const counts = this.#counts;
    this.textBytes += whole - start;
    for (let at = start; at < end; at++) counts[bytes[at] ?? 0] = (counts[bytes[at] ?? 0] ?? 0) + 1;
    this.#counted += end - start;
    if (end - start < judgedBytesMin) return;
    this.#judged += end - start;
    if (this.#judge.isOpaque(bytes, start, end, kind)) this.#opaque += end - start;
  }

  /** Calls `visit` with the range of every length-delimited field of a message. */
  #each(bytes: Buffer, start: number, end: number, visit: (field: number, from: number, to: number) => void): void {
    let at = start;
    while (at < end) {
      this.#at = at;
      if (!this.#varint(bytes, end)) return;
      const tag = this.#length;
      if (tag % 8 === 2) {
        if (!this.#varint(bytes, end)) return;
        const from = this.#at;
        at = from + this.#length;
        if (at > end) return;
        visit((tag - 2) / 8, from, at);
      } else if (tag % 8 === 0) {
        if (!this.#varint(bytes, end)) return;
        at = this.#at;
      } else if (tag % 8 === 1) at = this.#at + 8;
      else if (tag % 8 === 5) at = this.#at + 4;
      else return;
    }
  }

  /** Reads a number into `#length`; false at the end. Exact for lengths; of larger numbers only the position matters. */
  #varint(bytes: Buffer, end: number): boolean {
    let [value, scale] = [0, 1];
    while (this.#at < end) {
      const byte = bytes[this.#at++] ?? 0;
      value += (byte & 0x7f) * scale;
      scale *= 128;
      if (byte < 0x80) {
        this.#length = value;
        return true;
      }
    }
    return false;
  }
}
