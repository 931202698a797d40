import { ArchiveError } from '../archive/index.ts';
import type { TransformRule } from '../contract/models/transform.ts';
import { integer, join, textField, valueKind, varint } from '../firestore/index.ts';
import { fakeText } from './fake-text.ts';
import { KeyedDigest } from './keyed-digest.ts';

/**
 * Masks single values; every value keeps its type, except by `null`. Equal values become equal: hashes and fakes depend only on
 * the key, the value and the kind of fake, not on the field or the document.
 */
export class ValueMask {
  /** An encoded null. */
  readonly nothing = integer(valueKind.null, 0);
  readonly #keyed: KeyedDigest;

  constructor(key: Uint8Array) {
    this.#keyed = new KeyedDigest(key);
  }

  /** The encoded Value in place of one with this kind and payload; undefined if it stays. */
  mask(rule: TransformRule, kind: number, raw: Buffer): Buffer | undefined {
    const { transform } = rule;
    // A null has nothing to hide.
    if (transform === 'keep' || kind === valueKind.null) return undefined;
    if (transform === 'null') return this.nothing;
    const masked = kinds.get(kind);
    if (!masked) throw unknownKind();
    if (transform === 'redact') return masked.redacted(raw);
    if (rule.type !== undefined && kind === valueKind.string)
      return textField(kind, fakeText(rule.type, raw.toString(), this.#digest(`fake ${rule.type}`, kind, raw)));
    return masked.derived((input) => this.#digest(transform, kind, input), raw, transform === 'hash' ? 'hash' : 'fake');
  }

  #digest(purpose: string, kind: number, input: Buffer | string): Buffer {
    // An id in a text and the same id in a reference have the same hash.
    const type = kind === valueKind.reference ? valueKind.string : kind;
    return this.#keyed.of(`${purpose}\n${type}\n`, input);
  }
}

type Digest = (input: Buffer | string) => Buffer;

interface MaskedKind {
  /** A constant of the same type. */
  readonly redacted: (raw: Buffer) => Buffer;
  /** A value of the same type that is determined by the digest of the original. */
  readonly derived: (digest: Digest, raw: Buffer, transform: 'hash' | 'fake') => Buffer;
}

const double = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return bytes;
};
const doubleField = (field: number, value: number): Buffer => Buffer.concat([varint(field * 8 + 1), double(value)]);
const geoPoint = (latitude: number, longitude: number): Buffer =>
  textField(
    valueKind.geoPoint,
    join(latitude === 0 ? undefined : doubleField(1, latitude), longitude === 0 ? undefined : doubleField(2, longitude)),
  );
const time = (seconds: number): Buffer => textField(valueKind.timestamp, seconds === 0 ? Buffer.alloc(0) : integer(1, seconds));

/** A number from 0 up to 1 with 48 bits. */
const fraction = (digest: Buffer, at = 0): number => digest.readUIntBE(at, 6) / 2 ** 48;
const hashText = (digest: Buffer): string => digest.toString('hex', 0, 16);

/** Hashed integers are exact in every client. */
const integerMax = 2 ** 48;
/** Fake times are in the years 2000 to 2029, hashed ones in 1970 to 2099. */
const fakeTimes = { from: 946_684_800, to: 1_893_456_000 };
const hashTimes = { from: 0, to: 4_102_444_800 };
const redactedText = '[redacted]';

/** Replaces the ids of documents in a reference; those of collections, and the database, stay. */
const referenceWith = (raw: Buffer, idFor: (id: string) => string): Buffer => {
  const names = raw.toString().split('/');
  // projects/p/databases/d/documents/collection/id/…
  return textField(valueKind.reference, names.map((name, n) => (n >= 6 && n % 2 === 0 ? idFor(name) : name)).join('/'));
};

/** The decimal digits of an integer; negative numbers are 10 bytes long. */
const digitsOf = (raw: Buffer): number => (raw.length >= 10 ? 9 : Math.min(15, Math.max(1, Math.round(raw.length * 2.1))));

const kinds: ReadonlyMap<number, MaskedKind> = new Map<number, MaskedKind>([
  [
    valueKind.boolean,
    {
      redacted: () => integer(valueKind.boolean, 0),
      derived: (digest, raw) => integer(valueKind.boolean, (digest(raw)[0] ?? 0) & 1),
    },
  ],
  [
    valueKind.integer,
    {
      redacted: () => integer(valueKind.integer, 0),
      derived: (digest, raw, transform) =>
        integer(valueKind.integer, Math.floor(fraction(digest(raw)) * (transform === 'hash' ? integerMax : 10 ** digitsOf(raw)))),
    },
  ],
  [
    valueKind.double,
    {
      redacted: () => doubleField(valueKind.double, 0),
      derived: (digest, raw, transform) =>
        doubleField(valueKind.double, fraction(digest(raw)) * (transform === 'hash' ? 1 : 10 ** magnitudeOf(raw))),
    },
  ],
  [
    valueKind.reference,
    {
      redacted: (raw) => referenceWith(raw, () => 'redacted'),
      derived: (digest, raw) => referenceWith(raw, (id) => hashText(digest(id))),
    },
  ],
  [
    valueKind.geoPoint,
    {
      redacted: () => geoPoint(0, 0),
      derived: (digest, raw) => {
        const bytes = digest(raw);
        return geoPoint(fraction(bytes) * 180 - 90, fraction(bytes, 6) * 360 - 180);
      },
    },
  ],
  [
    valueKind.timestamp,
    {
      redacted: () => time(0),
      derived: (digest, raw, transform) => {
        const { from, to } = transform === 'hash' ? hashTimes : fakeTimes;
        return time(from + Math.floor(fraction(digest(raw)) * (to - from)));
      },
    },
  ],
  [
    valueKind.string,
    {
      redacted: () => textField(valueKind.string, redactedText),
      derived: (digest, raw) => textField(valueKind.string, hashText(digest(raw))),
    },
  ],
  [
    valueKind.bytes,
    {
      redacted: () => textField(valueKind.bytes, ''),
      derived: (digest, raw) => textField(valueKind.bytes, digest(raw)),
    },
  ],
]);

/** The power of ten above a number. */
const magnitudeOf = (raw: Buffer): number => {
  const value = Math.abs(raw.readDoubleLE());
  return value >= 1 && value < 1e15 ? Math.floor(Math.log10(value)) + 1 : 0;
};

/** Nothing is let through unmasked: the restore fails before it writes. */
const unknownKind = (): ArchiveError =>
  new ArchiveError('record-invalid', 'a rule applies to a value of an unknown type, which cannot be masked');
