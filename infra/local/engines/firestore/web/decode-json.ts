import type protobuf from 'protobufjs/light.js';
import { RpcError } from '../base/types.ts';
import { type FieldPlan, plansOf } from '../proto/field-plan.ts';
import { timestampOfText } from './special-json.ts';

type Fields = Record<string, unknown>;

/** Parses a message in proto3 JSON; rejects unknown fields with the service's messages. */
export function decodeJson(type: protobuf.Type, json: unknown, at: string): Fields {
  if (type.fullName === '.google.protobuf.Timestamp') return timestampOfText(json, at);
  if (/^\.google\.protobuf\.(Int32|Int64|Double)Value$/.test(type.fullName)) {
    const plan = plansOf(type, true)[0];
    return plan ? { value: one(plan, json, at) } : {};
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new RpcError('INVALID_ARGUMENT', `Invalid value at '${at}' (${type.fullName.slice(1)}), ${JSON.stringify(json)}`);
  const fields: Fields = {};
  const plans = plansOf(type, true);
  for (const [name, value] of Object.entries(json)) {
    const plan = plans.find((candidate) => candidate.name === name || snake(candidate.name) === name);
    if (!plan) {
      const where = at === '' ? '' : ` at '${at}'`;
      throw new RpcError('INVALID_ARGUMENT', `Invalid JSON payload received. Unknown name "${name}"${where}: Cannot find field.`);
    }
    const path = at === '' ? snake(plan.name) : `${at}.${snake(plan.name)}`;
    if (value === null && !isNull(plan)) continue;
    if (plan.siblings.some((sibling) => fields[sibling] !== undefined)) {
      const set = `oneof field '${snake(plan.oneof ?? '')}' is already set. Cannot set '${name}'`;
      throw new RpcError('INVALID_ARGUMENT', `Invalid value${at === '' ? '' : ` at '${at}'`} (oneof), ${set}`);
    }
    fields[plan.name] = shaped(plan, value, path);
  }
  return fields;
}

const isNull = (plan: FieldPlan): boolean => plan.enumeration?.fullName === '.google.protobuf.NullValue';

const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function shaped(plan: FieldPlan, value: unknown, at: string): unknown {
  if (plan.shape === 'many') {
    // A single value counts as a list of one, as in a query string.
    const list = Array.isArray(value) ? value : [value];
    return list.map((item, index) => one(plan, item, `${at}[${index}]`));
  }
  if (plan.shape !== 'map') return one(plan, value, at);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid(plan, value, at);
  return new Map(Object.entries(value).map(([key, item], index) => [key, one(plan, item, `${at}[${index}].value`)]));
}

const invalid = (plan: FieldPlan, value: unknown, at: string): RpcError => {
  const type = plan.enumeration ? `type.googleapis.com/${plan.enumeration.fullName.slice(1)}` : `TYPE_${plan.kind.toUpperCase()}`;
  const what = plan.kind === 'bytes' && typeof value === 'string' ? 'Base64 decoding failed for ' : '';
  return new RpcError('INVALID_ARGUMENT', `Invalid value at '${at}' (${type}), ${what}${JSON.stringify(value)}`);
};

function one(plan: FieldPlan, value: unknown, at: string): unknown {
  if (plan.message) return decodeJson(plan.message, value, at);
  const read = readers[plan.kind]?.(value, plan);
  if (read === undefined) throw invalid(plan, value, at);
  return read;
}

const readers: Readonly<Record<string, (value: unknown, plan: FieldPlan) => unknown>> = {
  string: (value) => (typeof value === 'string' ? value : undefined),
  bool: (value) => (typeof value === 'boolean' ? value : value === 'true' ? true : value === 'false' ? false : undefined),
  bytes: (value) => (typeof value === 'string' && isBase64(value) ? Buffer.from(value, 'base64') : undefined),
  int32: (value) => {
    const number = integer(value);
    return number !== undefined && BigInt.asIntN(32, number) === number ? Number(number) : undefined;
  },
  int64: (value) => {
    const number = integer(value);
    return number !== undefined && BigInt.asIntN(64, number) === number ? number : undefined;
  },
  double: (value) => {
    if (typeof value === 'number') return value;
    if (value === 'NaN') return Number.NaN;
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
    return Number.isNaN(number) ? undefined : number;
  },
  enum: (value, { enumeration }) => {
    if (enumeration?.fullName === '.google.protobuf.NullValue') return 0;
    if (typeof value === 'string') return enumeration?.values[value];
    return typeof value === 'number' && Number.isInteger(value) ? value : undefined;
  },
};

/** Either alphabet, with or without padding. */
const isBase64 = (text: string): boolean => /^[A-Za-z0-9+/_-]*={0,2}$/.test(text) && text.replace(/=+$/, '').length % 4 !== 1;

function integer(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : undefined;
  return typeof value === 'string' && /^-?\d+$/.test(value) ? BigInt(value) : undefined;
}
