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
  #from = 0;
  #number = 0;

  /** Entropy of the string and bytes values, in bits per byte. */
  get bits(): number {
    return entropyOf(this.#counts, this.#counted);
  }

  read(bytes: Buffer, start: number, end: number): void {
    this.fields = [];
    this.#counts.fill(0);
    this.#counted = this.textBytes = 0;
    for (let at = start; at < end; ) {
      at = this.#next(bytes, at, end);
      if (this.#number === 2) this.#field(bytes, this.#from, at);
    }
  }

  #field(bytes: Buffer, start: number, end: number): void {
    let name: string | undefined;
    this.#judged = this.#opaque = 0;
    for (let at = start; at < end; ) {
      at = this.#next(bytes, at, end);
      if (this.#number === 1) name = bytes.toString('utf8', this.#from, at);
      else if (this.#number === 2) this.#value(bytes, this.#from, at, 0);
    }
    if (name !== undefined) this.fields.push({ name, isOpaque: this.#opaque > 0 && 2 * this.#opaque >= this.#judged });
  }

  #value(bytes: Buffer, start: number, end: number, depth: number): void {
    for (let at = start; at < end; ) {
      at = this.#next(bytes, at, end);
      if (this.#number === 17) this.#text(bytes, this.#from, at, 'string');
      else if (this.#number === 18) this.#text(bytes, this.#from, at, 'bytes');
      else if (depth < depthMax && this.#number === 9) this.#array(bytes, this.#from, at, depth + 1);
      else if (depth < depthMax && this.#number === 6) this.#map(bytes, this.#from, at, depth + 1);
    }
  }

  #array(bytes: Buffer, start: number, end: number, depth: number): void {
    for (let at = start; at < end; ) {
      at = this.#next(bytes, at, end);
      if (this.#number === 1) this.#value(bytes, this.#from, at, depth);
    }
  }

  #map(bytes: Buffer, start: number, end: number, depth: number): void {
    for (let at = start; at < end; ) {
      at = this.#next(bytes, at, end);
      if (this.#number === 1) this.#mapEntry(bytes, this.#from, at, depth);
    }
  }

  #mapEntry(bytes: Buffer, start: number, end: number, depth: number): void {
    for (let at = start; at < end; ) {
      at = this.#next(bytes, at, end);
      if (this.#number === 2) this.#value(bytes, this.#from, at, depth);
    }
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

  /**
   * Reads the field at `at` and returns its end, or `end` for broken bytes. A length-delimited field leaves its number in `#number` and
   * its start in `#from`; for any other the number is 0.
   */
  #next(bytes: Buffer, at: number, end: number): number {
    this.#number = 0;
    this.#at = at;
    const tag = this.#varint(bytes, end);
    const type = tag % 8;
    if (type === 2) {
      const length = this.#varint(bytes, end);
      this.#from = this.#at;
      if (length < 0 || this.#from + length > end) return end;
      this.#number = (tag - 2) / 8;
      return this.#from + length;
    }
    if (type === 0) this.#varint(bytes, end);
    else if (type === 1) this.#at += 8;
    else if (type === 5) this.#at += 4;
    else return end;
    return this.#at;
  }

  /** A number, or -1 at the end. Exact for lengths; of larger numbers only the position matters. */
  #varint(bytes: Buffer, end: number): number {
    let [value, scale] = [0, 1];
    while (this.#at < end) {
      const byte = bytes[this.#at++] ?? 0;
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
      scale *= 128;
    }
    return -1;
  }
}
