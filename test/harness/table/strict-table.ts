/** A table in memory that keeps conditions and transactions, for tests of what must never happen; faults can be put before and after every write. */

import { cancelled, Fault, type Input, type Script } from '../aws/scripted-aws.ts';
import { type Attributes, holds, updated, type Words } from './expression.ts';
import { MemoryTable, marshalled } from './memory-table.ts';

interface Operation {
  readonly Key?: Attributes;
  readonly Item?: Attributes;
  readonly UpdateExpression?: string;
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: Record<string, string>;
  readonly ExpressionAttributeValues?: Attributes;
}

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

export class StrictTable {
  readonly #table = new MemoryTable();
  /** Called before and after every write; a fault it returns is the answer, and before also what happens instead. */
  onWrite: (when: 'before' | 'after') => Fault | undefined = () => undefined;

  /** Called before every read; a fault it returns is the answer. */
  onRead: () => Fault | undefined = () => undefined;

  readonly script: Script = {
    BatchGetItem: (input) => this.onRead() ?? this.#table.script.BatchGetItem!(input),
    Query: (input) => this.onRead() ?? this.#table.script.Query!(input),
    TransactWriteItems: (input) => this.#writing(() => this.#transact(input)),
    UpdateItem: (input) => this.#writing(() => this.#update(input)),
    PutItem: (input) => this.#writing(() => this.#one({ Put: input })),
    BatchWriteItem: (input) => this.#writing(() => this.#removeAll(input)),
  };

  get items(): Map<string, Attributes> {
    return this.#table.items as Map<string, Attributes>;
  }

  put(item: Readonly<Record<string, unknown>>): void {
    this.#table.items.set(
      `${item.pk}\n${item.sk}`,
      Object.fromEntries(Object.entries(item).map(([k, v]) => [k, marshalled(v)])) as never,
    );
  }

  get<T = Record<string, unknown>>({ pk, sk }: { readonly pk: string; readonly sk: string }): T | undefined {
    const item = this.items.get(`${pk}\n${sk}`);
    return item && (plainItem(item) as T);
  }

  /** All items whose keys begin so. */
  find(pk: string, sk = ''): readonly Record<string, unknown>[] {
    return [...this.items.values()]
      .map(plainItem)
      .filter((item) => String(item.pk).startsWith(pk) && String(item.sk).startsWith(sk));
  }

  #writing(write: () => object): object {
    const instead = this.onWrite('before');
    if (instead) return instead;
    const answer = write();
    return this.onWrite('after') ?? answer;
  }

  /** Outside a transaction a failed condition has a name of its own. */
  #one(operation: Input): object {
    const answer = this.#transact({ TransactItems: [operation] });
    return answer instanceof Fault && answer.type === 'TransactionCanceledException'
      ? new Fault('ConditionalCheckFailedException')
      : answer;
  }

  /** Whoever asks for values gets the whole item. */
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
      const words: Words = {
        names: operation.ExpressionAttributeNames ?? {},
        values: operation.ExpressionAttributeValues ?? {},
      };
      const used = new Set<string>();
      const key = keys[n] ?? '';
      const item = this.items.get(key);
      const isMet = !operation.ConditionExpression || holds(operation.ConditionExpression, item, words, used);
      if (kind === 'Put') next.push([key, operation.Item]);
      if (kind === 'Delete') next.push([key, undefined]);
      if (kind === 'Update')
        next.push([key, updated(operation.UpdateExpression ?? '', item ?? operation.Key ?? {}, words, used)]);
      const unused = [...Object.keys(words.names), ...Object.keys(words.values)].filter((word) => !used.has(word));
      if (unused.length > 0) throw new Error(`DynamoDB would refuse ${unused.join(', ')}: nothing uses it`);
      return !isMet;
    });
    if (failed.includes(true)) return cancelled(...failed.map((no) => (no ? 'ConditionalCheckFailed' : 'None')));
    // All or nothing: what is too large is refused before anything is written.
    const sizes = next.map(([, item]) => (item ? JSON.stringify(item).length : 0));
    if (Math.max(...sizes) > 400_000) throw new Error(`an item of ${Math.max(...sizes)} bytes`);
    const sum = sizes.reduce((all, size) => all + size, 0);
    if (sum > 4 << 20) throw new Error(`a transaction of ${sum} bytes`);
    for (const [key, item] of next) {
      if (item) this.items.set(key, item);
      else this.items.delete(key);
    }
    return {};
  }
}

const nameOf = ({ pk, sk }: Attributes): string => `${pk?.S}\n${sk?.S}`;
