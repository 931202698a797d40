/** The entropy coding of zstd (RFC 8878, section 4): Huffman codes, finite state entropy, and streams that are read from their end. */

export const littleEndian = (bytes: Uint8Array, at: number, count: number): number => {
  if (at + count > bytes.length) throw new Error('the zstd frame is truncated');
  let value = 0;
  for (let n = count - 1; n >= 0; n--) value = value * 256 + (bytes[at + n] ?? 0);
  return value;
};

export interface HuffmanTable {
  readonly maxBits: number;
  readonly symbols: Uint8Array;
  readonly lengths: Uint8Array;
}

export const readHuffman = (block: Uint8Array, from: number): [HuffmanTable, number] => {
  const header = littleEndian(block, from, 1);
  const bytes = header >= 128 ? (header - 126) >> 1 : header;
  const description = block.subarray(from + 1, from + 1 + bytes);
  const weights =
    header >= 128
      ? Array.from({ length: header - 127 }, (_, n) => ((description[n >> 1] ?? 0) >> (n % 2 === 0 ? 4 : 0)) & 15)
      : readWeights(description);
  const sum = weights.reduce((total, weight) => total + (weight > 0 ? 1 << (weight - 1) : 0), 0);
  const maxBits = highestBit(sum) + 1;
  const rest = (1 << maxBits) - sum;
  // The last weight is implied: it completes the sum to a power of two.
  if (sum === 0 || maxBits > 11 || rest !== 1 << highestBit(rest)) throw new Error('the zstd frame is damaged');
  weights.push(highestBit(rest) + 1);
  const table = { maxBits, symbols: new Uint8Array(1 << maxBits), lengths: new Uint8Array(1 << maxBits) };
  let at = 0;
  for (let weight = 1; weight <= maxBits; weight++)
    for (const [symbol, own] of weights.entries()) {
      if (own !== weight) continue;
      const next = at + (1 << (weight - 1));
      table.symbols.fill(symbol, at, next);
      table.lengths.fill(maxBits + 1 - weight, at, next);
      at = next;
    }
  return [table, from + 1 + bytes];
};

const readWeights = (description: Uint8Array): number[] => {
  const [table, end] = readFse(description, 0, 6);
  const bits = new ReverseBits(description.subarray(end));
  const states = [bits.read(table.accuracy), bits.read(table.accuracy)];
  const weights: number[] = [];
  // Two states take turns; when the bits are used up, the other one has the last symbol.
  for (let turn = 0; weights.length < 256; turn = 1 - turn) {
    const state = states[turn] ?? 0;
    weights.push(table.symbols[state] ?? 0);
    states[turn] = (table.baselines[state] ?? 0) + bits.read(table.bits[state] ?? 0);
    if (bits.left >= 0) continue;
    weights.push(table.symbols[states[1 - turn] ?? 0] ?? 0);
    return weights;
  }
  throw new Error('the zstd frame is damaged');
};

export const decodeHuffman = (stream: Uint8Array, { maxBits, symbols, lengths }: HuffmanTable, target: Uint8Array): void => {
  const bits = new ReverseBits(stream);
  for (let n = 0; n < target.length; n++) {
    const index = bits.peek(maxBits);
    target[n] = symbols[index] ?? 0;
    bits.left -= lengths[index] ?? 0;
  }
  if (bits.left !== 0) throw new Error('the zstd frame is damaged');
};

/* Finite state entropy. */

export interface FseTable {
  readonly accuracy: number;
  readonly symbols: Uint8Array;
  readonly bits: Uint8Array;
  readonly baselines: Uint16Array;
}

const highestBit = (value: number): number => 31 - Math.clz32(value);

/** Reads probabilities, from the lowest bit on. */
export const readFse = (bytes: Uint8Array, from: number, accuracyMax: number): [FseTable, number] => {
  let position = from * 8;
  const read = (count: number): number => {
    let value = 0;
    for (let n = 0; n < count; n++, position++) value |= (((bytes[position >> 3] ?? 0) >> (position & 7)) & 1) << n;
    return value;
  };
  const accuracy = read(4) + 5;
  if (accuracy > accuracyMax) throw new Error('the zstd frame is damaged');
  const probabilities: number[] = [];
  for (let remaining = 1 << accuracy; remaining > 0; ) {
    const count = highestBit(remaining + 1) + 1;
    let value = read(count);
    const lowerMask = (1 << (count - 1)) - 1;
    const threshold = (1 << count) - 2 - remaining;
    if ((value & lowerMask) < threshold) {
      position -= 1;
      value &= lowerMask;
    } else if (value > lowerMask) value -= threshold;
    const probability = value - 1;
    remaining -= Math.abs(probability);
    probabilities.push(probability);
    if (probability === 0)
      for (let repeat = 3; repeat === 3; ) {
        repeat = read(2);
        for (let n = 0; n < repeat; n++) probabilities.push(0);
      }
    if (remaining < 0 || probabilities.length > 256) throw new Error('the zstd frame is damaged');
  }
  const end = (position + 7) >> 3;
  if (end > bytes.length) throw new Error('the zstd frame is truncated');
  return [makeFse(probabilities, accuracy), end];
};

export const makeFse = (probabilities: readonly number[], accuracy: number): FseTable => {
  const size = 1 << accuracy;
  const symbols = new Uint8Array(size);
  let high = size;
  for (const [symbol, probability] of probabilities.entries()) {
    if (probability !== -1) continue;
    high -= 1;
    symbols[high] = symbol;
  }
  const step = (size >> 1) + (size >> 3) + 3;
  let position = 0;
  for (const [symbol, probability] of probabilities.entries())
    for (let n = 0; n < probability; n++) {
      symbols[position] = symbol;
      do position = (position + step) & (size - 1);
      while (position >= high);
    }
  const next = probabilities.map((probability) => Math.abs(probability));
  const table = { accuracy, symbols, bits: new Uint8Array(size), baselines: new Uint16Array(size) };
  for (let state = 0; state < size; state++) {
    const symbol = symbols[state] ?? 0;
    const value = next[symbol] ?? 0;
    next[symbol] = value + 1;
    table.bits[state] = accuracy - highestBit(value);
    table.baselines[state] = (value << (table.bits[state] ?? 0)) - size;
  }
  return table;
};

/** Reads bits from the end. The highest bit that is set in the last byte marks the end. Bits before the beginning are zero. */
export class ReverseBits {
  readonly #bytes: Uint8Array;
  left: number;

  constructor(bytes: Uint8Array) {
    const last = bytes.at(-1) ?? 0;
    if (last === 0) throw new Error('the zstd frame is damaged');
    this.#bytes = bytes;
    this.left = (bytes.length - 1) * 8 + highestBit(last);
  }

  /** Up to 31 bits. */
  read(count: number): number {
    if (count > 16) return this.read(count - 16) * 65_536 + this.read(16);
    const value = this.peek(count);
    this.left -= count;
    return value;
  }

  /** Up to 16 bits. */
  peek(count: number): number {
    const from = this.left - count;
    if (from < 0) return this.left <= 0 ? 0 : (this.#bits(0, this.left) << -from) & ((1 << count) - 1);
    return this.#bits(from, count);
  }

  #bits(from: number, count: number): number {
    const at = from >> 3;
    const bytes = this.#bytes;
    const word = (bytes[at] ?? 0) | ((bytes[at + 1] ?? 0) << 8) | ((bytes[at + 2] ?? 0) << 16);
    return (word >> (from & 7)) & ((1 << count) - 1);
  }
}
