import type { ExplainMetrics, Struct, StructuredQuery, StructValue } from '../proto/query-messages.ts';
import { formatFieldPath } from '../value/field-path.ts';
import type { FieldRef } from './field-access.ts';
import { type Comparison, comparisonsOf, isInequality } from './filter.ts';
import type { Plan } from './plan.ts';

/** Execution statistics of a query. */
export interface Work {
  readonly results: number;
  readonly readOperations: number;
  readonly documents: number;
  readonly indexEntries: number;
  /** Start, by `performance.now()`. */
  readonly begun: number;
}

/** The indexes that the service would use. This server has none. */
export const planSummary = (
  query: StructuredQuery,
  plan: Plan,
  aggregated: readonly FieldRef[] = [],
): NonNullable<ExplainMetrics['planSummary']> => {
  const scope = query.from[0]?.allDescendants ? 'Collection group' : 'Collection';
  const ordered = plan.orders.map(({ field, descending }) => `${show(field)} ${descending ? 'DESC' : 'ASC'}`);
  const isOrdered = (field: FieldRef): boolean => plan.orders.some((order) => order.field.text === field.text);
  const equal = plan.filterTree
    ? comparisonsOf(plan.filterTree).filter((one) => !isInequality(one) && !isOrdered(one.field))
    : [];
  const summed = aggregated.filter((field) => !isOrdered(field)).map((field) => `${show(field)} ASC`);
  const compared = [...new Set([...equal.map(equalPart), ...summed])];
  const vector = plan.nearest ? [`${show(plan.nearest.field)} VECTOR<${plan.nearest.to.length}>`] : [];
  // Equality filters are served by merging single-field indexes.
  const indexes =
    ordered.length === 1 && vector.length + summed.length === 0 && compared.length > 1
      ? compared.map((part) => [part, ...ordered])
      : [[...compared, ...ordered, ...vector]];
  return {
    indexesUsed: indexes.map((parts) => struct({ query_scope: text(scope), properties: text(`(${parts.join(', ')})`) })),
  };
};

/** Execution statistics in the service's format. */
export const executionStats = (work: Work): NonNullable<ExplainMetrics['executionStats']> => {
  const nanos = Math.max(1000, Math.round((performance.now() - work.begun) * 1e6));
  const count = (value: number): StructValue => text(String(value));
  return {
    resultsReturned: BigInt(work.results),
    executionDuration: { seconds: BigInt(Math.floor(nanos / 1e9)), nanos: nanos % 1e9 },
    readOperations: BigInt(work.readOperations),
    debugStats: struct({
      billing_details: {
        structValue: struct({
          documents_billable: count(work.readOperations),
          index_entries_billable: count(0),
          min_query_cost: count(0),
          small_ops: count(0),
        }),
      },
      documents_scanned: count(work.documents),
      index_entries_scanned: count(work.indexEntries),
    }),
  };
};

const show = (field: FieldRef): string => (field.isName ? '__name__' : formatFieldPath(field.path));

const equalPart = ({ field, operator }: Comparison): string =>
  `${show(field)} ${operator.startsWith('ARRAY_CONTAINS') ? 'CONTAINS' : 'ASC'}`;

const text = (stringValue: string): StructValue => ({ stringValue });

const struct = (fields: Readonly<Record<string, StructValue>>): Struct => ({ fields: new Map(Object.entries(fields)) });
