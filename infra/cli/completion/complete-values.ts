/**
 * Names of projects, backups, storages, schedules and collections, for the completion of shells. A shell reads them from a file, so
 * that it hardly waits for the service: `bms __complete` writes the file, in the background once it is a minute old.
 */
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '../../../shared/client/index.ts';

type Variables = Readonly<Record<string, string | undefined>>;

export const valueKinds = ['projects', 'backups', 'storages', 'schedules', 'collections'] as const;
export type ValueKind = (typeof valueKinds)[number];

/** What the options and arguments of these names take. */
export const valueKindOf: Readonly<Record<string, ValueKind>> = {
  project: 'projects',
  target: 'projects',
  backup: 'backups',
  storage: 'storages',
  schedule: 'schedules',
  collection: 'collections',
  collections: 'collections',
  exclude: 'collections',
};

/** As the scripts have it. */
const folderOf = (env: Variables): string => join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'), 'bms', 'values');

/** Another profile or organization has other names. */
export const forgetValues = (env: Variables): void => rmSync(folderOf(env), { recursive: true, force: true });

/** A file of a kind, and of the sign-in and organization that the shell has found in its line: a number that the scripts compute. */
export const isValuesFile = (kind: ValueKind, file: string): boolean =>
  file.startsWith(`${kind}.`) && /^[a-z]+\.\d{1,10}$/.test(file);

/** Replaces the file at once, and deletes those that were not asked for within a day. */
export const storeValues = (env: Variables, file: string, values: readonly string[]): void => {
  const folder = folderOf(env);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const partial = join(folder, `${file}.${process.pid}.partial`);
  // A shell would run what is in a word: not even an id is trusted to be one.
  const words = values.filter(isWord);
  writeFileSync(partial, words.map((value) => `${value}\n`).join(''), { mode: 0o600 });
  renameSync(partial, join(folder, file));
  for (const other of readdirSync(folder)) {
    const writtenMs = statSync(join(folder, other), { throwIfNoEntry: false })?.mtimeMs;
    if (writtenMs !== undefined && Date.now() - writtenMs > dayMs) rmSync(join(folder, other), { force: true });
  }
};

const dayMs = 86_400_000;
/** A shell asks before it shows so many. */
const valuesMax = 2_000;
/** Their collections are offered. */
const collectionBackups = 100;

/** Words of a shell: a name with other characters is given by its id. */
export const readValues = async (client: Client, kind: ValueKind): Promise<readonly string[]> => {
  const query = { limit: 100 };
  switch (kind) {
    case 'projects':
      return (await first(client.list('GET /projects', { query }))).map(wordOf);
    case 'backups':
      return ['latest', ...(await first(client.list('GET /backups', { query }))).map(({ id }) => id)];
    case 'storages':
      return (await first(client.list('GET /storage-destinations', { query }))).map(wordOf);
    case 'schedules':
      return (await first(client.list('GET /schedules', { query }))).map(wordOf);
    case 'collections': {
      const backups = await client.page('GET /backups', { query: { limit: collectionBackups, status: 'completed' } });
      return [...new Set(backups.data.flatMap(({ collectionCounts }) => Object.keys(collectionCounts)))].filter(isWord).sort();
    }
  }
};

const first = async <T>(list: AsyncIterable<T>): Promise<readonly T[]> => {
  const found: T[] = [];
  for await (const one of list) if (found.push(one) >= valuesMax) break;
  return found;
};

const isWord = (text: string): boolean => /^[\p{L}\p{N}_.@-]+$/u.test(text);
const wordOf = ({ id, name }: { readonly id: string; readonly name: string }): string => (isWord(name) ? name : id);
