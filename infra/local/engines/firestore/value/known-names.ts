/** Valid field names that occurred lately. Names repeat in every document, and finding one is faster than decoding and checking it. */
export class KnownNames {
  readonly #names: ({ readonly bytes: Uint8Array; readonly name: string } | undefined)[] = Array(slots).fill(undefined);

  find(bytes: Uint8Array, start: number, stop: number): string | undefined {
    const known = this.#names[slotOf(bytes, start, stop)];
    if (!known || known.bytes.length !== stop - start) return undefined;
    for (let i = 0; i < known.bytes.length; i++) if (known.bytes[i] !== bytes[start + i]) return undefined;
    return known.name;
  }

  add(bytes: Uint8Array, start: number, stop: number, name: string): void {
    if (stop - start <= nameBytesMax)
      this.#names[slotOf(bytes, start, stop)] = { bytes: Uint8Array.from(bytes.subarray(start, stop)), name };
  }
}

const slots = 1_024;
/** Longer names are decoded each time, which bounds the memory. */
const nameBytesMax = 64;

/** FNV-1a. */
const slotOf = (bytes: Uint8Array, start: number, stop: number): number => {
  let hash = 0x811c9dc5;
  for (let at = start; at < stop; at++) hash = Math.imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  return (hash ^ (hash >>> 16)) & (slots - 1);
};
