/**
 * A change is data: what to write, under which conditions, and which error a failed condition means.
 * Handlers return changes. One place commits them in one transaction, with their audit entries, events and stored response.
 */
import type { AuditAction } from '../../contract/audit-actions.ts';
import type { ApiError } from '../../contract/errors.ts';

/** The key of an item. `T` is the type of the item, known to the compiler only: `get` and `getAll` return it. */
export interface Key<T = unknown> {
  readonly pk: string;
  readonly sk: string;
  readonly _item?: T;
}

export type Item = Omit<Key, '_item'> & Readonly<Record<string, unknown>>;

/** The type of a key's item. */
export type ItemOf<T> = unknown extends T ? Item : T;

interface Conditional {
  /** A DynamoDB condition expression over #names and :values. */
  readonly condition?: string;
  readonly names?: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, unknown>>;
  /** The error for the caller if the condition fails. It may first do what follows from that, such as ending a session. */
  readonly onConditionFailed?: (() => ApiError | Promise<ApiError>) | undefined;
}

export type Write =
  | ({ readonly put: Item } & Conditional)
  | ({ readonly update: Key; readonly expression: string } & Conditional)
  | ({ readonly remove: Key } & Conditional)
  | ({ readonly check: Key; readonly condition: string } & Conditional);

/** The part of an audit entry that the change knows. Actor and origin come from the call. */
export interface AuditNote {
  /** The organization or user whose audit log it belongs to. */
  readonly scope: string;
  readonly resource: { readonly type: string; readonly id: string };
  readonly details?: Readonly<Record<string, unknown>>;
  /** Only if it differs from the endpoint's action. */
  readonly action?: AuditAction;
}

export interface Change {
  readonly writes: readonly Write[];
  readonly audit: readonly AuditNote[];
}

/** Puts an item that must not exist yet. */
export const create = (item: Item, onConditionFailed?: Conditional['onConditionFailed']): Write => ({
  put: item,
  condition: 'attribute_not_exists(pk)',
  ...(onConditionFailed && { onConditionFailed }),
});

/** Values of `expected` that are no plain comparison. An attribute expected to be `undefined` must not exist. */
export const present = Symbol('the attribute exists');
class Comparison {
  readonly operator: '=' | '<>' | 'IN';
  readonly operands: readonly unknown[];

  constructor(operator: Comparison['operator'], operands: readonly unknown[]) {
    this.operator = operator;
    this.operands = operands;
  }
}
/** The attribute has one of these values. */
export const oneOf = (...values: readonly unknown[]): unknown => new Comparison('IN', values);
/** The attribute has another value than this, or none. */
export const not = (value: unknown): unknown => new Comparison('<>', [value]);

export interface Update {
  /** Attributes to set; those given as undefined are removed. */
  readonly set?: Readonly<Record<string, unknown>> | undefined;
  /** Counters to add to. */
  readonly add?: Readonly<Record<string, number>> | undefined;
  /** Lists to append to; one that does not exist yet is created. */
  readonly append?: Readonly<Record<string, readonly unknown[]>> | undefined;
  /** Attributes that must still be as they were read: a value, undefined (absent), `present`, `oneOf(…)` or `not(…)`. */
  readonly expected?: Readonly<Record<string, unknown>> | undefined;
  readonly onConditionFailed?: Conditional['onConditionFailed'];
}

/** Compare-and-set of an existing item. The condition fails if there is no item, or if it is not as `expected`. */
export const update = (key: Key, { set = {}, add = {}, append = {}, expected = {}, onConditionFailed }: Update): UpdateWrite => {
  const { condition, names, values } = conditionOf(expected);
  const changes = Object.entries({ ...set, ...add, ...append });
  const lists = Object.keys(append);
  const sets = [
    ...Object.keys(set)
      .filter((name) => set[name] !== undefined)
      .map((name) => `#${name} = :${name}`),
    ...lists.map((name) => `#${name} = list_append(if_not_exists(#${name}, :no_${name}), :${name})`),
  ];
  const removes = Object.keys(set).filter((name) => set[name] === undefined);
  const clauses = [
    sets.length > 0 && `SET ${sets.join(', ')}`,
    removes.length > 0 && `REMOVE ${removes.map((name) => `#${name}`).join(', ')}`,
    Object.keys(add).length > 0 &&
      `ADD ${Object.keys(add)
        .map((name) => `#${name} :${name}`)
        .join(', ')}`,
  ];
  const defined = changes.filter(([, value]) => value !== undefined);
  return {
    update: key,
    expression: clauses.filter(Boolean).join(' '),
    condition,
    names: { ...names, ...Object.fromEntries(changes.map(([name]) => [`#${name}`, name])) },
    values: {
      ...values,
      ...Object.fromEntries(lists.map((name) => [`:no_${name}`, []])),
      ...Object.fromEntries(defined.map(([name, value]) => [`:${name}`, value])),
    },
    ...(onConditionFailed && { onConditionFailed }),
  };
};

type UpdateWrite = Extract<Write, { update: Key }>;
type Condition = Required<Pick<Conditional, 'condition' | 'names' | 'values'>>;
type CheckWrite = Extract<Write, { check: Key }> & Condition;

/** Checks that an item exists and is as `expected`, without changing it. */
export const check = (
  key: Key,
  expected: Readonly<Record<string, unknown>> = {},
  onConditionFailed?: Conditional['onConditionFailed'],
): CheckWrite => ({ check: key, ...conditionOf(expected), ...(onConditionFailed && { onConditionFailed }) });

/** The condition that an item is as `expected`, or that there is none if nothing is expected. */
export const conditionOf = (expected: Readonly<Record<string, unknown>> | undefined): Condition => {
  if (!expected) return { condition: 'attribute_not_exists(pk)', names: {}, values: {} };
  const values: Record<string, unknown> = {};
  const conditions = Object.entries(expected).map(([name, value]) => {
    if (value === undefined) return `attribute_not_exists(#${name})`;
    if (value === present) return `attribute_exists(#${name})`;
    const { operator, operands } = value instanceof Comparison ? value : new Comparison('=', [value]);
    const placeholders = operands.map((_, n) => (operator === 'IN' ? `:was_${name}_${n}` : `:was_${name}`));
    for (const [n, placeholder] of placeholders.entries()) values[placeholder] = operands[n];
    return `#${name} ${operator} ${operator === 'IN' ? `(${placeholders.join(', ')})` : placeholders}`;
  });
  return {
    condition: ['attribute_exists(pk)', ...conditions].join(' AND '),
    names: Object.fromEntries(Object.keys(expected).map((name) => [`#${name}`, name])),
    values,
  };
};

/** `update` that sets attributes and nothing else. */
export const set = (
  key: Key,
  attributes: Readonly<Record<string, unknown>>,
  options: Omit<Update, 'set' | 'add'> = {},
): UpdateWrite => update(key, { set: attributes, ...options });

/** `update` that adds to one counter and nothing else. */
export const add = (key: Key, counter: string, amount: number): UpdateWrite => update(key, { add: { [counter]: amount } });

/** Removes an item that must exist and be as `expected`. */
export const remove = (
  key: Key,
  onConditionFailed?: Conditional['onConditionFailed'],
  expected: Readonly<Record<string, unknown>> = {},
): Write => {
  const { check: _, ...condition } = check(key, expected, onConditionFailed);
  return { remove: key, ...condition };
};

/** The condition of a write that there is no item, or that it is as `expected`. */
export const absentOr = (expected: Readonly<Record<string, unknown>>) => {
  const { condition, names, values } = check(noKey, expected);
  return { condition: `attribute_not_exists(pk) OR ${condition}`, names, values };
};

const noKey: Key = { pk: '', sk: '' };
