/** Encodes values, documents and writes with protobufjs from their JSON form, independently of the code under test. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { TestContext } from 'vitest';
import { pathKey } from '../../../infra/local/engines/firestore/base/path-key.ts';
import { Pending } from '../../../infra/local/engines/firestore/base/pending.ts';
import type { Micros } from '../../../infra/local/engines/firestore/base/types.ts';
import { typeOf } from '../../../infra/local/engines/firestore/proto/field-plan.ts';
import { type DatabaseOptions, StoredDatabase } from '../../../infra/local/engines/firestore/storage/database.ts';
import { commitWrites, parseWrite } from '../../../infra/local/engines/firestore/write/commit-writes.ts';

/** A value that is not pending: databases in memory have no others. */
export const present = <T>(value: T | Pending): T => {
  if (value instanceof Pending) throw new Error('a document of a database in memory is pending');
  return value;
};

export type Json = Record<string, unknown>;
export const databaseId = { projectId: 'p', databaseId: '(default)' };
export const root = 'projects/p/databases/(default)/documents';

const encode = (type: string, json: Json): Uint8Array => {
  const message = typeOf(`.google.firestore.v1.${type}`);
  return message.encode(message.fromObject(json)).finish();
};
const decode = (type: string, bytes: Uint8Array): Json => {
  const message = typeOf(`.google.firestore.v1.${type}`);
  return message.toObject(message.decode(bytes), { longs: String, enums: String, bytes: String, arrays: false });
};

export const value = (json: Json): Uint8Array => encode('Value', json);
export const valueJson = (bytes: Uint8Array): Json => decode('Value', bytes);
export const document = (path: string, fields: Json): Uint8Array => encode('Document', { name: `${root}/${path}`, fields });
export const documentJson = (bytes: Uint8Array): Json => decode('Document', bytes);
export const fieldsOf = (bytes: Uint8Array | undefined): Json => (bytes ? ((documentJson(bytes).fields as Json) ?? {}) : {});
export const write = (json: Json): Uint8Array => encode('Write', json);
export const message = encode;

export const set = (path: string, fields: Json, more: Json = {}): Uint8Array =>
  write({ update: { name: `${root}/${path}`, fields }, ...more });
export const remove = (path: string, more: Json = {}): Uint8Array => write({ delete: `${root}/${path}`, ...more });

/** Commits encoded writes. */
export const commit = (database: StoredDatabase, ...writes: Uint8Array[]) =>
  commitWrites(
    database,
    writes.map((bytes) => parseWrite(bytes, database)),
  );

export const get = (database: StoredDatabase, path: string, at: Micros = database.readTime()) => database.get(pathKey(path), at);

/** A database for one test, closed at its end. */
export const makeDatabase = (t: TestContext, options: DatabaseOptions = {}): StoredDatabase => {
  const database = new StoredDatabase(databaseId, options);
  t.onTestFinished(() => database.close());
  return database;
};

export const makeFolder = (t: TestContext): string => {
  const folder = mkdtempSync(join(tmpdir(), 'firestore-'));
  t.onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
};

/** Checks a property and prints its seed. */
export const holds = async (t: TestContext, property: Parameters<typeof fc.assert>[0], runs = 200): Promise<void> => {
  const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31));
  void t.annotate(`seed ${seed}`);
  await fc.assert(property as fc.IAsyncProperty<unknown>, { seed, numRuns: runs });
};
