/** Plain values, documents and queries as the messages of google.firestore.v1. */
import { proto } from '../../../infra/local/engines/firestore/proto/codecs.ts';
import type { Condition, Plain, PlainDocument, PlainQuery } from './reference-order.ts';

export const database = 'projects/p/databases/(default)';
export const documentName = (path: string): string => `${database}/documents/${path}`;

export const value = (plain: Plain): Uint8Array => {
  switch (plain.t) {
    case 'null':
      return proto.Value.encode({ nullValue: 'NULL_VALUE' });
    case 'bool':
      return proto.Value.encode({ booleanValue: plain.v });
    case 'int':
      return proto.Value.encode({ integerValue: plain.v });
    case 'double':
      return proto.Value.encode({ doubleValue: plain.v });
    case 'time':
      return proto.Value.encode({
        timestampValue: { seconds: plain.v / 1_000_000n, nanos: Number(plain.v % 1_000_000n) * 1_000 },
      });
    case 'text':
      return proto.Value.encode({ stringValue: plain.v });
    case 'bytes':
      return proto.Value.encode({ bytesValue: Uint8Array.from(plain.v) });
    case 'ref':
      return proto.Value.encode({ referenceValue: documentName(plain.v) });
    case 'geo':
      return proto.Value.encode({ geoPointValue: { latitude: plain.v[0], longitude: plain.v[1] } });
    case 'array':
      return proto.Value.encode({ arrayValue: { values: plain.v.map(value) } });
    case 'map':
      return proto.Value.encode({
        mapValue: { fields: new Map(Object.entries(plain.v).map(([name, one]) => [name, value(one)])) },
      });
  }
};

export const document = ({ path, fields }: PlainDocument): Uint8Array =>
  proto.Document.encode({
    name: documentName(path),
    fields: new Map(Object.entries(fields).map(([name, one]) => [name, value(one)])),
  });

const operators = {
  '<': 'LESS_THAN',
  '<=': 'LESS_THAN_OR_EQUAL',
  '>': 'GREATER_THAN',
  '>=': 'GREATER_THAN_OR_EQUAL',
  '==': 'EQUAL',
  '!=': 'NOT_EQUAL',
  in: 'IN',
  'not-in': 'NOT_IN',
  'array-contains': 'ARRAY_CONTAINS',
  'array-contains-any': 'ARRAY_CONTAINS_ANY',
  'is-null': 'IS_NULL',
  'is-nan': 'IS_NAN',
  'is-not-null': 'IS_NOT_NULL',
  'is-not-nan': 'IS_NOT_NAN',
} as const;

type FilterMessage = NonNullable<NonNullable<Parameters<typeof proto.StructuredQuery.encode>[0]['where']>>;

const filter = (condition: Condition): FilterMessage => {
  if ('parts' in condition) {
    return { compositeFilter: { op: condition.op === 'and' ? 'AND' : 'OR', filters: condition.parts.map(filter) } };
  }
  const field = { fieldPath: condition.field };
  if ('values' in condition)
    return { fieldFilter: { field, op: operators[condition.op], value: value({ t: 'array', v: condition.values }) } };
  if ('value' in condition) return { fieldFilter: { field, op: operators[condition.op], value: value(condition.value) } };
  return { unaryFilter: { op: operators[condition.op], field } };
};

const cursor = (bound: { readonly values: readonly Plain[]; readonly before: boolean }) => ({
  values: bound.values.map(value),
  before: bound.before,
});

export const structuredQuery = (query: PlainQuery): Parameters<typeof proto.StructuredQuery.encode>[0] => ({
  from: [{ collectionId: query.collection, allDescendants: query.group }],
  where: query.where && filter(query.where),
  orderBy: query.orderBy.map(({ field, descending }) => ({
    field: { fieldPath: field },
    direction: descending ? 'DESCENDING' : 'ASCENDING',
  })),
  startAt: query.startAt && cursor(query.startAt),
  endAt: query.endAt && cursor(query.endAt),
  offset: query.offset ?? 0,
  limit: query.limit === undefined ? undefined : { value: query.limit },
});
