/** What google.firestore.v1.Listen answers, as far as a capture needs to know. */

import { fieldsOf, lastField, type WireField } from '../wire/small-messages.ts';
import { decodeReadTime } from '../wire/timestamps.ts';

export const targetChanges = ['NO_CHANGE', 'ADD', 'REMOVE', 'CURRENT', 'RESET'] as const;

export interface TargetChange {
  readonly kind: (typeof targetChanges)[number] | undefined;
  /** None: it is said of all. */
  readonly targetIds: readonly number[];
  readonly cause: { readonly code: number; readonly message: string } | undefined;
  readonly token: Buffer | undefined;
  readonly readTime: string | undefined;
}

/** The field of ListenResponse that is set: it says what kind of answer it is. */
export const answerKinds = { target: 2, changed: 3, deleted: 4, filter: 5, removed: 6 } as const;

export const targetChange = (bytes: Buffer): TargetChange => {
  const cause = lastField(bytes, 3)?.bytes;
  const readTime = lastField(bytes, 6)?.bytes;
  const token = lastField(bytes, 4)?.bytes;
  return {
    kind: targetChanges[lastField(bytes, 1)?.value ?? 0],
    targetIds: numbersOf(bytes, 2),
    cause: cause && { code: lastField(cause, 1)?.value ?? 0, message: lastField(cause, 2)?.bytes.toString() ?? '' },
    // What it lies in is used again.
    token: token?.length ? Buffer.from(token) : undefined,
    readTime: readTime && decodeReadTime(readTime),
  };
};

/** A document that is no more: its full name, and when that was seen, which is not before it happened. */
export const goneDocument = (bytes: Buffer): { readonly name: string; readonly seenAt: string | undefined } => {
  const readTime = lastField(bytes, 4)?.bytes;
  return { name: lastField(bytes, 1)?.bytes.toString() ?? '', seenAt: readTime && decodeReadTime(readTime) };
};

export const existenceFilter = (bytes: Buffer): { readonly targetId: number; readonly count: number } => ({
  targetId: lastField(bytes, 1)?.value ?? 0,
  count: lastField(bytes, 2)?.value ?? 0,
});

/** A repeated number, packed or not. */
const numbersOf = (bytes: Buffer, field: number): readonly number[] =>
  [...fieldsOf(bytes)].filter((one) => one.field === field).flatMap(unpacked);

const unpacked = ({ bytes, value }: WireField): readonly number[] => {
  if (bytes.length === 0) return [value];
  const numbers: number[] = [];
  for (let at = 0; at < bytes.length; ) {
    let number = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++] ?? 0;
      number += (byte & 0x7f) * scale;
      if (byte < 0x80) break;
    }
    numbers.push(number);
  }
  return numbers;
};
