import { randomUUID } from 'node:crypto';
import type protobuf from 'protobufjs/light.js';
import { codec } from '../proto/codec.ts';
import { type FieldPlan, plansOf, typeOf } from '../proto/field-plan.ts';
import { decodeJson } from './decode-json.ts';
import { durationText, structJson, timestampText } from './special-json.ts';

/** Enums by name, or by number for generated clients. */
export type EnumStyle = 'name' | 'number';

type Fields = Readonly<Record<string, NonNullable<unknown> | undefined>>;

/** Converts an encoded message of google.firestore.v1 to proto3 JSON. */
export function jsonOfMessage(name: string, bytes: Uint8Array, enums: EnumStyle): unknown {
  const type = typeOf(`.google.firestore.v1.${name}`);
  return jsonOf(type, codec<Fields>(name, true).decode(bytes), enums);
}

/** Encodes a message from proto3 JSON. */
export function messageOfJson(name: string, json: unknown): Uint8Array {
  const fields = decodeJson(typeOf(`.google.firestore.v1.${name}`), json, '');
  return codec<Fields>(name, true).encode(fields as Fields);
}

function jsonOf(type: protobuf.Type, fields: Fields, enums: EnumStyle): unknown {
  switch (type.fullName) {
    case '.google.protobuf.Timestamp':
      return timestampText(fields.seconds as bigint, fields.nanos as number);
    case '.google.protobuf.Duration':
      return durationText(fields.seconds as bigint, fields.nanos as number);
    case '.google.protobuf.Struct':
    case '.google.protobuf.Value':
      return structJson(type.fullName, fields);
    case '.google.protobuf.Int32Value':
    case '.google.protobuf.DoubleValue':
      return fields.value;
    case '.google.protobuf.Int64Value':
      return String(fields.value);
    default:
      return Object.fromEntries(plansOf(type, true).flatMap((plan) => entryOf(plan, fields[plan.name], enums)));
  }
}

/** Omits default values of fields without presence. */
function entryOf(plan: FieldPlan, value: unknown, enums: EnumStyle): [string, unknown][] {
  if (value === undefined) return [];
  if (plan.shape === 'many') {
    const list = value as readonly unknown[];
    return list.length === 0 ? [] : [[plan.name, list.map((one) => oneJson(plan, one, enums))]];
  }
  if (plan.shape === 'map') {
    const map = value as ReadonlyMap<string, unknown>;
    if (map.size === 0) return [];
    // No prototype: a field may be named __proto__.
    const object = Object.create(null) as Record<string, unknown>;
    for (const [key, one] of map) object[key] = oneJson(plan, one, enums);
    return [[plan.name, object]];
  }
  if (!plan.presence && isDefault(plan, value)) return [];
  return [[plan.name, oneJson(plan, value, enums)]];
}

const isDefault = (plan: FieldPlan, value: unknown): boolean =>
  value === '' ||
  value === 0n ||
  value === false ||
  Object.is(value, 0) ||
  (value instanceof Uint8Array && value.length === 0) ||
  (plan.kind === 'enum' && plan.enumeration?.values[String(value)] === 0);

/** TypeScript does not know `rawJSON` yet, and Node 20 lacks it. */
const { rawJSON } = JSON as unknown as { readonly rawJSON?: (text: string) => unknown };
/** Stands for `-0`, which `JSON.stringify` cannot write, until `jsonText` replaces it. */
const marker = rawJSON ? undefined : `-0 ${randomUUID()}`;
const minusZero = rawJSON?.('-0') ?? marker;

/** The text of what `jsonOfMessage` returns. */
export const jsonText = (json: unknown, indent = 2): string => {
  const text = JSON.stringify(json, null, indent);
  return marker === undefined ? text : text.replaceAll(`"${marker}"`, '-0');
};

function oneJson(plan: FieldPlan, value: unknown, enums: EnumStyle): unknown {
  if (plan.message) return jsonOf(plan.message, value as Fields, enums);
  switch (plan.kind) {
    case 'int64':
      return String(value);
    case 'bytes':
      return Buffer.from(value as Uint8Array).toString('base64');
    case 'double':
      if (Object.is(value, -0)) return minusZero;
      return Number.isFinite(value) ? value : String(value);
    case 'enum':
      if (plan.enumeration?.fullName === '.google.protobuf.NullValue') return null;
      return enums === 'number' && typeof value === 'string' ? plan.enumeration?.values[value] : value;
    default:
      return value;
  }
}
