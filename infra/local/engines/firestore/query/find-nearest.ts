import { Pending } from '../base/pending.ts';
import { RpcError, type StoredDocument } from '../base/types.ts';
import { proto } from '../proto/codecs.ts';
import type { FindNearest } from '../proto/query-messages.ts';
import { withFields } from '../value/field-mask.ts';
import { readEntries } from '../value/map-entries.ts';
import { readValue, type Value } from '../value/value.ts';
import { type FieldRef, fieldRef, fieldValue } from './field-access.ts';

const limitMax = 1000;

/** A validated nearest-neighbour search. */
export interface Nearest {
  readonly field: FieldRef;
  readonly to: readonly number[];
  readonly measure: Measure;
  readonly limit: number;
  /** The field that receives the distance: a single name, not a path. */
  readonly resultField: string | undefined;
  readonly threshold: number | undefined;
}

type Measure = 'EUCLIDEAN' | 'COSINE' | 'DOT_PRODUCT';

export const readNearest = (message: FindNearest, databaseName: string): Nearest => {
  const field = fieldRef(message.vectorField, databaseName);
  if (!message.queryVector) throw invalid('Cannot convert firestore.v1.Value with type unset.');
  const to = numbers(readValue(message.queryVector));
  if (!to) throw invalid('Query Value must be of type vector.');
  const measure = message.distanceMeasure;
  if (measure !== 'EUCLIDEAN' && measure !== 'COSINE' && measure !== 'DOT_PRODUCT') throw invalid('Unknown Distance Measure.');
  const limit = message.limit?.value ?? 0;
  if (limit < 1 || limit > limitMax) throw invalid(`FindNearest.limit must be a positive integer of no more than ${limitMax}`);
  const resultField = message.distanceResultField || undefined;
  if (resultField !== undefined && /^__.*__$/s.test(resultField))
    throw invalid(`The distanceResultField.property.name "${resultField}" is reserved.`);
  return { field, to, measure, limit, resultField, threshold: message.distanceThreshold?.value };
};

/** The nearest documents, nearest first. Documents without a vector of the same length are excluded. */
export function* nearestOf(
  documents: Iterable<StoredDocument | Pending>,
  nearest: Nearest,
): Generator<StoredDocument | Pending, void, undefined> {
  const { field, to, measure, limit, resultField, threshold } = nearest;
  // For dot products larger is nearer; otherwise smaller is nearer.
  const sign = measure === 'DOT_PRODUCT' ? -1 : 1;
  const found: { readonly document: StoredDocument; readonly distance: number }[] = [];
  for (const document of documents) {
    if (document instanceof Pending) {
      yield document;
      continue;
    }
    const vector = numbers(fieldValue(document, field));
    if (vector?.length !== to.length) continue;
    const distance = distances[measure](vector, to);
    if (threshold !== undefined && !(sign * distance <= sign * threshold)) continue;
    found.push({ document, distance });
  }
  const nearer = found.sort((a, b) => sign * (a.distance - b.distance)).slice(0, limit);
  for (const { document, distance } of nearer)
    yield resultField === undefined ? document : withDistance(document, resultField, distance);
}

const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, x, i) => sum + x * (b[i] ?? 0), 0);

const distances: Readonly<Record<Measure, (a: readonly number[], b: readonly number[]) => number>> = {
  EUCLIDEAN: (a, b) => Math.sqrt(a.reduce((sum, x, i) => sum + (x - (b[i] ?? 0)) ** 2, 0)),
  COSINE: (a, b) => 1 - dot(a, b) / (Math.sqrt(dot(a, a)) * Math.sqrt(dot(b, b))),
  DOT_PRODUCT: dot,
};

const numbers = (value: Value | undefined): readonly number[] | undefined =>
  value?.kind === 'vector' ? value.values.map((one) => (one.kind === 'double' ? one.value : Number.NaN)) : undefined;

const withDistance = (document: StoredDocument, field: string, distance: number): StoredDocument => {
  const { key, path, createTime, updateTime, bytes } = document;
  const entries = readEntries(bytes, 2);
  entries.set(field, proto.Value.encode({ doubleValue: distance }));
  return { key, path, createTime, updateTime, bytes: withFields(bytes, entries) };
};

const invalid = (message: string): RpcError => new RpcError('INVALID_ARGUMENT', message);
