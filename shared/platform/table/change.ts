/**
 * A change is data: what to write, under which conditions, and what to tell the caller if a condition fails.
 * Rules return changes; one place commits them, together with their audit entries, events and stored answer,
 * in one transaction. Either all of it happened or none.
 */
import type { ApiError } from '../../contract/errors.ts';

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

export type Item = Key & Readonly<Record<string, unknown>>;

interface Conditional {
  /** A DynamoDB condition expression over #names and :values. */
  readonly condition?: string;
  readonly names?: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, unknown>>;
  /** What a failed condition means to the caller. It may first do what follows from it, such as ending a session. */
  readonly onConditionFailed?: () => ApiError | Promise<ApiError>;
}

export type Write =
  | ({ readonly put: Item } & Conditional)
  | ({ readonly update: Key; readonly expression: string } & Conditional)
  | ({ readonly remove: Key } & Conditional)
  | ({ readonly check: Key; readonly condition: string } & Conditional);

/** What an audit entry says of a change; who did it and from where is known to the call. */
export interface AuditNote {
  /** The organization or user whose log it belongs in. */
  readonly scope: string;
  readonly resource: { readonly type: string; readonly id: string };
  readonly details?: Readonly<Record<string, unknown>>;
  /** Only where it differs from the endpoint's own action. */
  readonly action?: string;
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

/**
 * Sets the given attributes of an existing item and removes those given as undefined.
 * `where` narrows it further: each attribute must still have the value that was read.
 */
export const set = (
  key: Key,
  attributes: Readonly<Record<string, unknown>>,
  options: { expected?: Readonly<Record<string, unknown>>; onConditionFailed?: Conditional['onConditionFailed'] } = {},
): Extract<Write, { update: Key }> => {
  const entries = Object.entries(attributes);
  const where = Object.entries(options.expected ?? {});
  const sets = entries.filter(([, value]) => value !== undefined).map(([name]) => `#${name} = :${name}`);
  const removes = entries.filter(([, value]) => value === undefined).map(([name]) => `#${name}`);
  const expression = [sets.length && `SET ${sets.join(', ')}`, removes.length && `REMOVE ${removes.join(', ')}`]
    .filter(Boolean)
    .join(' ');
  const conditions = where.map(([name, value]) =>
    value === undefined ? `attribute_not_exists(#${name})` : `#${name} = :was_${name}`,
  );
  return {
    update: key,
    expression,
    condition: ['attribute_exists(pk)', ...conditions].join(' AND '),
    names: Object.fromEntries([...entries, ...where].map(([name]) => [`#${name}`, name])),
    values: Object.fromEntries([
      ...entries.filter(([, value]) => value !== undefined).map(([name, value]) => [`:${name}`, value]),
      ...where.filter(([, value]) => value !== undefined).map(([name, value]) => [`:was_${name}`, value]),
    ]),
    ...(options.onConditionFailed && { onConditionFailed: options.onConditionFailed }),
  };
};

/** Adds to a counter of an existing item. */
export const add = (key: Key, counter: string, amount: number): Write => ({
  update: key,
  expression: 'ADD #counter :amount',
  condition: 'attribute_exists(pk)',
  names: { '#counter': counter },
  values: { ':amount': amount },
});

/** Removes an item that must exist. */
export const remove = (key: Key, onConditionFailed?: Conditional['onConditionFailed']): Write => ({
  remove: key,
  condition: 'attribute_exists(pk)',
  ...(onConditionFailed && { onConditionFailed }),
});
