import type { CompositeIndex, IndexDefinitions } from '../indexes/index-definitions.ts';
import { type CheckedQuery, type IndexNeed, indexNeedsOf, type NeededField } from './index-need.ts';
import { missingComposite, missingSingleField, missingVector } from './missing-index.ts';
import type { Plan } from './plan.ts';

/**
 * Throws the service's FAILED_PRECONDITION if the query needs an index that is not defined. Each conjunction of the filter uses
 * indexes of its own: the automatic ones of single fields, a composite one, or several that are joined by their equality fields.
 */
export const checkIndex = (definitions: IndexDefinitions | undefined, checked: CheckedQuery): void => {
  const { collectionId = '', allDescendants = false } = checked.query.from[0] ?? {};
  // Queries over all collections are ordered by name, which needs no index.
  if (!definitions || collectionId === '') return;
  const scope = allDescendants ? 'COLLECTION_GROUP' : 'COLLECTION';
  for (const need of indexNeedsOf(checked, { collectionId, scope })) checkNeed(definitions, need, checked);
};

const checkNeed = (definitions: IndexDefinitions, need: IndexNeed, { parent, plan }: CheckedQuery): void => {
  const { equalities, sorts, aggregated } = need;
  if (plan.nearest) {
    if (!hasVectorIndex(definitions, need, plan.nearest)) throw missingVector(parent, need, plan.nearest);
    return;
  }
  const others = [...sorts, ...aggregated];
  const [only] = others;
  const isSingle = equalities.length === 0 && others.length === 1 && (sorts.length === 0 || only?.kind === need.name);
  if (others.length > 0 && !isSingle) {
    if (!hasComposite(definitions, need)) throw missingComposite(parent, need);
    return;
  }
  for (const needed of isSingle ? others : equalities) {
    const isDirected = sorts.includes(needed);
    if (!hasSingleField(definitions, need, { ...needed, isDirected }) && !isInComposite(definitions, need, needed))
      throw missingSingleField(parent, need, needed);
  }
};

/** Equality filters and aggregations can use either direction. */
const hasSingleField = (
  definitions: IndexDefinitions,
  { collectionId, scope }: IndexNeed,
  { field, kind, isDirected }: NeededField & { readonly isDirected: boolean },
): boolean => {
  const kinds = definitions.singleField(collectionId, field.path, scope);
  return kinds.has(kind) || (!isDirected && kind === 'ASCENDING' && kinds.has('DESCENDING'));
};

const indexesOf = ({ composites }: IndexDefinitions, { collectionId, scope }: IndexNeed): readonly CompositeIndex[] =>
  composites.filter((index) => index.collectionId === collectionId && index.scope === scope);

const isName = (path: readonly string[]): boolean => path.length === 1 && path[0] === '__name__';
const samePath = (one: readonly string[], other: readonly string[]): boolean =>
  one.length === other.length && one.every((name, i) => name === other[i]);

/** The equality fields that an index serves, if the rest of it is what the query needs; undefined if it is not. */
const servedBy = (index: CompositeIndex, need: IndexNeed): readonly NeededField[] | undefined => {
  const { equalities, sorts, aggregated, name } = need;
  const explicit = index.fields.at(-1);
  const fields = explicit && isName(explicit.path) ? index.fields.slice(0, -1) : index.fields;
  const last = fields.at(-1);
  const nameKind = explicit && isName(explicit.path) ? explicit.kind : last?.kind === 'DESCENDING' ? 'DESCENDING' : 'ASCENDING';
  const tail = sorts.length + aggregated.length;
  const split = fields.length - tail;
  if (split < 0 || (sorts.length > 0 && nameKind !== name)) return undefined;
  const isSorted = sorts.every(({ field, kind }, i) => {
    const own = fields[split + i];
    return own !== undefined && own.kind === kind && samePath(own.path, field.path);
  });
  const rest = fields.slice(split + sorts.length);
  const isAggregated = aggregated.every(({ field }) => rest.some(({ path }) => samePath(path, field.path)));
  if (!isSorted || !isAggregated) return undefined;
  const served = fields
    .slice(0, split)
    .map(({ path, kind }) =>
      equalities.find(
        (one) => samePath(one.field.path, path) && (one.kind === 'CONTAINS') === (kind === 'CONTAINS') && kind !== 'VECTOR',
      ),
    );
  return served.every((one) => one !== undefined) ? served : undefined;
};

/** Whether one index serves the query, or several that are joined cover its equality fields. */
const hasComposite = (definitions: IndexDefinitions, need: IndexNeed): boolean => {
  const candidates = indexesOf(definitions, need).flatMap((index) => {
    const served = servedBy(index, need);
    return served ? [served] : [];
  });
  const covered = new Set(candidates.flat());
  return candidates.length > 0 && need.equalities.every((one) => covered.has(one));
};

/** A composite index of equality fields only serves them like indexes of single fields. */
const isInComposite = (definitions: IndexDefinitions, need: IndexNeed, needed: NeededField): boolean =>
  indexesOf(definitions, need).some((index) => servedBy(index, { ...need, sorts: [], aggregated: [] })?.includes(needed));

const hasVectorIndex = (definitions: IndexDefinitions, need: IndexNeed, { field, to }: NonNullable<Plan['nearest']>): boolean => {
  const filtered = [...need.equalities, ...need.sorts];
  return indexesOf(definitions, need).some(({ fields }) => {
    const vector = fields.at(-1);
    if (vector?.kind !== 'VECTOR' || vector.dimension !== to.length || !samePath(vector.path, field.path)) return false;
    const before = fields.slice(0, -1);
    return (
      before.length === filtered.length &&
      filtered.every((one) => before.some(({ path, kind }) => samePath(path, one.field.path) && kind !== 'VECTOR'))
    );
  });
};
