/** Checks what an erasure names. */
import type * as z from 'zod/mini';
import type { LedgerEntry } from '../archive/index.ts';
import type { erasures } from '../contract/endpoints/protection/erasures.ts';
import { checkAll, invalid } from '../contract/errors.ts';
import { fieldSegments, isCollectionId, isDocumentPath, valueKey } from '../firestore/index.ts';

export type ErasureInput = z.output<typeof erasures.create.body>;

type GivenErasure = { readonly [K in keyof ErasureInput]?: ErasureInput[K] | undefined };

/** One item of the table holds an entry. */
const pathsMaxBytes = 100_000;
/** Firestore indexes values up to 1,500 bytes; typed values are a little longer. */
const valueMaxBytes = 4_096;

/** Throws VALIDATION_ERROR that names the field. */
export const checkErasureInput = ({ paths, query, includeSubcollections }: GivenErasure): void => {
  if ((paths === undefined) === (query === undefined))
    throw invalid(paths === undefined ? 'paths' : 'query', 'give exactly one of paths and query');
  checkAll(
    () => paths && checkPaths(paths),
    () => query && checkQuery(query),
    () => {
      if (includeSubcollections !== undefined && typeof includeSubcollections !== 'boolean')
        throw invalid('includeSubcollections', 'must be true or false');
    },
  );
};

/** Exact paths only: no leading or trailing slash, no percent-encoding is undone, no Unicode form is changed. */
const checkPaths = (paths: readonly string[]): void => {
  let bytes = 0;
  for (const [n, path] of paths.entries()) {
    if (!isDocumentPath(path)) throw invalid(`paths.${n}`, 'must be the path of a document, such as users/ada');
    bytes += Buffer.byteLength(JSON.stringify(path)) + 1;
  }
  if (bytes > pathsMaxBytes)
    throw invalid('paths', `must have at most ${pathsMaxBytes} bytes; create another erasure for the rest`);
};

const checkQuery = ({ collection, field, value }: NonNullable<ErasureInput['query']>): void => {
  if (collection !== undefined && !isCollectionId(collection))
    throw invalid('query.collection', 'must be the id of a collection, such as users, without slashes');
  const segments = fieldSegments(field);
  if (!segments || segments.some((segment) => Buffer.byteLength(segment) > 1_500))
    throw invalid('query.field', 'must be a field path, such as email or profile.email; put names with dots in backticks');
  if (segments[0] === '__name__') throw invalid('query.field', 'must be a field; give the document by its path instead');
  if (Buffer.byteLength(JSON.stringify(value) ?? '') > valueMaxBytes)
    throw invalid('query.value', `must have at most ${valueMaxBytes} bytes`);
  typedValue(value);
};

/** A plain JSON value, or a typed value as the API shows documents: `{"timestampValue": "…"}`. */
export const typedValue = (value: unknown): Readonly<Record<string, unknown>> => {
  if (value === null) return { nullValue: null };
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { booleanValue: value };
  if (typeof value === 'number') return Number.isSafeInteger(value) ? { integerValue: String(value) } : { doubleValue: value };
  const typed = value as Readonly<Record<string, unknown>>;
  try {
    valueKey(typed);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw invalid(
      'query.value',
      'must be a string, a number, a boolean, null, or a typed value such as {"timestampValue": "2025-01-31T08:00:00Z"}',
    );
  }
  return typed;
};

/** The content of an entry, without duplicates. */
export const erasureContent = (input: Omit<ErasureInput, 'reason'>, id: string, createdAt: string): LedgerEntry => ({
  id,
  createdAt,
  paths: [...new Set(input.paths ?? [])],
  includeSubcollections: input.includeSubcollections,
  ...(input.query && {
    query: {
      ...(input.query.collection !== undefined && { collection: input.query.collection }),
      field: input.query.field,
      value: typedValue(input.query.value),
    },
  }),
});
