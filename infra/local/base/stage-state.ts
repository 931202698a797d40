/**
 * The stage's own persistent state: identity provider users and keys, stream checkpoints, the demo.
 * One SQLite file with an exclusive lock: a second stage on the same folder fails to start. The kernel releases the lock of
 * a killed process, and no write is torn by kill -9.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StartError } from './settings.ts';

export interface State {
  get<T>(kind: string, id: string): T | undefined;
  set(kind: string, id: string, value: unknown): void;
  setExpiring(kind: string, id: string, entry: { readonly value: unknown; readonly expiresAtMs: number }): void;
  delete(kind: string, id: string): void;
  all<T>(kind: string): readonly T[];
  close(): void;
}

export const openState = (dir: string): State => {
  const database = lock(dir);
  database.exec(
    'CREATE TABLE IF NOT EXISTS entry (kind TEXT, id TEXT, value TEXT NOT NULL, expires INTEGER, PRIMARY KEY (kind, id)) WITHOUT ROWID',
  );
  database.prepare('DELETE FROM entry WHERE expires < ?').run(Date.now());
  const one = database.prepare('SELECT value FROM entry WHERE kind = ? AND id = ? AND (expires IS NULL OR expires >= ?)');
  const put = database.prepare('INSERT OR REPLACE INTO entry VALUES (?, ?, ?, ?)');
  const drop = database.prepare('DELETE FROM entry WHERE kind = ? AND id = ?');
  const many = database.prepare('SELECT value FROM entry WHERE kind = ? AND (expires IS NULL OR expires >= ?) ORDER BY id');
  const parse = <T>(row: unknown): T => JSON.parse((row as { value: string }).value) as T;
  return {
    get: <T>(kind: string, id: string) => {
      const row = one.get(kind, id, Date.now());
      return row && parse<T>(row);
    },
    set: (kind, id, value) => void put.run(kind, id, JSON.stringify(value), null),
    setExpiring: (kind, id, { value, expiresAtMs }) => void put.run(kind, id, JSON.stringify(value), expiresAtMs),
    delete: (kind, id) => void drop.run(kind, id),
    all: <T>(kind: string) => many.all(kind, Date.now()).map((row) => parse<T>(row)),
    close: () => database.close(),
  };
};

const sqliteBusy = 5;

const lock = (dir: string): DatabaseSync => {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    const database = new DatabaseSync(join(dir, 'stage.sqlite'));
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    database.exec('BEGIN EXCLUSIVE; COMMIT');
    return database;
  } catch (cause) {
    const { errcode, message } = cause as { errcode?: number; message: string };
    throw errcode === sqliteBusy
      ? new StartError(`another stage is running in ${dir}; stop it, or set LOCAL_DIR to another folder`, { cause })
      : new StartError(`LOCAL_DIR ${dir} cannot be used: ${message}`, { cause });
  }
};
