/** A table in memory, for tests and measurements that must not wait for one: what our doors ask for, conditions left out. */
import type { Input, Script } from '../aws/scripted-aws.ts';

type Attribute = { S?: string; N?: string; M?: Record<string, Attribute>; [other: string]: unknown };
export type Stored = Record<string, Attribute>;

/** Plain values as DynamoDB has them on the wire. */
export const marshalled = (value: unknown): Attribute => {
  if (value === null) return { NULL: true };
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'number') return { N: String(value) };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value instanceof Uint8Array) return { B: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return { L: value.map(marshalled) };
  return { M: Object.fromEntries(Object.entries(value as object).map(([name, inner]) => [name, marshalled(inner)])) };
};

interface Update {
  readonly Key: Stored;
  readonly UpdateExpression: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Stored;
}
interface Operation {
  readonly Put?: { readonly Item: Stored };
  readonly Update?: Update;
  readonly Delete?: { readonly Key: Stored };
}

export class MemoryTable {
  readonly items = new Map<string, Stored>();
  /** DynamoDB ends a page after 1 MB; this one after so many items. */
  pageMax = 1_000;

  put(item: Readonly<Record<string, unknown>>): void {
    const stored = Object.fromEntries(Object.entries(item).map(([name, value]) => [name, marshalled(value)]));
    this.items.set(nameOf(stored), stored);
  }

  readonly script: Script = {
    BatchGetItem: (input) => {
      const [table, { Keys }] = Object.entries(input.RequestItems as Record<string, { Keys: Stored[] }>)[0]!;
      const found = Keys.map((key) => this.items.get(nameOf(key))).filter((item) => item !== undefined);
      return { Responses: { [table]: found }, UnprocessedKeys: {} };
    },
    Query: (input) => this.#query(input),
    UpdateItem: (input) => {
      const key = input.Key as Stored;
      const item = this.items.get(nameOf(key)) ?? { ...key };
      this.items.set(nameOf(key), item);
      if (!String(input.UpdateExpression).includes('ADD')) return {};
      item.count = { N: String(Number(item.count?.N ?? 0) + 1) };
      return { Attributes: { count: item.count } };
    },
    TransactWriteItems: (input) => {
      for (const { Put, Update, Delete } of input.TransactItems as Operation[]) {
        if (Put) this.items.set(nameOf(Put.Item), Put.Item);
        if (Update) this.#update(Update);
        if (Delete) this.items.delete(nameOf(Delete.Key));
      }
      return {};
    },
  };

  /** SET #a = :a, … REMOVE #b, …; anything else is left as it is. */
  #update({ Key, UpdateExpression, ExpressionAttributeNames: names = {}, ExpressionAttributeValues: values = {} }: Update): void {
    const item = { ...(this.items.get(nameOf(Key)) ?? Key) };
    const [, sets = '', removes = ''] = /^(?:SET (.*?))? ?(?:REMOVE (.*))?$/.exec(UpdateExpression) ?? [];
    for (const [, name = '', value = ''] of sets.matchAll(/(#\w+) = (:\w+)/g)) item[names[name]!] = values[value]!;
    for (const [name] of removes.matchAll(/#\w+/g)) delete item[names[name]!];
    this.items.set(nameOf(Key), item);
  }

  #query(input: Input): object {
    const values = input.ExpressionAttributeValues as Record<string, { S: string }>;
    const names = (input.ExpressionAttributeNames ?? {}) as Record<string, string>;
    const inRange = [...this.items.values()].filter(
      ({ pk, sk }) => pk!.S === values[':pk']!.S && sk!.S! >= values[':from']!.S && sk!.S! <= values[':to']!.S,
    );
    inRange.sort((a, b) => (a.sk!.S! < b.sk!.S! ? -1 : 1));
    if (input.ScanIndexForward === false) inRange.reverse();
    const start = (input.ExclusiveStartKey as Stored | undefined)?.sk?.S;
    const from =
      start === undefined
        ? 0
        : inRange.findIndex(({ sk }) => (input.ScanIndexForward === false ? sk!.S! < start : sk!.S! > start));
    const ahead = from < 0 ? [] : inRange.slice(from);
    const looked = ahead.slice(0, Math.min((input.Limit as number | undefined) ?? this.pageMax, this.pageMax));
    const last = looked.at(-1);
    const wanted = String(input.FilterExpression ?? '')
      .split(' AND ')
      .filter(Boolean);
    const matches = (item: Stored): boolean =>
      wanted.every((part) => {
        const [path = '', value = ''] = part.split(' = ');
        const found = path.split('.').reduce<Attribute | undefined>((at, step) => at?.M?.[names[step]!], { M: item });
        return found?.S === values[value]!.S;
      });
    return {
      Items: looked.filter(matches),
      // As DynamoDB does: a page cut by its limit has a last key, whether or not anything follows.
      ...(last &&
        looked.length < ahead.length + (input.Limit === looked.length ? 1 : 0) && {
          LastEvaluatedKey: { pk: last.pk, sk: last.sk },
        }),
    };
  }
}

const nameOf = ({ pk, sk }: Stored): string => `${pk?.S}\n${sk?.S}`;
