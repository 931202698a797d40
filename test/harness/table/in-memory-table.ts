/** A DynamoDB table in memory. It evaluates conditions and transactions, and can inject faults before and after every write. */

import { cancelled, Fault, type Input, type Script } from '../aws/scripted-aws.ts';
import { type Attribute, type Attributes, holds, type Placeholders, updated } from './expression.ts';

interface Operation {
  readonly Key?: Attributes;
  readonly Item?: Attributes;
  readonly UpdateExpression?: string;
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Attributes;
}

/** A plain value in DynamoDB's wire format. */
export const marshalled = (value: unknown): Attribute => {
  if (value === null) return { NULL: true };
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value instanceof Uint8Array) return { B: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return { L: value.map(marshalled) };
  return { M: Object.fromEntries(Object.entries(value as object).map(([name, inner]) => [name, marshalled(inner)])) };
};

/** A value of DynamoDB's wire format as a plain value. */
const plain = (value: Record<string, unknown> | undefined): unknown => {
  const [[kind, inner] = ['NULL', true]] = Object.entries(value ?? {});
  if (kind === 'N') return Number(inner);
  if (kind === 'NULL') return null;
  if (kind === 'L') return (inner as Record<string, unknown>[]).map(plain);
  if (kind === 'M') return plainItem(inner as Attributes);
  return kind === 'B' ? Buffer.from(inner as string, 'base64') : inner;
};
const plainItem = (item: Attributes): Record<string, unknown> =>
  Object.fromEntries(Object.entries(item).map(([name, value]) => [name, plain(value)]));

export class InMemoryTable {
  /** By partition and sort key. */
  readonly items = new Map<string, Attributes>();
  /** DynamoDB ends a page after 1 MB; this table ends it after so many items. */
  pageMax = 1_000;
  /** Called before and after every write. A fault it returns is the response; returned `before`, it prevents the write. */
  onWrite: (when: 'before' | 'after') => Fault | undefined = () => undefined;
  /** Called before every read. A fault it returns is the response. */
  onRead: (input: Input) => Fault | undefined = () => undefined;

  readonly script: Script = {
    BatchGetItem: (input) => this.onRead(input) ?? this.#batchGet(input),
    Query: (input) => this.onRead(input) ?? this.#query(input),
    TransactWriteItems: (input) => this.#faultyWrite(() => this.#transact(input)),
    UpdateItem: (input) => this.#faultyWrite(() => this.#update(input)),
    PutItem: (input) => this.#faultyWrite(() => this.#one({ Put: input })),
    BatchWriteItem: (input) => this.#faultyWrite(() => this.#removeAll(input)),
  };

  put(item: Readonly<Record<string, unknown>>): void {
    const stored = Object.fromEntries(Object.entries(item).map(([name, value]) => [name, marshalled(value)]));
    this.items.set(nameOf(stored), stored);
  }

  get<T = Record<string, unknown>>({ pk, sk }: { readonly pk: string; readonly sk: string }): T | undefined {
    const item = this.items.get(`${pk}\n${sk}`);
    return item && (plainItem(item) as T);
  }

  /** All items whose keys have these prefixes. */
  find(pk: string, sk = ''): readonly Record<string, unknown>[] {
    return [...this.items.values()]
      .map(plainItem)
      .filter((item) => String(item.pk).startsWith(pk) && String(item.sk).startsWith(sk));
  }

  #batchGet(input: Input): object {
    const [table, { Keys }] = Object.entries(input.RequestItems as Record<string, { Keys: Attributes[] }>)[0]!;
    const found = Keys.map((key) => this.items.get(nameOf(key))).filter((item) => item !== undefined);
    return { Responses: { [table]: found }, UnprocessedKeys: {} };
  }

  #query(input: Input): object {
    const values = input.ExpressionAttributeValues as Record<string, { S: string }>;
    const names = (input.ExpressionAttributeNames ?? {}) as Record<string, string>;
    const isBackward = input.ScanIndexForward === false;
    const start = (input.ExclusiveStartKey as Attributes | undefined)?.sk;
    const remaining = [...this.items.values()]
      .filter(({ pk, sk }) => pk?.S === values[':pk']!.S && sortKey(sk) >= values[':from']!.S && sortKey(sk) <= values[':to']!.S)
      .filter(({ sk }) => !start || (isBackward ? sortKey(sk) < sortKey(start) : sortKey(sk) > sortKey(start)))
      .sort((a, b) => (sortKey(a.sk) < sortKey(b.sk) ? -1 : 1));
    if (isBackward) remaining.reverse();
    const page = remaining.slice(0, Math.min((input.Limit as number | undefined) ?? this.pageMax, this.pageMax));
    const last = page.at(-1);
    const conditions = String(input.FilterExpression ?? '')
      .split(' AND ')
      .filter(Boolean);
    const matches = (item: Attributes): boolean =>
      conditions.every((part) => {
        const [path = '', value = ''] = part.split(' = ');
        const found = path.split('.').reduce<Attribute | undefined>((at, step) => at?.M?.[names[step]!], { M: item });
        return found?.S === values[value]!.S;
      });
    return {
      Items: page.filter(matches),
      // As in DynamoDB, a page that reaches its limit has a last key even if nothing follows.
      ...(last &&
        page.length < remaining.length + (input.Limit === page.length ? 1 : 0) && {
          LastEvaluatedKey: { pk: last.pk, sk: last.sk },
        }),
    };
  }

  #faultyWrite(write: () => object): object {
    const instead = this.onWrite('before');
    if (instead) return instead;
    const answer = write();
    return this.onWrite('after') ?? answer;
  }

  /** Outside a transaction a failed condition has a different error name. */
  #one(operation: Input): object {
    const answer = this.#transact({ TransactItems: [operation] });
    return answer instanceof Fault && answer.type === 'TransactionCanceledException'
      ? new Fault('ConditionalCheckFailedException')
      : answer;
  }

  /** With `ReturnValues` the response is the whole item. */
  #update(input: Input): object {
    const answer = this.#one({ Update: input });
    return answer instanceof Fault || !input.ReturnValues
      ? answer
      : { Attributes: this.items.get(nameOf(input.Key as Attributes)) };
  }

  #removeAll({ RequestItems }: Input): object {
    const requests = Object.values(RequestItems as Record<string, { DeleteRequest: { Key: Attributes } }[]>).flat();
    for (const { DeleteRequest } of requests) this.items.delete(nameOf(DeleteRequest.Key));
    return { UnprocessedItems: {} };
  }

  #transact(input: Input): object {
    const operations = (input.TransactItems as Record<string, Operation>[]).map((entry) => Object.entries(entry)[0]!);
    const keys = operations.map(([, operation]) => nameOf(operation.Key ?? operation.Item ?? {}));
    if (new Set(keys).size < keys.length) return new Fault('ValidationException', 400, { message: 'one item twice' });
    const next: [string, Attributes | undefined][] = [];
    const failed = operations.map(([kind, operation], n) => {
      const placeholders: Placeholders = {
        names: operation.ExpressionAttributeNames ?? {},
        values: operation.ExpressionAttributeValues ?? {},
      };
      const used = new Set<string>();
      const key = keys[n] ?? '';
      const item = this.items.get(key);
      const isMet = !operation.ConditionExpression || holds(operation.ConditionExpression, { item, placeholders, used });
      if (kind === 'Put') next.push([key, operation.Item]);
      if (kind === 'Delete') next.push([key, undefined]);
      if (kind === 'Update')
        next.push([key, updated(operation.UpdateExpression ?? '', { item: item ?? operation.Key ?? {}, placeholders, used })]);
      const unused = [...Object.keys(placeholders.names), ...Object.keys(placeholders.values)].filter((name) => !used.has(name));
      if (unused.length > 0) throw new Error(`DynamoDB rejects placeholders that no expression uses: ${unused.join(', ')}`);
      return !isMet;
    });
    if (failed.includes(true)) return cancelled(...failed.map((no) => (no ? 'ConditionalCheckFailed' : 'None')));
    // Size limits are checked before anything is written.
    const sizes = next.map(([, item]) => (item ? JSON.stringify(item).length : 0));
    if (Math.max(...sizes) > 400_000) throw new Error(`item too large: ${Math.max(...sizes)} bytes`);
    const sum = sizes.reduce((all, size) => all + size, 0);
    if (sum > 4 << 20) throw new Error(`transaction too large: ${sum} bytes`);
    for (const [key, item] of next) {
      if (item) this.items.set(key, item);
      else this.items.delete(key);
    }
    return {};
  }
}

const nameOf = ({ pk, sk }: Attributes): string => `${pk?.S}\n${sk?.S}`;
const sortKey = (value: Attribute | undefined): string => String(value?.S);
