import type { DocumentName } from '../base/document-name.ts';
import type { IndexKind, QueryScope } from '../indexes/index-definitions.ts';
import type { StructuredQuery } from '../proto/query-messages.ts';
import type { FieldRef } from './field-access.ts';
import { type Comparison, type FilterTree, isInequality } from './filter.ts';
import type { Plan } from './plan.ts';

/** A part of an index that a query needs. */
export interface NeededField {
  readonly field: FieldRef;
  readonly kind: IndexKind;
}

/** What one conjunction of a query needs from indexes. */
export interface IndexNeed {
  readonly collectionId: string;
  readonly scope: QueryScope;
  /** In any order and direction, before the others. */
  readonly equalities: readonly NeededField[];
  /** In this order. */
  readonly sorts: readonly NeededField[];
  /** Sums and averages, in any order, after the sorts. */
  readonly aggregated: readonly NeededField[];
  readonly name: 'ASCENDING' | 'DESCENDING';
}

export interface CheckedQuery {
  readonly parent: DocumentName;
  readonly query: StructuredQuery;
  readonly plan: Plan;
  readonly aggregated?: readonly FieldRef[];
}

/** What each conjunction of a query needs. */
export const indexNeedsOf = (checked: CheckedQuery, base: Pick<IndexNeed, 'collectionId' | 'scope'>): readonly IndexNeed[] =>
  conjunctionsOf(checked.plan.filterTree).map((conjunction) => needOf(conjunction, checked, base));

/** The disjunctive normal form of a filter. `IN` is one comparison here: all its values use the same index. */
const conjunctionsOf = (tree: FilterTree | undefined): readonly (readonly Comparison[])[] => {
  if (!tree) return [[]];
  if (tree.kind === 'comparison') return [[tree.comparison]];
  const parts = tree.parts.map(conjunctionsOf);
  if (tree.kind === 'or') return parts.flat();
  return parts.reduce((all, part) => all.flatMap((left) => part.map((right) => [...left, ...right])), [[]]);
};

const exact = new Set<string>(['EQUAL', 'IS_NULL', 'IS_NAN']);

const needOf = (
  conjunction: readonly Comparison[],
  { plan, aggregated = [] }: CheckedQuery,
  base: Pick<IndexNeed, 'collectionId' | 'scope'>,
): IndexNeed => {
  const equal = conjunction.filter((one) => !isInequality(one) && !one.field.isName);
  const equalities = unique(
    equal.map(({ field, operator }) => ({ field, kind: operator.startsWith('ARRAY_CONTAINS') ? 'CONTAINS' : 'ASCENDING' })),
  );
  // All documents have the same value, so an order by such a field has no effect.
  const fixed = new Set(equal.filter(({ operator }) => exact.has(operator)).map(({ field }) => field.text));
  const end = plan.orders.findIndex(({ field }) => field.isName);
  const name = plan.orders[end]?.descending ? 'DESCENDING' : 'ASCENDING';
  const sorts = plan.orders
    .slice(0, Math.max(end, 0))
    .filter(({ field }) => !fixed.has(field.text))
    .map(({ field, descending }): NeededField => ({ field, kind: descending ? 'DESCENDING' : 'ASCENDING' }));
  const isSorted = (field: FieldRef): boolean => fixed.has(field.text) || sorts.some((sort) => sort.field.text === field.text);
  const sorted = new Set(sorts.map(({ field }) => field.text));
  return {
    ...base,
    equalities: equalities.filter(({ field, kind }) => kind === 'CONTAINS' || !sorted.has(field.text)),
    sorts,
    aggregated: unique(aggregated.filter((field) => !isSorted(field)).map((field) => ({ field, kind: 'ASCENDING' }))),
    name,
  };
};

const unique = (needed: readonly NeededField[]): readonly NeededField[] => [
  ...new Map(needed.map((one) => [`${one.kind} ${one.field.text}`, one])).values(),
];
