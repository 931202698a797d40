import { compareNames, sharedBytes } from '../name/compare-names.ts';
import type { FrameLocation } from '../object/object-writer.ts';
import { ArchiveError } from '../primitives/archive-error.ts';
import { asBuffer } from '../primitives/bytes.ts';
import {
  frameLengthBytes,
  maxLeafNameBytes,
  maxNameBytes,
  maxPageSegments,
  maxSealedBytes,
  minSealedBytes,
} from '../primitives/format-limits.ts';
import { isArchiveId, objectKind } from '../primitives/identity.ts';

/** The location of the two frames of a leaf and the SHA-256 of their contents. */
export interface LeafLocation {
  readonly backup: string;
  readonly object: string;
  /** Number of the keys frame; the bodies frame follows. */
  readonly frame: number;
  readonly offset: number;
  readonly keysLength: number;
  /** Length of the bodies frame, which directly follows the keys frame. */
  readonly bodiesLength: number;
  /** In the whole leaf. */
  readonly records: number;
  readonly keysSha256: Buffer;
  readonly bodiesSha256: Buffer;
}

/** The location of a leaf whose two frames were just written or read. */
export const leafLocation = (
  source: Pick<LeafLocation, 'backup' | 'object' | 'records'>,
  keys: FrameLocation,
  bodies: FrameLocation,
): LeafLocation => ({
  ...source,
  frame: keys.frame,
  offset: keys.offset,
  keysLength: keys.length,
  bodiesLength: bodies.length,
  keysSha256: keys.sha256,
  bodiesSha256: bodies.sha256,
});

/**
 * Slots `start` to `start + count` of a leaf. An index lists segments in name order; together they are all records of a backup.
 */
export interface Segment extends LeafLocation {
  readonly start: number;
  readonly count: number;
  /** The name in slot `start`. */
  readonly first: Buffer;
}

/** Source u16, frame u32, offset u48, two lengths, records, start and count u32, two hashes, shared and suffix length u16. */
const rowBytes = 2 + 4 + 6 + 4 + 4 + 4 + 4 + 4 + 32 + 32 + 2 + 2;

export const encodePage = (segments: readonly Segment[]): Buffer => {
  const sources = new Map<string, number>();
  const parts: Buffer[] = [];
  let before: Buffer = Buffer.alloc(0);
  for (const segment of segments) {
    const source = sourceText(segment.backup, segment.object);
    const number = sources.get(source) ?? sources.size;
    sources.set(source, number);
    const shared = sharedBytes(before, 0, before.length, segment.first, 0, segment.first.length);
    parts.push(encodeRow(segment, number, shared), segment.first.subarray(shared));
    before = segment.first;
  }
  const head = [...sources.keys()].flatMap((text) => [Buffer.from([text.length]), Buffer.from(text, 'latin1')]);
  return Buffer.concat([u16(sources.size), ...head, u16(segments.length), ...parts]);
};

/** Ids and object names contain no spaces. */
const sourceText = (backup: string, object: string): string => `${backup} ${object}`;

const u16 = (value: number): Buffer => {
  const out = Buffer.allocUnsafe(2);
  out.writeUInt16BE(value);
  return out;
};

const encodeRow = (segment: Segment, source: number, shared: number): Buffer => {
  const row = Buffer.allocUnsafe(rowBytes);
  let at = row.writeUInt16BE(source);
  at = row.writeUInt32BE(segment.frame, at);
  at = row.writeUIntBE(segment.offset, at, 6);
  for (const number of [segment.keysLength, segment.bodiesLength, segment.records, segment.start, segment.count])
    at = row.writeUInt32BE(number, at);
  at += segment.keysSha256.copy(row, at);
  at += segment.bodiesSha256.copy(row, at);
  at = row.writeUInt16BE(shared, at);
  row.writeUInt16BE(segment.first.length - shared, at);
  return row;
};

/** Decodes a page; checks limits and that segments ascend. */
export const decodePage = (page: Uint8Array): readonly Segment[] => {
  const reader = new PageReader(asBuffer(page));
  const sources = Array.from({ length: reader.number(2) }, () => readSource(reader));
  const count = reader.number(2);
  if (count > maxPageSegments) throw new ArchiveError('too-large', `an index page has ${count} segments`);
  const segments: Segment[] = [];
  let before: Buffer = Buffer.alloc(0);
  let nameBytes = 0;
  for (let i = 0; i < count; i++) {
    const segment = readRow(reader, sources, before);
    nameBytes += segment.first.length;
    if (nameBytes > maxLeafNameBytes) throw new ArchiveError('too-large', `the names of an index page have ${nameBytes} bytes`);
    if (i > 0 && compareNames(before, segment.first) >= 0) throw invalid('the segments of an index page are out of order');
    segments.push(segment);
    before = segment.first;
  }
  if (!reader.isAtEnd) throw invalid('bytes follow the last segment of an index page');
  return segments;
};

interface Source {
  readonly backup: string;
  readonly object: string;
}

const readSource = (reader: PageReader): Source => {
  const [backup, object, more] = reader.bytes(reader.number(1)).toString('latin1').split(' ');
  if (!isArchiveId(backup) || !object || objectKind(object) !== 'chunk' || more !== undefined)
    throw invalid('an index page references an invalid chunk name');
  return { backup, object };
};

const readRow = (reader: PageReader, sources: readonly Source[], before: Buffer): Segment => {
  const source = sources[reader.number(2)];
  if (!source) throw invalid('a segment references an unknown chunk');
  const [frame, offset] = [reader.number(4), reader.number(6)];
  const [keysLength, bodiesLength, records] = [reader.number(4), reader.number(4), reader.number(4)];
  const [start, count] = [reader.number(4), reader.number(4)];
  if (count === 0 || start + count > records) throw invalid('a segment exceeds its leaf');
  for (const length of [keysLength, bodiesLength]) {
    if (length > frameLengthBytes + maxSealedBytes)
      throw new ArchiveError('too-large', `a segment declares a frame of ${length} bytes`);
    if (length < frameLengthBytes + minSealedBytes) throw invalid('a segment declares a frame that is too short');
  }
  const [keysSha256, bodiesSha256] = [reader.bytes(32), reader.bytes(32)];
  const shared = reader.number(2);
  const suffix = reader.bytes(reader.number(2));
  const length = shared + suffix.length;
  if (shared > before.length || length === 0 || length > maxNameBytes)
    throw invalid('a segment name has an invalid shared prefix');
  const first = Buffer.concat([before.subarray(0, shared), suffix]);
  return { ...source, frame, offset, keysLength, bodiesLength, records, start, count, first, keysSha256, bodiesSha256 };
};

class PageReader {
  readonly #page: Buffer;
  #at = 0;

  constructor(page: Buffer) {
    this.#page = page;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#page.length;
  }

  bytes(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#page.length) throw invalid('the index page is truncated');
    const bytes = this.#page.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }

  number(width: number): number {
    return this.bytes(width).readUIntBE(0, width);
  }
}

const invalid = (message: string): ArchiveError => new ArchiveError('index-invalid', message);
