import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs/light.js';

/** How one field of a message travels. */
export interface FieldPlan {
  readonly name: string;
  readonly id: number;
  /** Scalar type name, or 'enum', 'message', 'raw'. */
  readonly kind: string;
  readonly shape: 'one' | 'many' | 'map';
  /** False where an absent scalar reads as its default. */
  readonly presence: boolean;
  /** The other fields of its oneof: the last on the wire wins. */
  readonly siblings: readonly string[];
  /** The name of that oneof. */
  readonly oneof: string | undefined;
  readonly enumeration: protobuf.Enum | undefined;
  readonly message: protobuf.Type | undefined;
}

/** Messages that stay bytes inside others: passed on, or read by the parts that own them. */
const opaque = new Set(
  ['Document', 'Value', 'Write', 'TransactionOptions', 'DocumentMask', 'Precondition'].map(
    (name) => `.google.firestore.v1.${name}`,
  ),
);
const wireTypes: Record<string, number> = { double: 1, int32: 0, int64: 0, bool: 0, enum: 0 };

/** The wire type a field of this kind has; everything with a length is 2. */
export const wireTypeOf = (kind: string): number => wireTypes[kind] ?? 2;

let root: protobuf.Root | undefined;

/** The message of that full name in the protos the official client ships, which its package hides from imports. */
export function typeOf(name: string): protobuf.Type {
  root ??= load();
  return root.lookupType(name);
}

function load(): protobuf.Root {
  const url = new URL('../protos/v1.json', import.meta.resolve('@google-cloud/firestore'));
  const made = protobuf.Root.fromJSON(JSON.parse(readFileSync(url, 'utf8')) as protobuf.INamespace);
  // Mobile and web clients verify a document by this field, which the published protos leave out.
  const write = made.lookupType('.google.firestore.v1.Write');
  const verify = new protobuf.Field('verify', 5, 'string');
  write.add(verify);
  write.oneofs.operation?.add(verify);
  made.resolveAll();
  return made;
}

/** How the fields of a message travel, in the order they are written. `isWhole` opens also what otherwise stays bytes. */
export function plansOf(type: protobuf.Type, isWhole: boolean): readonly FieldPlan[] {
  const known = isWhole ? wholePlans : plans;
  let found = known.get(type);
  if (!found) {
    found = type.fieldsArray.map((field) => planOf(field, isWhole));
    known.set(type, found);
  }
  return found;
}

const plans = new Map<protobuf.Type, readonly FieldPlan[]>();
const wholePlans = new Map<protobuf.Type, readonly FieldPlan[]>();

function planOf(field: protobuf.Field, isWhole: boolean): FieldPlan {
  const type = field.resolvedType;
  const enumeration = type instanceof protobuf.Enum ? type : undefined;
  const isOpaque = !isWhole && type !== null && opaque.has(type.fullName);
  const kind = type === null ? field.type : enumeration ? 'enum' : isOpaque ? 'raw' : 'message';
  const shape = field instanceof protobuf.MapField ? 'map' : field.repeated ? 'many' : 'one';
  const message = kind === 'message' && type instanceof protobuf.Type ? type : undefined;
  const siblings = field.partOf?.fieldsArray.map((other) => other.name).filter((name) => name !== field.name) ?? [];
  const oneof = field.partOf?.name;
  return { name: field.name, id: field.id, kind, shape, presence: field.partOf !== null, siblings, oneof, enumeration, message };
}
