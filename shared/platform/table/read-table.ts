/** Strongly consistent reads of the table, and single writes that need no transaction. */
import { BatchGetCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { ApiError } from '../../contract/errors.ts';
import { retry } from '../async/retry.ts';
import { callAws } from '../aws-client/call-aws.ts';
import { env } from '../env.ts';
import type { Item, ItemOf, Key } from './change.ts';
import { readItem, storable } from './item-values.ts';
import { tableClient } from './table-client.ts';

/** BatchGetItem accepts at most this many keys. */
const batchGetMax = 100;
/** For keys that DynamoDB left unprocessed: five more requests, over 1.5 s on average. */
const backoff = { attempts: 6, firstDelayMs: 100 };

/** The items of these keys, in their order; undefined for a missing item or key. One round trip up to 100 keys. */
export const getAll = async <const K extends readonly (Key | undefined)[]>(keys: K): Promise<Found<K>> => {
  const found = new Map<string, Item>();
  const distinct = [...new Map(keys.filter((key) => key !== undefined).map((key) => [nameOf(key), key])).values()];
  const batches = Array.from({ length: Math.ceil(distinct.length / batchGetMax) }, (_, n) =>
    distinct.slice(n * batchGetMax, (n + 1) * batchGetMax),
  );
  const readBatch = async (batch: readonly Key[]): Promise<void> => {
    let unprocessed = batch.map(keyOf);
    await retry(backoff, {
      classify: isUnprocessed,
      work: async () => {
        const table = env('TABLE_NAME');
        const command = new BatchGetCommand({ RequestItems: { [table]: { Keys: unprocessed, ConsistentRead: true } } });
        const { Responses, UnprocessedKeys } = await callAws((options) => tableClient().send(command, options));
        for (const item of Responses?.[table]?.map(itemOf) ?? []) found.set(nameOf(item), item);
        unprocessed = ((UnprocessedKeys?.[table]?.Keys ?? []) as Key[]).map(keyOf);
        if (unprocessed.length > 0) throw new ApiError('SERVICE_UNAVAILABLE', 'The database is busy; try again shortly');
      },
    });
  };
  await Promise.all(batches.map(readBatch));
  return keys.map((key) => key && found.get(nameOf(key))) as Found<K>;
};

const isUnprocessed = (error: unknown): boolean => error instanceof ApiError;

type Found<K extends readonly (Key | undefined)[]> = {
  -readonly [I in keyof K]: (K[I] extends Key<infer T> | undefined ? ItemOf<T> : Item) | undefined;
};

export const get = async <T>(key: Key<T>): Promise<ItemOf<T> | undefined> => (await getAll([key]))[0] as ItemOf<T> | undefined;

const nameOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`;

/** The key alone: callers pass whole items where a key is expected. */
export const keyOf = ({ pk, sk }: Key): { pk: string; sk: string } => ({ pk, sk });

/** An item of the table always has its key. */
export const itemOf = (attributes: Record<string, unknown>): Item => readItem(attributes) as Item;

export interface Range {
  readonly pk: string;
  /** `from` and `to` are inclusive; without them the range is all sort keys with this prefix. */
  readonly prefix: string;
  readonly from?: string;
  readonly to?: string;
  readonly newestFirst?: boolean;
  /** Continue after this sort key. */
  readonly after?: string | undefined;
  readonly limit?: number;
  /** What the last second has changed may be missing; it costs half. */
  readonly isEventual?: boolean;
  /** The attributes to return, `sk` among them; default: all. DynamoDB bills the whole item. */
  readonly only?: readonly string[];
  /** Attributes, by path (`actor.id`), that must have these values. `limit` counts items before this filter. */
  readonly where?: Readonly<Record<string, string>>;
}

/** One page of a partition: at most `limit` items, and the sort key to continue after, if there is more. */
export const query = async <T extends object = Item>(
  range: Range,
): Promise<{ items: readonly T[]; next: string | undefined }> => {
  const { pk, prefix, newestFirst = false, limit } = range;
  const from = range.from ?? prefix;
  // U+10FFFF sorts after every character a sort key of ours can hold.
  const to = range.to ?? `${prefix}\u{10FFFF}`;
  // DynamoDB rejects a start key outside the bounds. Such a start means that either the whole range or nothing remains.
  const [near, far] = newestFirst ? [to, from] : [from, to];
  const passed = (position: string, bound: string): boolean => (newestFirst ? position < bound : position > bound);
  if (from > to || (range.after !== undefined && passed(range.after, far))) return { items: [], next: undefined };
  const start = range.after !== undefined && !passed(near, range.after) ? range.after : undefined;
  const where = filter(range.where ?? {});
  const only = range.only?.map((name) => [`#only_${name}`, name] as const);
  const command = new QueryCommand({
    TableName: env('TABLE_NAME'),
    ConsistentRead: range.isEventual !== true,
    KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
    ...where,
    ...(only && {
      ProjectionExpression: only.map(([placeholder]) => placeholder).join(', '),
      ExpressionAttributeNames: { ...where?.ExpressionAttributeNames, ...Object.fromEntries(only) },
    }),
    ExpressionAttributeValues: { ':pk': pk, ':from': from, ':to': to, ...where?.ExpressionAttributeValues },
    ScanIndexForward: !newestFirst,
    ...(start !== undefined && { ExclusiveStartKey: { pk, sk: start } }),
    ...(limit !== undefined && { Limit: limit }),
  });
  const { Items = [], LastEvaluatedKey: last } = await callAws((options) => tableClient().send(command, options));
  return { items: Items.map(itemOf) as unknown as readonly T[], next: last && itemOf(last).sk };
};

const filter = (where: Readonly<Record<string, string>>) => {
  const wanted = Object.entries(where).map(([path, value], n) => ({ parts: path.split('.'), value, name: `:where${n}` }));
  if (wanted.length === 0) return undefined;
  const placeholder = (part: string): string => `#${part}`;
  return {
    FilterExpression: wanted.map(({ parts, name }) => `${parts.map(placeholder).join('.')} = ${name}`).join(' AND '),
    ExpressionAttributeNames: Object.fromEntries(wanted.flatMap(({ parts }) => parts.map((part) => [placeholder(part), part]))),
    ExpressionAttributeValues: Object.fromEntries(wanted.map(({ name, value }) => [name, value])),
  };
};

/** Every item of a range. Holds one page in memory. */
export async function* walk<T extends object = Item>(range: Range): AsyncGenerator<T> {
  let after = range.after;
  do {
    const page = await query<T>({ ...range, after });
    yield* page.items;
    after = page.next;
  } while (after !== undefined);
}

/** Increments a counter that expires at its TTL, and returns its new value. */
export const count = async (key: Key, ttlEpochSeconds: number): Promise<number> => {
  const command = new UpdateCommand({
    TableName: env('TABLE_NAME'),
    Key: keyOf(key),
    UpdateExpression: 'ADD #count :one SET #ttl = :ttl',
    ExpressionAttributeNames: { '#count': 'count', '#ttl': 'ttl' },
    ExpressionAttributeValues: storable({ ':one': 1, ':ttl': ttlEpochSeconds }),
    ReturnValues: 'UPDATED_NEW',
  });
  const { Attributes: after = {} } = await callAws((options) => tableClient().send(command, options));
  return after.count as number;
};

/** Sets attributes without a condition or a transaction, for values whose loss does not matter. */
export const note = async (key: Key, attributes: Readonly<Record<string, unknown>>): Promise<void> => {
  const entries = Object.entries(attributes);
  const command = new UpdateCommand({
    TableName: env('TABLE_NAME'),
    Key: keyOf(key),
    UpdateExpression: `SET ${entries.map((_, n) => `#name${n} = :value${n}`).join(', ')}`,
    ExpressionAttributeNames: Object.fromEntries(entries.map(([name], n) => [`#name${n}`, name])),
    ExpressionAttributeValues: storable(Object.fromEntries(entries.map(([, value], n) => [`:value${n}`, value]))),
  });
  await callAws((options) => tableClient().send(command, options));
};
