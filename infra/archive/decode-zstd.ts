/**
 * Decodes zstd frames (RFC 8878) without dictionaries, for Node 20, whose zlib cannot: the reader of archives runs there, too. Node 22.15 and
 * later have their own decoder, which is ten times faster. A test compares both.
 */
import {
  decodeHuffman,
  type FseTable,
  type HuffmanTable,
  littleEndian,
  makeFse,
  ReverseBits,
  readFse,
  readHuffman,
} from './huffman-fse.ts';

/** Returns the content of all frames; throws if it is longer than `maxBytes`, or if the input is damaged. */
export const decodeZstd = (input: Uint8Array, maxBytes: number): Buffer => {
  const output = Buffer.alloc(maxBytes);
  let [at, written] = [0, 0];
  while (at < input.length) {
    const magic = littleEndian(input, at, 4);
    if (magic >= 0x184d2a50 && magic <= 0x184d2a5f) at += 8 + littleEndian(input, at + 4, 4);
    else if (magic === 0xfd2fb528) [at, written] = decodeFrame(input, at + 4, { output, written });
    else throw new Error('not a zstd frame');
  }
  return output.subarray(0, written);
};

interface Target {
  readonly output: Buffer;
  readonly written: number;
}

/** What the blocks of a frame hand on to the next. */
interface FrameState {
  readonly output: Buffer;
  readonly start: number;
  written: number;
  readonly offsets: [number, number, number];
  huffman: HuffmanTable | undefined;
  readonly tables: Partial<Record<Code, FseTable>>;
}

const decodeFrame = (input: Uint8Array, from: number, { output, written }: Target): [number, number] => {
  const descriptor = littleEndian(input, from, 1);
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const sizeBytes = descriptor >> 6 === 0 ? Number(isSingleSegment) : 1 << (descriptor >> 6);
  let at = from + 1 + Number(!isSingleSegment);
  if (dictionaryBytes > 0 && littleEndian(input, at, dictionaryBytes) !== 0) throw new Error('the zstd frame needs a dictionary');
  at += dictionaryBytes + sizeBytes;
  const state: FrameState = { output, start: written, written, offsets: [1, 4, 8], huffman: undefined, tables: {} };
  for (let isLast = false; !isLast; ) {
    const header = littleEndian(input, at, 3);
    isLast = (header & 1) === 1;
    const [type, size] = [(header >> 1) & 3, header >> 3];
    at += 3;
    if (type === 1) {
      reserve(state, size);
      output.fill(littleEndian(input, at, 1), state.written, state.written + size);
      state.written += size;
      at += 1;
      continue;
    }
    if (type === 3 || at + size > input.length) throw new Error('the zstd frame is damaged');
    const block = input.subarray(at, at + size);
    if (type === 0) append(state, block);
    else decodeBlock(block, state);
    at += size;
  }
  return [at + ((descriptor & 4) === 0 ? 0 : 4), state.written];
};

const reserve = ({ output, written }: FrameState, count: number): void => {
  if (written + count > output.length) throw new Error('the content is longer than allowed');
};

const append = (state: FrameState, bytes: Uint8Array): void => {
  reserve(state, bytes.length);
  state.output.set(bytes, state.written);
  state.written += bytes.length;
};

const decodeBlock = (block: Uint8Array, state: FrameState): void => {
  const { literals, end } = readLiterals(block, state);
  let at = end;
  let count = littleEndian(block, at, 1);
  at += 1;
  if (count === 255) {
    count = littleEndian(block, at, 2) + 0x7f00;
    at += 2;
  } else if (count >= 128) {
    count = ((count - 128) << 8) + littleEndian(block, at, 1);
    at += 1;
  }
  if (count === 0) {
    append(state, literals);
    return;
  }
  const modes = littleEndian(block, at, 1);
  at += 1;
  for (const [code, shift] of [
    ['literals', 6],
    ['offset', 4],
    ['match', 2],
  ] as const)
    at = readTable(block, at, { code, mode: (modes >> shift) & 3, state });
  runSequences(new ReverseBits(block.subarray(at)), { count, literals, state });
};

/* Literals. */

const readLiterals = (block: Uint8Array, state: FrameState): { readonly literals: Uint8Array; readonly end: number } => {
  const first = littleEndian(block, 0, 1);
  const [type, format] = [first & 3, (first >> 2) & 3];
  if (type < 2) {
    const headerBytes = [1, 2, 1, 3][format] ?? 1;
    const size = littleEndian(block, 0, headerBytes) >> (headerBytes === 1 ? 3 : 4);
    const repeated = type === 1 ? new Uint8Array(size).fill(littleEndian(block, headerBytes, 1)) : undefined;
    const end = headerBytes + (repeated ? 1 : size);
    if (end > block.length) throw new Error('the zstd frame is damaged');
    return { literals: repeated ?? block.subarray(headerBytes, end), end };
  }
  const bits = [10, 10, 14, 18][format] ?? 10;
  const headerBytes = [3, 3, 4, 5][format] ?? 3;
  const header = littleEndian(block, 0, headerBytes);
  const size = Math.floor(header / 16) % 2 ** bits;
  const end = headerBytes + (Math.floor(header / 2 ** (4 + bits)) % 2 ** bits);
  if (end > block.length) throw new Error('the zstd frame is damaged');
  let at = headerBytes;
  if (type === 2) [state.huffman, at] = readHuffman(block, at);
  const table = state.huffman;
  if (!table) throw new Error('the zstd frame is damaged');
  const literals = new Uint8Array(size);
  if (format === 0) decodeHuffman(block.subarray(at, end), table, literals);
  else {
    const each = (size + 3) >> 2;
    let from = at + 6;
    for (let n = 0; n < 4; n++) {
      const to = n < 3 ? from + littleEndian(block, at + 2 * n, 2) : end;
      decodeHuffman(block.subarray(from, to), table, literals.subarray(n * each, n < 3 ? (n + 1) * each : size));
      from = to;
    }
  }
  return { literals, end };
};

/* Sequences: runs of literals, each followed by a copy of what was written before. */

type Code = 'literals' | 'offset' | 'match';

const repeated = (value: number, count: number): readonly number[] => new Array<number>(count).fill(value);

const predefined: Readonly<Record<Code, FseTable>> = {
  literals: makeFse([4, 3, ...repeated(2, 11), 1, 1, 1, ...repeated(2, 9), 3, 2, ...repeated(1, 5), ...repeated(-1, 4)], 6),
  offset: makeFse([...repeated(1, 6), 2, 2, 2, ...repeated(1, 15), ...repeated(-1, 5)], 5),
  match: makeFse([1, 4, 3, ...repeated(2, 6), ...repeated(1, 37), ...repeated(-1, 7)], 6),
};
const accuracyMax: Readonly<Record<Code, number>> = { literals: 9, offset: 8, match: 9 };

/** Extra bits of the codes; the first ones have none. A base is that of the code before, and what that one's bits can add. */
const lengthsOf = (base: number, plain: number, extra: readonly number[]): readonly (readonly [base: number, bits: number])[] => {
  const all = [...repeated(0, plain), ...extra];
  let next = base;
  return all.map((bits) => {
    const own = next;
    next += 2 ** bits;
    return [own, bits] as const;
  });
};
const literalLengths = lengthsOf(0, 16, [1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
const matchLengths = lengthsOf(3, 32, [1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);

interface TableChoice {
  readonly code: Code;
  readonly mode: number;
  readonly state: FrameState;
}

const readTable = (block: Uint8Array, at: number, { code, mode, state }: TableChoice): number => {
  if (mode === 0) state.tables[code] = predefined[code];
  if (mode === 1) {
    const symbols = Uint8Array.of(littleEndian(block, at, 1));
    state.tables[code] = { accuracy: 0, symbols, bits: new Uint8Array(1), baselines: new Uint16Array(1) };
    return at + 1;
  }
  if (mode !== 2) return at;
  const [table, end] = readFse(block, at, accuracyMax[code]);
  state.tables[code] = table;
  return end;
};

interface Sequences {
  readonly count: number;
  readonly literals: Uint8Array;
  readonly state: FrameState;
}

const runSequences = (bits: ReverseBits, { count, literals, state }: Sequences): void => {
  const { literals: literalTable, offset: offsetTable, match: matchTable } = state.tables;
  if (!literalTable || !offsetTable || !matchTable) throw new Error('the zstd frame is damaged');
  const begin = (table: FseTable): number => bits.read(table.accuracy);
  const advance = (table: FseTable, at: number): number => (table.baselines[at] ?? 0) + bits.read(table.bits[at] ?? 0);
  let [literalState, offsetState, matchState] = [begin(literalTable), begin(offsetTable), begin(matchTable)];
  let taken = 0;
  for (let n = 0; n < count; n++) {
    const offsetCode = offsetTable.symbols[offsetState] ?? 0;
    if (offsetCode > 31) throw new Error('the zstd frame is damaged');
    const offsetValue = 2 ** offsetCode + bits.read(offsetCode);
    const [matchBase = 0, matchBits = 0] = matchLengths[matchTable.symbols[matchState] ?? 0] ?? [];
    const matchLength = matchBase + bits.read(matchBits);
    const [literalBase = 0, literalBits = 0] = literalLengths[literalTable.symbols[literalState] ?? 0] ?? [];
    const literalLength = literalBase + bits.read(literalBits);
    if (taken + literalLength > literals.length) throw new Error('the zstd frame is damaged');
    append(state, literals.subarray(taken, taken + literalLength));
    taken += literalLength;
    copyMatch(state, offsetOf(state.offsets, offsetValue, literalLength), matchLength);
    if (n === count - 1) break;
    literalState = advance(literalTable, literalState);
    matchState = advance(matchTable, matchState);
    offsetState = advance(offsetTable, offsetState);
  }
  if (bits.left !== 0) throw new Error('the zstd frame is damaged');
  append(state, literals.subarray(taken));
};

/** The first three values name recent offsets. */
const offsetOf = (recent: FrameState['offsets'], value: number, literalLength: number): number => {
  const [first, second, third] = recent;
  if (value > 3) {
    recent.splice(0, 3, value - 3, first, second);
    return value - 3;
  }
  const index = value - 1 + (literalLength === 0 ? 1 : 0);
  const offset = [first, second, third, first - 1][index] ?? 0;
  if (index > 0) recent.splice(0, 3, offset, first, index === 1 ? third : second);
  return offset;
};

const copyMatch = (state: FrameState, offset: number, length: number): void => {
  const { output, start, written } = state;
  if (offset <= 0 || offset > written - start) throw new Error('the zstd frame is damaged');
  reserve(state, length);
  // Source and target may overlap: the copy then repeats what it has just written.
  if (offset >= length) output.copyWithin(written, written - offset, written - offset + length);
  else for (let n = written; n < written + length; n++) output[n] = output[n - offset] ?? 0;
  state.written += length;
};
