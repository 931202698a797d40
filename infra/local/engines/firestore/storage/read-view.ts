import type { Pending } from '../base/pending.ts';
import { type Micros, type PathKey, RpcError, type StoredDocument } from '../base/types.ts';
import { WireReader } from '../proto/wire-reader.ts';
import { second } from '../value/timestamps.ts';
import { readTimestamp } from '../value/value.ts';
import type { ScanOptions } from './base-documents.ts';
import type { StoredDatabase } from './database.ts';
import type { Mode } from './transactions.ts';

/** The read time of a request; at most one field is set. */
interface Selector {
  readonly transaction?: Uint8Array | undefined;
  /** Encoded TransactionOptions. */
  readonly newTransaction?: Uint8Array | undefined;
  readonly readTime?: { readonly seconds: number | bigint; readonly nanos: number } | undefined;
}

/** A consistent view of a database for one call. */
export interface Reader {
  readonly database: StoredDatabase;
  readonly at: Micros;
  /** The transaction begun by this call. */
  readonly transaction: Uint8Array | undefined;
  /** A read-write transaction locks what it reads. */
  readonly get: (key: PathKey) => StoredDocument | undefined | Pending<StoredDocument | undefined>;
  readonly scan: (from: PathKey, to: PathKey, options?: ScanOptions) => Iterable<StoredDocument | Pending>;
  /** A read-write transaction locks the range of a query. Only documents that match before or after a change conflict. */
  readonly track: (from: PathKey, to: PathKey, matches?: (document: StoredDocument) => boolean) => void;
}

/** Opens the view of a request: of its transaction, of a new one, at a past time, or now. */
export const openReader = (database: StoredDatabase, selector: Selector): Reader => {
  const { transaction: token, newTransaction, readTime } = selector;
  const begun = newTransaction && database.transactions.begin(readMode(newTransaction, 'read-only'));
  const transaction = begun ?? (token?.length ? database.transactions.use(token) : undefined);
  if (readTime) database.checkReadTime(toMicros(readTime));
  if (transaction?.at !== undefined) database.checkReadTime(transaction.at);
  // A read-write transaction has locked what it read, so each of its reads may see the latest state.
  const at = transaction?.at ?? (readTime ? toMicros(readTime) : database.readTime());
  const hold = transaction && !transaction.readOnly ? transaction.hold : undefined;
  return {
    database,
    at,
    transaction: begun?.token,
    get: (key) => {
      hold?.add(key);
      return database.fetch(key, at);
    },
    scan: (from, to, options) => database.scanAll({ from, to, ...options }, at),
    track: (from, to, matches) => hold?.addRange({ from, to, matches }),
  };
};

/** Decodes TransactionOptions; without a mode they have the given kind. */
export const readMode = (options: Uint8Array, otherwise: Mode['kind']): Mode => {
  const reader = new WireReader(options);
  let mode: Mode = { kind: otherwise };
  while (reader.next()) {
    if (reader.type !== 2) continue;
    if (reader.field === 2) mode = { kind: 'read-only', readTime: readTimeOf(reader.inner()) };
    else if (reader.field === 3) mode = { kind: 'read-write', retry: retryOf(reader.inner()) };
  }
  return mode;
};

const readTimeOf = (reader: WireReader): Micros | undefined => {
  let time: Micros | undefined;
  while (reader.next()) if (reader.field === 2 && reader.type === 2) time = toMicros(readTimestamp(reader.inner()));
  return time;
};

const retryOf = (reader: WireReader): Uint8Array | undefined => {
  let token: Uint8Array | undefined;
  while (reader.next()) if (reader.field === 1 && reader.type === 2) token = reader.slice();
  return token;
};

/** Like the service, refuses times that are more precise than microseconds. */
const toMicros = ({ seconds, nanos }: { readonly seconds: number | bigint; readonly nanos: number }): Micros => {
  if (nanos % 1000 !== 0) throw new RpcError('INVALID_ARGUMENT', "The requested 'read_time' must have microsecond precision.");
  return Number(seconds) * second + nanos / 1000;
};
