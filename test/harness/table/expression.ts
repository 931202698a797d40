/** Evaluates the condition and update expressions that our code uses, on items in DynamoDB's wire format. */

export interface Attribute {
  readonly S?: string;
  readonly N?: string;
  readonly M?: Attributes;
  readonly L?: readonly Attribute[];
  readonly [other: string]: unknown;
}
export type Attributes = Record<string, Attribute>;

export interface Placeholders {
  readonly names: Readonly<Record<string, string>>;
  readonly values: Attributes;
}

const tokens = (text: string): string[] => text.match(/[#:]?\w+|<>|<=|>=|[=<>(),.+-]/g) ?? [];

/** Parses an expression and records the placeholders it uses: DynamoDB rejects unused ones. */
class Reader {
  readonly #tokens: string[];
  readonly #placeholders: Placeholders;
  readonly #used: Set<string>;
  #at = 0;

  constructor(text: string, placeholders: Placeholders, used: Set<string>) {
    this.#tokens = tokens(text);
    this.#placeholders = placeholders;
    this.#used = used;
  }

  get isOver(): boolean {
    return this.#at >= this.#tokens.length;
  }
  peek(): string {
    return this.#tokens[this.#at] ?? '';
  }
  next(): string {
    return this.#tokens[this.#at++] ?? '';
  }
  takes(...wanted: string[]): boolean {
    if (!wanted.includes(this.peek().toUpperCase())) return false;
    this.#at += 1;
    return true;
  }
  expect(wanted: string): void {
    const found = this.next();
    if (found.toUpperCase() !== wanted) throw new Error(`expected ${wanted}, found ${found} in ${this.#tokens.join(' ')}`);
  }
  name(): string {
    const token = this.next();
    if (!token.startsWith('#')) return token;
    this.#used.add(token);
    const name = this.#placeholders.names[token];
    if (name === undefined) throw new Error(`${token} has no name`);
    return name;
  }
  /** A value or an attribute of the item. */
  operand(item: Attributes | undefined): Attribute | undefined {
    if (!this.peek().startsWith(':')) {
      const names = [this.name()];
      while (this.takes('.')) names.push(this.name());
      return names.reduce<Attribute | undefined>((parent, name) => parent?.M?.[name], { M: item ?? {} });
    }
    const token = this.next();
    this.#used.add(token);
    const value = this.#placeholders.values[token];
    if (value === undefined) throw new Error(`${token} has no value`);
    return value;
  }
}

const same = (a: Attribute | undefined, b: Attribute | undefined): boolean => canonical(a) === canonical(b) && a !== undefined;
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );

const less = (a: Attribute | undefined, b: Attribute | undefined): boolean => {
  if (a?.N !== undefined && b?.N !== undefined) return Number(a.N) < Number(b.N);
  return typeof a?.S === 'string' && typeof b?.S === 'string' && a.S < b.S;
};

/** Whether an item, or its absence, meets the condition. */
export const holds = (
  text: string,
  {
    item,
    placeholders,
    used,
  }: { readonly item: Attributes | undefined; readonly placeholders: Placeholders; readonly used: Set<string> },
): boolean => {
  const reader = new Reader(text, placeholders, used);
  const either = (): boolean => {
    let result = both();
    while (reader.takes('OR')) result = both() || result;
    return result;
  };
  const both = (): boolean => {
    let result = one();
    while (reader.takes('AND')) result = one() && result;
    return result;
  };
  const one = (): boolean => {
    if (reader.takes('NOT')) return !one();
    if (reader.takes('(')) {
      const result = either();
      reader.expect(')');
      return result;
    }
    const word = reader.peek();
    if (word === 'attribute_exists' || word === 'attribute_not_exists') {
      reader.next();
      reader.expect('(');
      const exists = reader.operand(item) !== undefined;
      reader.expect(')');
      return exists === (word === 'attribute_exists');
    }
    const left = reader.operand(item);
    const operator = reader.next().toUpperCase();
    if (operator === 'IN') {
      reader.expect('(');
      let found = false;
      do found = same(left, reader.operand(item)) || found;
      while (reader.takes(','));
      reader.expect(')');
      return found;
    }
    const right = reader.operand(item);
    if (operator === '=') return same(left, right);
    if (operator === '<>') return !same(left, right);
    if (operator === '<') return less(left, right);
    if (operator === '>') return less(right, left);
    if (operator === '<=') return less(left, right) || same(left, right);
    if (operator === '>=') return less(right, left) || same(left, right);
    throw new Error(`unknown operator ${operator} in ${text}`);
  };
  const result = either();
  if (!reader.isOver) throw new Error(`unexpected ${reader.peek()} in ${text}`);
  return result;
};

/** The item after an update. */
export const updated = (
  text: string,
  { item, placeholders, used }: { readonly item: Attributes; readonly placeholders: Placeholders; readonly used: Set<string> },
): Attributes => {
  const reader = new Reader(text, placeholders, used);
  const result = { ...item };
  const plus = (a: Attribute | undefined, b: Attribute | undefined, sign = 1): Attribute => ({
    N: String(Number(a?.N ?? 0) + sign * Number(b?.N)),
  });
  const value = (): Attribute | undefined => {
    const word = reader.peek();
    if (word !== 'if_not_exists' && word !== 'list_append') return reader.operand(item);
    reader.next();
    reader.expect('(');
    const first = value();
    reader.expect(',');
    const second = value();
    reader.expect(')');
    return word === 'if_not_exists' ? (first ?? second) : { L: [...(first?.L ?? []), ...(second?.L ?? [])] };
  };
  const set = (): void => {
    const name = reader.name();
    reader.expect('=');
    let found = value();
    if (reader.takes('+')) found = plus(found, value());
    else if (reader.takes('-')) found = plus(found, value(), -1);
    if (found === undefined) throw new Error(`no value for ${name} in ${text}`);
    result[name] = found;
  };
  const clauses: Record<string, () => void> = {
    SET: set,
    ADD: () => {
      const name = reader.name();
      result[name] = plus(result[name], reader.operand(item));
    },
    REMOVE: () => {
      delete result[reader.name()];
    },
  };
  while (!reader.isOver) {
    const clause = clauses[reader.next().toUpperCase()];
    if (!clause) throw new Error(`not an update expression: ${text}`);
    do clause();
    while (reader.takes(','));
  }
  return result;
};
