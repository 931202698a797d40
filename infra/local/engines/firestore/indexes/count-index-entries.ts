import type { FieldPath } from '../value/field-path.ts';
import { readFields, type Value } from '../value/value.ts';
import type { IndexDefinitions, IndexKind } from './index-definitions.ts';

/** Fewer bytes cannot have more entries than the service allows: the smallest array element takes four. */
export const fewEntriesBytes = 100_000;

/**
 * The number of index entries of a document, by the documented rules: of a value one for each ascending or descending index, of an
 * array one for each element that differs, of a map those of its fields, of a vector none; and those of composite indexes.
 */
export const countIndexEntries = (document: Uint8Array, collectionId: string, definitions?: IndexDefinitions): number => {
  const fields = readFields(document);
  const kindsOf = (path: FieldPath): readonly IndexKind[] =>
    definitions
      ? (['COLLECTION', 'COLLECTION_GROUP'] as const).flatMap((scope) => [...definitions.singleField(collectionId, path, scope)])
      : automatic;
  const count = (path: FieldPath, value: Value): number => {
    if (value.kind === 'map') return sum([...value.fields].map(([name, inner]) => count([...path, name], inner)));
    if (value.kind === 'vector') return 0;
    const kinds = kindsOf(path);
    const isArray = value.kind === 'array';
    return kinds.filter((kind) => (kind === 'CONTAINS') === isArray).length * (isArray ? distinct(value.values) : 1);
  };
  const single = sum([...fields].map(([name, value]) => count([name], value)));
  return single + (definitions ? sum(compositeEntries(fields, collectionId, definitions)) : 0);
};

const automatic: readonly IndexKind[] = ['ASCENDING', 'DESCENDING', 'CONTAINS'];

/** A document without one of the fields is not in the index. */
const compositeEntries = (
  fields: ReadonlyMap<string, Value>,
  collectionId: string,
  { composites }: IndexDefinitions,
): readonly number[] =>
  composites
    .filter((index) => index.collectionId === collectionId)
    .map((index) =>
      index.fields.reduce((product, { path, kind }) => {
        if (path[0] === '__name__') return product;
        const value = valueAt(fields, path);
        if (!value) return 0;
        return product * (kind === 'CONTAINS' ? (value.kind === 'array' ? distinct(value.values) : 0) : 1);
      }, 1),
    );

const valueAt = (fields: ReadonlyMap<string, Value>, [name = '', ...rest]: FieldPath): Value | undefined => {
  const value = fields.get(name);
  if (rest.length === 0 || value === undefined) return value;
  return value.kind === 'map' ? valueAt(value.fields, rest) : undefined;
};

const distinct = (values: readonly Value[]): number => new Set(values.map(textOf)).size;
const textOf = (value: Value): string =>
  JSON.stringify(value, (_, part) => (part instanceof Map ? [...part] : typeof part === 'bigint' ? `${part}n` : part));
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
