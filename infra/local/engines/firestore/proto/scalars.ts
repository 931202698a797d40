import { isUtf8 } from 'node:buffer';
import type protobuf from 'protobufjs/light.js';
import type { FieldPlan } from './field-plan.ts';

/** Reads a value that is not a message; 64-bit integers are exact. */
export function readScalar(plan: FieldPlan, reader: protobuf.Reader): unknown {
  switch (plan.kind) {
    case 'raw':
    case 'bytes':
      return reader.bytes();
    case 'string':
      return readText(reader);
    case 'enum': {
      const value = reader.int32();
      return plan.enumeration?.valuesById[value] ?? value;
    }
    case 'int64': {
      const { low, high } = reader.int64() as protobuf.Long;
      return (BigInt(high) << 32n) | BigInt(low >>> 0);
    }
    case 'bool':
      return reader.bool();
    case 'double':
      return reader.double();
    case 'int32':
      return reader.int32();
    default:
      throw new RangeError(`unused field type ${plan.kind}`);
  }
}

/** The value of an absent field without presence. */
export function zeroOf(plan: FieldPlan): unknown {
  if (plan.kind === 'string') return '';
  if (plan.kind === 'bytes') return new Uint8Array();
  if (plan.kind === 'bool') return false;
  if (plan.kind === 'int64') return 0n;
  if (plan.kind === 'enum') return plan.enumeration?.valuesById[0] ?? 0;
  return plan.kind === 'message' ? undefined : 0;
}

/** Whether a value is its type's default; -0 is not. */
export const isZero = (value: unknown): boolean =>
  value === '' || Object.is(value, 0) || value === 0n || value === false || (value instanceof Uint8Array && value.length === 0);

/** Writes a value that is not a message, without its tag. */
export function writeScalar(writer: protobuf.Writer, plan: FieldPlan, value: unknown): void {
  switch (plan.kind) {
    case 'raw':
    case 'bytes':
      writer.bytes(value as Uint8Array);
      return;
    case 'string':
      writer.string(value as string);
      return;
    case 'enum':
      writer.int32(typeof value === 'string' ? (plan.enumeration?.values[value] ?? 0) : (value as number));
      return;
    case 'int64': {
      const bits = BigInt.asUintN(64, BigInt(value as bigint));
      writer.int64({ low: Number(bits & 0xffffffffn) | 0, high: Number(bits >> 32n) | 0, unsigned: false } as protobuf.Long);
      return;
    }
    case 'bool':
      writer.bool(value as boolean);
      return;
    case 'double':
      writer.double(value as number);
      return;
    default:
      writer.int32(value as number);
  }
}

/** Reads a string; like proto3, rejects invalid UTF-8. */
export function readText(reader: protobuf.Reader): string {
  const bytes = reader.bytes();
  if (!isUtf8(bytes)) throw new RangeError('string is not valid UTF-8');
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}
