/** Decodes the parts of google.firestore.v1.ListenResponse that captures need. */

import { MessageReader } from '../wire/message-reader.ts';
import { fieldsOf, lastField, type WireField } from '../wire/small-messages.ts';
import { decodeReadTime } from '../wire/timestamps.ts';

const targetChanges = ['NO_CHANGE', 'ADD', 'REMOVE', 'CURRENT', 'RESET'] as const;

export interface TargetChange {
  readonly kind: (typeof targetChanges)[number] | undefined;
  /** Empty means all targets. */
  readonly targetIds: readonly number[];
  readonly cause: { readonly code: number; readonly message: string } | undefined;
  readonly token: Buffer | undefined;
  readonly readTime: string | undefined;
}

/** Field numbers of ListenResponse; the one that is set is the kind of response. */
export const responseKinds = { target: 2, changed: 3, deleted: 4, filter: 5, removed: 6 } as const;

export const targetChange = (bytes: Buffer): TargetChange => {
  const cause = lastField(bytes, 3)?.bytes;
  const readTime = lastField(bytes, 6)?.bytes;
  const token = lastField(bytes, 4)?.bytes;
  return {
    kind: targetChanges[lastField(bytes, 1)?.value ?? 0],
    targetIds: numbersOf(bytes, 2),
    cause: cause && { code: lastField(cause, 1)?.value ?? 0, message: lastField(cause, 2)?.bytes.toString() ?? '' },
    // The underlying buffer is reused.
    token: token?.length ? Buffer.from(token) : undefined,
    readTime: readTime && decodeReadTime(readTime),
  };
};

/** A deleted document: its full name, and when the deletion was observed, which is not before it happened. */
export const goneDocument = (bytes: Buffer): { readonly name: string; readonly seenAt: string | undefined } => {
  const readTime = lastField(bytes, 4)?.bytes;
  return { name: lastField(bytes, 1)?.bytes.toString() ?? '', seenAt: readTime && decodeReadTime(readTime) };
};

export const existenceFilter = (bytes: Buffer): { readonly targetId: number; readonly count: number } => ({
  targetId: lastField(bytes, 1)?.value ?? 0,
  count: lastField(bytes, 2)?.value ?? 0,
});

/** A repeated integer, packed or not. */
const numbersOf = (bytes: Buffer, field: number): readonly number[] =>
  [...fieldsOf(bytes)].filter((one) => one.field === field).flatMap(unpacked);

const unpacked = ({ bytes, value }: WireField): readonly number[] => {
  if (bytes.length === 0) return [value];
  const numbers: number[] = [];
  for (const reader = new MessageReader(bytes); reader.at < bytes.length; ) numbers.push(reader.number(bytes.length));
  return numbers;
};
