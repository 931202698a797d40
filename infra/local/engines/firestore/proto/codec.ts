import protobuf from 'protobufjs/light.js';
import { type FieldPlan, plansOf, typeOf, wireTypeOf } from './field-plan.ts';
import { isZero, readScalar, readText, writeScalar, zeroOf } from './scalars.ts';

/** Encodes and decodes one message. Nested documents, values, writes and options stay encoded (as views, not copies). */
export interface Codec<T> {
  decode(bytes: Uint8Array): T;
  encode(message: Sendable<T>): Uint8Array;
}

/** A message to send: all fields are optional. */
export type Sendable<T> = T extends Uint8Array | bigint | string | number | boolean
  ? T
  : T extends ReadonlyMap<infer K, infer V>
    ? ReadonlyMap<K, V>
    : T extends readonly (infer E)[]
      ? readonly Sendable<E>[]
      : { readonly [K in keyof T]?: Sendable<T[K]> | undefined };

type Fields = Record<string, unknown>;

/** protobuf's own nesting limit. */
const maxDepth = 100;
const messages = { nested: new Map<protobuf.Type, Message>(), whole: new Map<protobuf.Type, Message>() };

/** The codec of a google.firestore.v1 message, or of a full name with a leading dot. `isWhole` decodes nested messages, too. */
export const codec = <T>(name: string, isWhole = false): Codec<T> => {
  let found: Message | undefined;
  const message = () => {
    found ??= messageOf(typeOf(name.startsWith('.') ? name : `.google.firestore.v1.${name}`), isWhole);
    return found;
  };
  return {
    decode: (bytes) => message().decode(protobuf.Reader.create(bytes), undefined, 0) as T,
    encode: (value) =>
      message()
        .encode(value as Fields, protobuf.Writer.create())
        .finish(),
  };
};

function messageOf(type: protobuf.Type, isWhole: boolean): Message {
  const known = isWhole ? messages.whole : messages.nested;
  let message = known.get(type);
  if (!message) {
    message = new Message(plansOf(type, isWhole), isWhole);
    known.set(type, message);
  }
  return message;
}

class Message {
  readonly #plans: readonly FieldPlan[];
  readonly #byId: ReadonlyMap<number, FieldPlan>;
  readonly isWhole: boolean;

  constructor(plans: readonly FieldPlan[], isWhole: boolean) {
    this.#plans = plans;
    this.isWhole = isWhole;
    this.#byId = new Map(plans.map((plan) => [plan.id, plan]));
  }

  decode(reader: protobuf.Reader, length: number | undefined, depth: number): Fields {
    if (depth > maxDepth) throw new RangeError('message is nested too deeply');
    const end = length === undefined ? reader.len : reader.pos + length;
    if (end > reader.len) throw new RangeError('message is cut short');
    const message = this.#empty();
    while (reader.pos < end) {
      const tag = reader.uint32();
      const plan = this.#byId.get(tag >>> 3);
      const wireType = tag & 7;
      if (tag >>> 3 === 0 || wireType === 4) throw new RangeError('invalid tag');
      if (plan && take(message, plan, wireType, reader, depth, this.isWhole)) continue;
      reader.skipType(wireType, depth);
    }
    if (reader.pos !== end) throw new RangeError('message is cut short');
    return message;
  }

  #empty(): Fields {
    const message: Fields = {};
    for (const plan of this.#plans) {
      if (plan.shape === 'many') message[plan.name] = [];
      else if (plan.shape === 'map') message[plan.name] = new Map();
      else if (!plan.presence && plan.kind !== 'message' && plan.kind !== 'raw') message[plan.name] = zeroOf(plan);
    }
    return message;
  }

  encode(message: Fields, writer: protobuf.Writer): protobuf.Writer {
    for (const plan of this.#plans) {
      const value = message[plan.name];
      if (value === undefined || value === null) continue;
      if (plan.shape === 'many') for (const one of value as unknown[]) put(writer, plan, plan.id, one, this.isWhole);
      else if (plan.shape === 'map') {
        for (const [key, one] of value as Map<string, unknown>) {
          writer.uint32((plan.id << 3) | 2).fork();
          writer.uint32(10).string(key);
          put(writer, plan, 2, one, this.isWhole);
          writer.ldelim();
        }
      } else if (plan.presence || plan.kind === 'message' || plan.kind === 'raw' || !isZero(value))
        put(writer, plan, plan.id, value, this.isWhole);
    }
    return writer;
  }
}

/** Returns whether the field was read. A field with an unexpected wire type is skipped like an unknown one. */
function take(
  message: Fields,
  plan: FieldPlan,
  wireType: number,
  reader: protobuf.Reader,
  depth: number,
  isWhole: boolean,
): boolean {
  if (plan.shape === 'map') {
    if (wireType !== 2) return false;
    const [key, value] = entry(plan, reader, depth, isWhole);
    (message[plan.name] as Map<string, unknown>).set(key, value);
    return true;
  }
  const own = wireTypeOf(plan.kind);
  if (plan.shape === 'many' && wireType === 2 && own !== 2) {
    const end = reader.uint32() + reader.pos;
    while (reader.pos < end) (message[plan.name] as unknown[]).push(get(plan, reader, depth, isWhole));
    return true;
  }
  if (wireType !== own) return false;
  const value = get(plan, reader, depth, isWhole);
  if (plan.shape === 'many') (message[plan.name] as unknown[]).push(value);
  else {
    message[plan.name] = value;
    for (const sibling of plan.siblings) delete message[sibling];
  }
  return true;
}

function entry(plan: FieldPlan, reader: protobuf.Reader, depth: number, isWhole: boolean): [string, unknown] {
  const length = reader.uint32();
  const end = reader.pos + length;
  let key = '';
  let value: unknown = plan.kind === 'raw' ? new Uint8Array() : zeroOf(plan);
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag === 10) key = readText(reader);
    else if (tag >>> 3 === 2 && (tag & 7) === wireTypeOf(plan.kind)) value = get(plan, reader, depth, isWhole);
    else reader.skipType(tag & 7, depth);
  }
  if (reader.pos !== end) throw new RangeError('message is cut short');
  return [key, value];
}

function get(plan: FieldPlan, reader: protobuf.Reader, depth: number, isWhole: boolean): unknown {
  return plan.message ? messageOf(plan.message, isWhole).decode(reader, reader.uint32(), depth + 1) : readScalar(plan, reader);
}

function put(writer: protobuf.Writer, plan: FieldPlan, id: number, value: unknown, isWhole: boolean): void {
  writer.uint32((id << 3) | wireTypeOf(plan.kind));
  if (plan.message) {
    messageOf(plan.message, isWhole)
      .encode(value as Fields, writer.fork())
      .ldelim();
  } else writeScalar(writer, plan, value);
}
