import { appendFileSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A Firebase Auth account in the form of the Identity Toolkit, with unknown fields kept. */
export interface User {
  readonly localId: string;
  readonly email?: string;
  readonly phoneNumber?: string;
  readonly passwordHash?: string;
  readonly salt?: string;
  readonly providerUserInfo?: readonly { readonly providerId?: string; readonly rawId?: string }[];
  readonly [field: string]: unknown;
}

/** The accounts of all projects and tenants. A change is on disk before the response. */
export interface Users {
  /** Sorted by localId, starting after the given one. */
  list(pool: string, after: string, limit: number): readonly User[];
  get(pool: string, localId: string): User | undefined;
  all(pool: string): Iterable<User>;
  put(pool: string, users: readonly User[]): void;
  delete(pool: string, localIds: readonly string[]): void;
}

type Entry = { readonly pool: string; readonly put: User } | { readonly pool: string; readonly delete: string };

/** Opens the accounts in the folder; without one they are kept in memory. */
export function openUsers(dir?: string): Users {
  const pools = new Map<string, Map<string, User>>();
  /** The sorted ids of a pool, until one is added or removed. */
  const sorted = new Map<string, string[]>();
  const file = dir === undefined ? undefined : join(dir, 'users.jsonl');
  const poolOf = (name: string): Map<string, User> => {
    const pool = pools.get(name) ?? new Map<string, User>();
    pools.set(name, pool);
    return pool;
  };
  const apply = (entry: Entry): void => {
    sorted.delete(entry.pool);
    if ('put' in entry) poolOf(entry.pool).set(entry.put.localId, entry.put);
    else poolOf(entry.pool).delete(entry.delete);
  };
  const record = (entries: readonly Entry[]): void => {
    if (file !== undefined && entries.length > 0)
      appendFileSync(file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
    for (const entry of entries) apply(entry);
  };
  if (dir !== undefined && file !== undefined) {
    mkdirSync(dir, { recursive: true });
    for (const entry of readEntries(file)) apply(entry);
    compact(file, pools);
  }
  return {
    list: (pool, after, limit) => {
      const ids = sorted.get(pool) ?? [...poolOf(pool).keys()].sort();
      sorted.set(pool, ids);
      const start = firstAfter(ids, after);
      return ids.slice(start, start + limit).flatMap((id) => poolOf(pool).get(id) ?? []);
    },
    get: (pool, localId) => poolOf(pool).get(localId),
    all: (pool) => poolOf(pool).values(),
    put: (pool, users) => record(users.map((user) => ({ pool, put: user }))),
    delete: (pool, localIds) => record(localIds.map((localId) => ({ pool, delete: localId }))),
  };
}

function firstAfter(sorted: readonly string[], text: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? '') > text) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** A crash leaves an incomplete line: that change was never acknowledged and is ignored. */
function* readEntries(file: string): Generator<Entry> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const lines = text.split('\n');
  lines.pop();
  for (const line of lines) yield JSON.parse(line) as Entry;
}

function compact(file: string, pools: ReadonlyMap<string, ReadonlyMap<string, User>>): void {
  const lines: string[] = [];
  for (const [pool, users] of pools) for (const put of users.values()) lines.push(`${JSON.stringify({ pool, put })}\n`);
  writeFileSync(`${file}.new`, lines.join(''));
  renameSync(`${file}.new`, file);
}
