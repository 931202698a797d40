/** Minimal protobuf encoding for small messages; documents never pass through here. */
import { SourceError } from '../grpc/source-error.ts';

/** An integer from 0 to 2^53. */
export const varint = (value: number): Buffer => {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 0x80; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 0x80);
  return Buffer.from([...bytes, rest]);
};

/** An integer from 0 to 2^53, a flag or an enum value. */
export const integer = (field: number, value: number): Buffer => Buffer.concat([varint(field * 8), varint(value)]);

/** A text field; bytes are its UTF-8 form. */
export const textField = (field: number, value: string | Uint8Array): Buffer => {
  const bytes = typeof value === 'string' ? Buffer.from(value) : value;
  return Buffer.concat([varint(field * 8 + 2), varint(bytes.length), bytes]);
};

/** A nested message of the defined parts. */
export const message = (field: number, ...parts: readonly (Buffer | undefined)[]): Buffer => textField(field, join(...parts));

export const join = (...parts: readonly (Buffer | undefined)[]): Buffer =>
  Buffer.concat(parts.filter((part) => part !== undefined));

/** One field: its bytes if length-delimited, otherwise its number. */
export interface WireField {
  readonly field: number;
  readonly bytes: Buffer;
  readonly value: number;
}

const none = Buffer.alloc(0);

/** The fields of a message in order. Throws if the bytes are not a message. */
export function* fieldsOf(bytes: Buffer): Generator<WireField> {
  let at = 0;
  const number = (): number => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = bytes[at++];
      if (byte === undefined || scale > 2 ** 63) throw broken();
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = number();
    const field = Math.floor(tag / 8);
    const type = tag % 8;
    if (type === 0) yield { field, bytes: none, value: number() };
    else {
      const length = type === 2 ? number() : type === 1 ? 8 : type === 5 ? 4 : -1;
      if (length < 0 || at + length > bytes.length) throw broken();
      at += length;
      yield { field, bytes: bytes.subarray(at - length, at), value: 0 };
    }
  }
}

/** The last field with that number, which wins in protobuf. */
export const lastField = (bytes: Buffer, field: number): WireField | undefined => {
  let found: WireField | undefined;
  for (const one of fieldsOf(bytes)) if (one.field === field) found = one;
  return found;
};

const broken = (): SourceError => new SourceError('INTERNAL_ERROR', 'The source sent an invalid message.');
