/**
 * Names of projects, backups, storages, schedules and collections, for the completion of shells. A shell reads them from a file, so
 * that it never waits for the service: `bms __complete` writes the file, in the background once it is a minute old.
 */
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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

/** Replaces the file at once. */
export const storeValues = (env: Variables, kind: ValueKind, values: readonly string[]): void => {
  const folder = folderOf(env);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const partial = join(folder, `${kind}.${process.pid}.partial`);
  // A shell would run what is in a word: not even an id is trusted to be one.
  const words = values.filter(isWord);
  writeFileSync(partial, words.map((value) => `${value}\n`).join(''), { mode: 0o600 });
  renameSync(partial, join(folder, kind));
};

const valuesMax = 100;

/** Words of a shell: a name with other characters is given by its id. */
export const readValues = async (client: Client, kind: ValueKind): Promise<readonly string[]> => {
  const query = { limit: valuesMax };
  switch (kind) {
    case 'projects':
      return (await client.page('GET /projects', { query })).data.map(wordOf);
    case 'backups':
      return ['latest', ...(await client.page('GET /backups', { query })).data.map(({ id }) => id)];
    case 'storages':
      return (await client.page('GET /storage-destinations', { query })).data.map(wordOf);
    case 'schedules':
      return (await client.page('GET /schedules', { query })).data.map(wordOf);
    case 'collections': {
      const backups = await client.page('GET /backups', { query: { ...query, status: 'completed' } });
      return [...new Set(backups.data.flatMap(({ collectionCounts }) => Object.keys(collectionCounts)))].filter(isWord).sort();
    }
  }
};

const isWord = (text: string): boolean => /^[\p{L}\p{N}_.@-]+$/u.test(text);
const wordOf = ({ id, name }: { readonly id: string; readonly name: string }): string => (isWord(name) ? name : id);
