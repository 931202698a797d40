import { leafRecords } from '../primitives/format-limits.ts';
import { column, columnsStart } from './column-layout.ts';
import type { DocumentMarks } from './document-trim.ts';
import { isStorable } from './protobuf-timestamp.ts';

export class ColumnWriter {
  readonly #flags = new Uint8Array(leafRecords);
  readonly #shared = new Uint16Array(leafRecords);
  readonly #suffix = new Uint16Array(leafRecords);
  readonly #body = new Uint32Array(leafRecords);
  readonly #updated = new Times();
  readonly #created = new Times();
  count = 0;

  add(flags: number, shared: number, suffixBytes: number, bodyBytes: number, marks: DocumentMarks): void {
    const slot = this.count++;
    this.#flags[slot] = flags;
    this.#shared[slot] = shared;
    this.#suffix[slot] = suffixBytes;
    this.#body[slot] = bodyBytes;
    this.#updated.set(slot, marks.updatedSeconds, marks.updatedNanos);
    this.#created.set(slot, marks.createdSeconds, marks.createdNanos);
  }

  /** Writes the planes after the start of a keys frame. */
  layOut(out: Uint8Array): void {
    const { count } = this;
    put(out, count, column.flags.plane, 1, this.#flags);
    put(out, count, column.shared.plane, 2, this.#shared);
    put(out, count, column.suffix.plane, 2, this.#suffix);
    put(out, count, column.body.plane, 4, this.#body);
    this.#updated.layOut(out, count, column.updated.plane);
    this.#created.layOut(out, count, column.created.plane);
    const start = columnsStart + column.created.plane * count;
    const end = start + column.created.width * count;
    const back = (column.created.plane - column.updated.plane) * count;
    for (let at = start; at < end; at++) out[at] = (out[at] ?? 0) ^ (out[at - back] ?? 0);
  }
}

type Values = Uint8Array | Uint16Array | Uint32Array;

const put = (out: Uint8Array, count: number, plane: number, width: number, values: Values): void => {
  for (let i = 0, at = columnsStart + plane * count; i < width; i++, at += count) {
    const shift = 8 * (width - 1 - i);
    for (let slot = 0; slot < count; slot++) out[at + slot] = (values[slot] ?? 0) >>> shift;
  }
};

/** Timestamps, split into the parts that the columns store. */
class Times {
  readonly #high = new Uint8Array(leafRecords);
  readonly #low = new Uint32Array(leafRecords);
  readonly #micros = new Uint32Array(leafRecords);
  readonly #rest = new Uint16Array(leafRecords);

  /** A time out of range is stored as zero; the body keeps it. */
  set(slot: number, seconds: number, nanos: number): void {
    const fits = isStorable(seconds, nanos);
    const micros = fits ? (nanos / 1000) | 0 : 0;
    this.#high[slot] = fits ? Math.floor(seconds / 2 ** 32) : 0;
    this.#low[slot] = fits ? seconds : 0;
    this.#micros[slot] = micros;
    this.#rest[slot] = fits ? nanos - micros * 1000 : 0;
  }

  layOut(out: Uint8Array, count: number, plane: number): void {
    put(out, count, plane, 1, this.#high);
    put(out, count, plane + 1, 4, this.#low);
    put(out, count, plane + 5, 3, this.#micros);
    put(out, count, plane + 8, 2, this.#rest);
  }
}
