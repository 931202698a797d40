import protobuf from 'protobufjs/light.js';
import { precomputedProtos } from './precomputed-protos.ts';

/** How a field of a message is encoded. */
export interface FieldPlan {
  readonly name: string;
  readonly id: number;
  /** A scalar type name, or 'enum', 'message', 'raw'. */
  readonly kind: string;
  readonly shape: 'one' | 'many' | 'map';
  /** False if an absent scalar reads as its default. */
  readonly presence: boolean;
  /** The other fields of its oneof: the last one on the wire wins. */
  readonly siblings: readonly string[];
  /** The name of its oneof. */
  readonly oneof: string | undefined;
  readonly enumeration: protobuf.Enum | undefined;
  readonly message: protobuf.Type | undefined;
}

/** Messages that stay encoded inside others: forwarded, or decoded by the parts that own them. */
const opaque = new Set(
  ['Document', 'Value', 'Write', 'TransactionOptions', 'DocumentMask', 'Precondition'].map(
    (name) => `.google.firestore.v1.${name}`,
  ),
);
const wireTypes: Record<string, number> = { double: 1, int32: 0, int64: 0, bool: 0, enum: 0 };

/** The wire type of a kind; 2 for everything with a length. */
export const wireTypeOf = (kind: string): number => wireTypes[kind] ?? 2;

let root: protobuf.Root | undefined;

/** A message by full name, from the protos of the official client. */
export function typeOf(name: string): protobuf.Type {
  root ??= load();
  return root.lookupType(name);
}

function load(): protobuf.Root {
  const made = protobuf.Root.fromJSON(precomputedProtos());
  // Mobile and web clients verify documents with this field, which the published protos lack.
  const write = made.lookupType('.google.firestore.v1.Write');
  const verify = new protobuf.Field('verify', 5, 'string');
  write.add(verify);
  write.oneofs.operation?.add(verify);
  made.resolveAll();
  return made;
}

/** The fields of a message in the order of writing. `isWhole` includes messages that otherwise stay encoded. */
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
