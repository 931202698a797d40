/** The erasure ledger as a sealed object: what was erased, for every reader of the backup. */
import { ObjectWriter, type WriterOptions } from '../object/object-writer.ts';
import { readFrames } from '../object/read-frames.ts';
import { ArchiveError } from '../primitives/archive-error.ts';
import { asBuffer } from '../primitives/bytes.ts';
import { maxPlainBytes } from '../primitives/format-limits.ts';
import { erasuresName, type Identity } from '../primitives/identity.ts';

/** A value in the JSON of the Firestore REST API: an object with one key that names its type. */
export type ErasureValue = Readonly<Record<string, unknown>>;

/** One erasure: documents by path, by the value of a field, or both. */
export interface LedgerEntry {
  readonly id: string;
  readonly createdAt: string;
  /** Document paths below the database: given, or found by the query. */
  readonly paths: readonly string[];
  /** Whether everything below these documents is erased, too. */
  readonly includeSubcollections: boolean;
  /** Every version of a document whose field has this value, in the collections of this id or in all. */
  readonly query?: { readonly collection?: string; readonly field: string; readonly value: ErasureValue };
}

export interface ErasureLedger {
  /** Increases with every change. */
  readonly version: number;
  readonly erasures: readonly LedgerEntry[];
}

/** A ledger is far smaller; a reader allocates no more than this. */
const maxLedgerBytes = 64 << 20;

/** The object of this version of the ledger, sealed like every other object of the backup. */
export const sealErasures = ({ version, erasures }: ErasureLedger, options: WriterOptions): Buffer => {
  const json = Buffer.from(JSON.stringify({ formatVersion: 1, version, erasures }), 'utf8');
  if (json.length > maxLedgerBytes) throw new ArchiveError('too-large', `the erasure ledger has ${json.length} bytes`);
  const writer = new ObjectWriter(erasuresName(version), options);
  for (let at = 0; at < json.length; at += maxPlainBytes)
    writer.seal(json.subarray(at, at + maxPlainBytes), at + maxPlainBytes >= json.length);
  return Buffer.concat(writer.take());
};

/** Opens the object of a version; rejects one that was modified, belongs to another backup, or states another version. */
export const openErasures = async (
  stored: Uint8Array,
  options: { readonly identity: Identity; readonly dataKey: Uint8Array; readonly version: number },
): Promise<ErasureLedger> => {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const { plain } of readFrames([asBuffer(stored)], { ...options, name: erasuresName(options.version) })) {
    length += plain.length;
    if (length > maxLedgerBytes) throw new ArchiveError('too-large', 'the erasure ledger exceeds the maximum size');
    parts.push(plain);
  }
  return parse(Buffer.concat(parts), options.version);
};

const parse = (json: Buffer, version: number): ErasureLedger => {
  const ledger = JSON.parse(json.toString('utf8')) as ErasureLedger & { readonly formatVersion: number };
  if (ledger.formatVersion !== 1)
    throw new ArchiveError('unsupported-version', 'the format version of the erasure ledger is not 1');
  if (ledger.version !== version) throw new ArchiveError('manifest-invalid', 'the erasure ledger states another version');
  return { version, erasures: ledger.erasures };
};
