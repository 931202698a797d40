/**
 * A slow, obviously correct query evaluator over plain values, the reference for the engine. Written from the documented rules;
 * shares no code with the engine.
 */
export type Plain =
  | { readonly t: 'null' }
  | { readonly t: 'bool'; readonly v: boolean }
  | { readonly t: 'int'; readonly v: bigint }
  | { readonly t: 'double'; readonly v: number }
  | { readonly t: 'time'; readonly v: bigint }
  | { readonly t: 'text'; readonly v: string }
  | { readonly t: 'bytes'; readonly v: readonly number[] }
  | { readonly t: 'ref'; readonly v: string }
  | { readonly t: 'geo'; readonly v: readonly [number, number] }
  | { readonly t: 'array'; readonly v: readonly Plain[] }
  | { readonly t: 'map'; readonly v: Readonly<Record<string, Plain>> };

export interface PlainDocument {
  readonly path: string;
  readonly fields: Readonly<Record<string, Plain>>;
}

const ranks = ['null', 'bool', 'number', 'time', 'text', 'bytes', 'ref', 'geo', 'array', 'map'];
const rank = (value: Plain): number => ranks.indexOf(value.t === 'int' || value.t === 'double' ? 'number' : value.t);

const sign = (n: number): number => (n < 0 ? -1 : n > 0 ? 1 : 0);
const utf8 = (a: string, b: string): number => sign(Buffer.compare(Buffer.from(a), Buffer.from(b)));

/** Compares 64-bit integers and doubles exactly, as fractions. */
const numbers = (a: bigint | number, b: bigint | number): number => {
  if (Number.isNaN(a)) return Number.isNaN(b) ? 0 : -1;
  if (Number.isNaN(b)) return 1;
  return a < b ? -1 : a > b ? 1 : 0;
};

const lists = <T>(a: readonly T[], b: readonly T[], by: (x: T, y: T) => number): number => {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const order = by(a[i] as T, b[i] as T);
    if (order !== 0) return order;
  }
  return sign(a.length - b.length);
};

const numericId = /^__id(-?\d+)__$/;
const segment = (a: string, b: string): number => {
  const x = numericId.exec(a)?.[1];
  const y = numericId.exec(b)?.[1];
  if (x !== undefined && y !== undefined) return BigInt(x) < BigInt(y) ? -1 : BigInt(x) > BigInt(y) ? 1 : 0;
  if (x !== undefined) return -1;
  if (y !== undefined) return 1;
  return utf8(a, b);
};
export const comparePaths = (a: string, b: string): number => lists(a.split('/'), b.split('/'), segment);

export const compare = (a: Plain, b: Plain): number => {
  if (rank(a) !== rank(b)) return sign(rank(a) - rank(b));
  if (a.t === 'bool' && b.t === 'bool') return Number(a.v) - Number(b.v);
  if ((a.t === 'int' || a.t === 'double') && (b.t === 'int' || b.t === 'double')) return numbers(a.v, b.v);
  if (a.t === 'time' && b.t === 'time') return a.v < b.v ? -1 : a.v > b.v ? 1 : 0;
  if (a.t === 'text' && b.t === 'text') return utf8(a.v, b.v);
  if (a.t === 'bytes' && b.t === 'bytes') return sign(Buffer.compare(Buffer.from(a.v), Buffer.from(b.v)));
  if (a.t === 'ref' && b.t === 'ref') return comparePaths(a.v, b.v);
  if (a.t === 'geo' && b.t === 'geo') return numbers(a.v[0], b.v[0]) || numbers(a.v[1], b.v[1]);
  if (a.t === 'array' && b.t === 'array') return lists(a.v, b.v, compare);
  if (a.t === 'map' && b.t === 'map') {
    const entries = (map: Readonly<Record<string, Plain>>) => Object.entries(map).sort(([x], [y]) => utf8(x, y));
    return lists(entries(a.v), entries(b.v), ([k, v], [l, w]) => utf8(k, l) || compare(v, w));
  }
  return 0;
};

export type Condition =
  | { readonly op: '<' | '<=' | '>' | '>=' | '==' | '!=' | 'array-contains'; readonly field: string; readonly value: Plain }
  | { readonly op: 'in' | 'not-in' | 'array-contains-any'; readonly field: string; readonly values: readonly Plain[] }
  | { readonly op: 'is-null' | 'is-nan' | 'is-not-null' | 'is-not-nan'; readonly field: string }
  | { readonly op: 'and' | 'or'; readonly parts: readonly Condition[] };

export interface PlainQuery {
  readonly collection: string;
  readonly group: boolean;
  readonly where?: Condition;
  readonly orderBy: readonly { readonly field: string; readonly descending: boolean }[];
  readonly startAt?: { readonly values: readonly Plain[]; readonly before: boolean };
  readonly endAt?: { readonly values: readonly Plain[]; readonly before: boolean };
  readonly offset?: number;
  readonly limit?: number;
}

const isNull = (value: Plain): boolean => value.t === 'null';
const isNan = (value: Plain): boolean => value.t === 'double' && Number.isNaN(value.v);
const equals = (a: Plain, b: Plain): boolean => compare(a, b) === 0;
/** Only unary operators match null and NaN; clients send those for == and !=. */
const findable = (value: Plain): boolean => !isNull(value) && !isNan(value);

export const holds = (condition: Condition, document: PlainDocument): boolean => {
  if ('parts' in condition) {
    const held = condition.parts.map((part) => holds(part, document));
    return condition.op === 'and' ? held.every(Boolean) : held.some(Boolean);
  }
  const value = document.fields[condition.field];
  if (!value) return false;
  switch (condition.op) {
    case '==':
      return findable(condition.value) && equals(value, condition.value);
    case '!=':
      return findable(condition.value) && !isNull(value) && !equals(value, condition.value);
    case '<':
    case '<=':
    case '>':
    case '>=': {
      if (!findable(value) || !findable(condition.value) || rank(value) !== rank(condition.value)) return false;
      const order = compare(value, condition.value);
      return condition.op === '<'
        ? order < 0
        : condition.op === '<='
          ? order <= 0
          : condition.op === '>'
            ? order > 0
            : order >= 0;
    }
    case 'in':
      return condition.values.some((one) => findable(one) && equals(one, value));
    case 'not-in':
      return !condition.values.some(isNull) && !isNull(value) && !condition.values.some((one) => equals(one, value));
    case 'array-contains':
      return value.t === 'array' && findable(condition.value) && value.v.some((one) => equals(one, condition.value));
    case 'array-contains-any':
      return (
        value.t === 'array' && value.v.some((one) => condition.values.some((wanted) => findable(wanted) && equals(one, wanted)))
      );
    case 'is-null':
      return isNull(value);
    case 'is-nan':
      return isNan(value);
    case 'is-not-null':
      return !isNull(value);
    case 'is-not-nan':
      return !isNull(value) && !isNan(value);
  }
};

const unequal = new Set(['<', '<=', '>', '>=', '!=', 'not-in', 'is-not-null', 'is-not-nan']);
const fieldsCompared = (condition: Condition | undefined): readonly string[] => {
  if (!condition) return [];
  if ('parts' in condition) return condition.parts.flatMap(fieldsCompared);
  return unequal.has(condition.op) ? [condition.field] : [];
};

/** The paths of the results of a query, in order. */
export const evaluate = (documents: readonly PlainDocument[], query: PlainQuery): readonly string[] => {
  const last = query.orderBy.at(-1)?.descending ?? false;
  const orders = [...query.orderBy];
  for (const field of [...new Set(fieldsCompared(query.where))].sort(utf8)) {
    if (!orders.some((order) => order.field === field)) orders.push({ field, descending: last });
  }
  if (!orders.some((order) => order.field === '__name__')) orders.push({ field: '__name__', descending: last });
  const fieldOf = (document: PlainDocument, field: string): Plain | undefined =>
    field === '__name__' ? { t: 'ref', v: document.path } : document.fields[field];
  const against = (document: PlainDocument, values: readonly Plain[]): number => {
    for (const [i, value] of values.entries()) {
      const { field, descending } = orders[i] as { field: string; descending: boolean };
      const order = compare(fieldOf(document, field) as Plain, value);
      if (order !== 0) return descending ? -order : order;
    }
    return 0;
  };
  const inCollection = ({ path }: PlainDocument): boolean => {
    const segments = path.split('/');
    return segments.at(-2) === query.collection && (query.group || segments.length === 2);
  };
  const found = documents
    .filter(inCollection)
    .filter((document) => !query.where || holds(query.where, document))
    .filter((document) => orders.every(({ field }) => fieldOf(document, field)))
    .sort((a, b) => {
      for (const { field, descending } of orders) {
        const order = compare(fieldOf(a, field) as Plain, fieldOf(b, field) as Plain);
        if (order !== 0) return descending ? -order : order;
      }
      return 0;
    })
    .filter((document) => {
      const { startAt, endAt } = query;
      if (startAt && (against(document, startAt.values) < 0 || (against(document, startAt.values) === 0 && !startAt.before)))
        return false;
      return !(endAt && (against(document, endAt.values) > 0 || (against(document, endAt.values) === 0 && endAt.before)));
    });
  const from = query.offset ?? 0;
  return found.slice(from, query.limit === undefined ? undefined : from + query.limit).map(({ path }) => path);
};
