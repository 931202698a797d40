import { checkSameDatabase, databaseName, parseParent } from '../base/document-name.ts';
import { RpcError, type StoredDocument } from '../base/types.ts';
import type { FieldOperator, Filter } from '../proto/query-messages.ts';
import { compareValues, typeOrder } from '../value/compare-values.ts';
import { readValue, type Value } from '../value/value.ts';
import { type FieldRef, fieldRef, fieldValue } from './field-access.ts';

export type Predicate = (document: StoredDocument) => boolean;

/** One comparison of a query, as the combination rules need it. */
export interface Comparison {
  readonly field: FieldRef;
  readonly operator: FieldOperator | 'IS_NAN' | 'IS_NULL' | 'IS_NOT_NAN' | 'IS_NOT_NULL';
  readonly value: Value;
}

/** A validated filter as a tree of comparisons. */
export type FilterTree =
  | { readonly kind: 'comparison'; readonly comparison: Comparison }
  | { readonly kind: 'and'; readonly parts: readonly FilterTree[] }
  | { readonly kind: 'or'; readonly parts: readonly FilterTree[] };

const none: Value = { kind: 'null' };

export const parseFilter = (filter: Filter, database: string): FilterTree => {
  if (filter.compositeFilter) {
    const { op, filters } = filter.compositeFilter;
    if (op !== 'AND' && op !== 'OR') throw new RpcError('INVALID_ARGUMENT', 'Unsupported CompositeFilter operator.');
    const parts = filters.map((part) => parseFilter(part, database));
    return op === 'AND' ? { kind: 'and', parts } : { kind: 'or', parts };
  }
  if (filter.unaryFilter) {
    const { op, field } = filter.unaryFilter;
    if (typeof op === 'number' || op === 'OPERATOR_UNSPECIFIED')
      throw new RpcError('INVALID_ARGUMENT', 'Unknown UnaryFilter operator.');
    return { kind: 'comparison', comparison: { field: fieldRef(field, database), operator: op, value: none } };
  }
  if (filter.fieldFilter) {
    const { op, field, value } = filter.fieldFilter;
    if (typeof op === 'number' || op === 'OPERATOR_UNSPECIFIED')
      throw new RpcError('INVALID_ARGUMENT', 'Unknown FieldFilter operator.');
    const comparison = { field: fieldRef(field, database), operator: op, value: value ? readValue(value) : none };
    checkOperand(comparison);
    return { kind: 'comparison', comparison };
  }
  throw new RpcError('INVALID_ARGUMENT', 'filter type is not specified.');
};

/** Operators that take a list, with production's maximum lengths. */
const listMax: Partial<Record<FieldOperator, number>> = { IN: 30, ARRAY_CONTAINS_ANY: 30, NOT_IN: 10 };

const checkOperand = ({ field, operator, value }: Comparison): void => {
  const max = listMax[operator as FieldOperator];
  if (max !== undefined) {
    if (value.kind !== 'array') throw new RpcError('INVALID_ARGUMENT', `'${operator}' requires an ArrayValue.`);
    if (value.values.length === 0) throw new RpcError('INVALID_ARGUMENT', `'${operator}' requires an non-empty ArrayValue.`);
    if (value.values.length > max)
      throw new RpcError('INVALID_ARGUMENT', `'${operator}' supports up to ${max} comparison values.`);
  }
  if (!field.isName) return;
  if (operator === 'ARRAY_CONTAINS' || operator === 'ARRAY_CONTAINS_ANY') {
    throw new RpcError('INVALID_ARGUMENT', '__name__ filter cannot use array operators.');
  }
  const operands = max !== undefined && value.kind === 'array' ? value.values : [value];
  for (const operand of operands) {
    if (operand.kind !== 'reference') throw new RpcError('INVALID_ARGUMENT', '__key__ filter value must be a Key');
    checkSameDatabase(field.databaseName, databaseName(parseParent(operand.value)));
  }
};

/** Only unary operators find null and NaN (clients send those for == and !=); as an operand they match nothing. */
const isNull = (value: Value): boolean => value.kind === 'null';
const isNaNValue = (value: Value): boolean => value.kind === 'double' && Number.isNaN(value.value);
const isFindable = (value: Value): boolean => !isNull(value) && !isNaNValue(value);

/** Ranges stay within one type and exclude NaN. */
const ordered =
  (operand: Value, holds: (order: number) => boolean) =>
  (value: Value): boolean =>
    isFindable(operand) &&
    isFindable(value) &&
    typeOrder[value.kind] === typeOrder[operand.kind] &&
    holds(compareValues(value, operand));

const listed = (operand: Value): readonly Value[] => (operand.kind === 'array' ? operand.values : []);

/** The test of each operator for an existing field. */
const tests: Readonly<
  Record<Exclude<Comparison['operator'], 'OPERATOR_UNSPECIFIED'>, (operand: Value) => (value: Value) => boolean>
> = {
  LESS_THAN: (operand) => ordered(operand, (order) => order < 0),
  LESS_THAN_OR_EQUAL: (operand) => ordered(operand, (order) => order <= 0),
  GREATER_THAN: (operand) => ordered(operand, (order) => order > 0),
  GREATER_THAN_OR_EQUAL: (operand) => ordered(operand, (order) => order >= 0),
  EQUAL: (operand) => (value) => isFindable(operand) && compareValues(value, operand) === 0,
  // The service excludes null here, although the field exists (seen in fixes of its clients in 2025).
  NOT_EQUAL: (operand) => (value) => isFindable(operand) && !isNull(value) && compareValues(value, operand) !== 0,
  NOT_IN: (operand) => {
    const values = listed(operand);
    if (values.some(isNull)) return () => false;
    return (value) => !isNull(value) && values.every((one) => compareValues(value, one) !== 0);
  },
  IN: (operand) => {
    const values = listed(operand).filter(isFindable);
    return (value) => values.some((one) => compareValues(value, one) === 0);
  },
  ARRAY_CONTAINS: (operand) => (value) =>
    value.kind === 'array' && isFindable(operand) && value.values.some((element) => compareValues(element, operand) === 0),
  ARRAY_CONTAINS_ANY: (operand) => {
    const values = listed(operand).filter(isFindable);
    return (value) =>
      value.kind === 'array' && value.values.some((element) => values.some((one) => compareValues(element, one) === 0));
  },
  IS_NULL: () => isNull,
  IS_NAN: () => isNaNValue,
  IS_NOT_NULL: () => (value) => !isNull(value),
  IS_NOT_NAN: () => (value) => !isNull(value) && !isNaNValue(value),
};

/** Compiles a tree to a test of one document. A missing field never matches. */
export const predicate = (tree: FilterTree): Predicate => {
  if (tree.kind === 'comparison') {
    const { field, operator, value } = tree.comparison;
    const test = tests[operator as keyof typeof tests](value);
    return (document) => {
      const found = fieldValue(document, field);
      return found !== undefined && test(found);
    };
  }
  const parts = tree.parts.map(predicate);
  return tree.kind === 'and'
    ? (document) => parts.every((part) => part(document))
    : (document) => parts.some((part) => part(document));
};

export const comparisonsOf = (tree: FilterTree): readonly Comparison[] =>
  tree.kind === 'comparison' ? [tree.comparison] : tree.parts.flatMap(comparisonsOf);

const inequalities = new Set<string>([
  'LESS_THAN',
  'LESS_THAN_OR_EQUAL',
  'GREATER_THAN',
  'GREATER_THAN_OR_EQUAL',
  'NOT_EQUAL',
  'NOT_IN',
  'IS_NOT_NULL',
  'IS_NOT_NAN',
]);
export const isInequality = ({ operator }: Comparison): boolean => inequalities.has(operator);
