/** The last frame of a filter object: which fields it covers, and where its sections are. Every frame begins with its own hash. */
import { hash } from 'node:crypto';
import type { ObjectEntry } from '../object/object-writer.ts';
import { ArchiveError } from '../primitives/archive-error.ts';
import { frameLengthBytes, maxSealedBytes, minSealedBytes } from '../primitives/format-limits.ts';

/** The segments of a field path. */
export type FieldPath = readonly string[];

/** The entry of a filter object in the manifest. `records` is the number of leaves. */
export interface FilterEntry extends ObjectEntry {
  /** The length of its last frame. */
  readonly directory: number;
}

export interface FilterDirectory {
  readonly leaves: number;
  readonly fields: readonly FieldPath[];
  /** The length of each section frame: for every 256 leaves one for the ids, and one for each field. */
  readonly sections: readonly number[];
}

export const leavesPerSection = 256;
export const filterFieldsMax = 64;

/** A filter object has the number of its chunk. */
export const filterName = (chunk: string): string => chunk.replace(/^chunk\//, 'filter/');
export const chunkNameOf = (filter: string): string => filter.replace(/^filter\//, 'chunk/');

const hashBytes = 32;

export const withHash = (content: Buffer): Buffer => Buffer.concat([hash('sha256', content, 'buffer'), content]);

/** The content of a frame; throws if it was not decompressed to what was compressed. */
export const withoutHash = (frame: Buffer): Buffer => {
  const content = frame.subarray(hashBytes);
  if (frame.length < hashBytes || !hash('sha256', content, 'buffer').equals(frame.subarray(0, hashBytes)))
    throw new ArchiveError('hash-mismatch', 'a frame of a filter differs from its hash');
  return content;
};

export const encodeDirectory = ({ leaves, fields, sections }: FilterDirectory): Buffer =>
  withHash(Buffer.from(JSON.stringify({ leaves, fields, sections })));

export const parseDirectory = (frame: Buffer, entry: FilterEntry): FilterDirectory => {
  const { leaves, fields, sections } = jsonIn(withoutHash(frame));
  if (leaves !== entry.records || !isFields(fields) || !isSections(sections)) throw invalid();
  const groups = Math.ceil(entry.records / leavesPerSection);
  if (sections.length !== groups * (1 + fields.length) || sections.length + 1 !== entry.frames) throw invalid();
  if (sections.reduce((sum, length) => sum + length, entry.directory) > entry.size) throw invalid();
  return { leaves: entry.records, fields, sections };
};

const jsonIn = (content: Buffer): { readonly leaves?: unknown; readonly fields?: unknown; readonly sections?: unknown } => {
  try {
    const value: unknown = JSON.parse(content.toString('utf8'));
    if (typeof value === 'object' && value !== null) return value;
  } catch (cause) {
    throw new ArchiveError('index-invalid', 'the directory of a filter is not JSON', { cause });
  }
  throw invalid();
};

const isFields = (value: unknown): value is readonly FieldPath[] =>
  Array.isArray(value) &&
  value.length <= filterFieldsMax &&
  value.every((path) => Array.isArray(path) && path.length > 0 && path.every((segment) => typeof segment === 'string'));

const isSections = (value: unknown): value is readonly number[] =>
  Array.isArray(value) &&
  value.every(
    (length) =>
      Number.isSafeInteger(length) && length >= frameLengthBytes + minSealedBytes && length <= frameLengthBytes + maxSealedBytes,
  );

const invalid = (): ArchiveError => new ArchiveError('index-invalid', 'the directory of a filter is invalid');
