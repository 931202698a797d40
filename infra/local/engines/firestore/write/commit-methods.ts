import { parseDatabaseName } from '../base/document-name.ts';
import type { Methods, Unary } from '../base/types.ts';
import { decodeRequest, proto, timestampOf } from '../proto/codecs.ts';
import { WireReader } from '../proto/wire-reader.ts';
import type { Databases } from '../storage/databases.ts';
import { readMode } from '../storage/read-view.ts';
import { batchWrites, commitWrites, parseWrite, type WriteResult } from './commit-writes.ts';

/** The methods Commit, BatchWrite, BeginTransaction and Rollback. */
export const commitMethods = (databases: Databases): Methods => ({
  Commit: unary(async (bytes, { signal }) => {
    const request = decodeRequest(proto.CommitRequest, bytes);
    const database = databases.open(parseDatabaseName(request.database));
    const writes = request.writes.map((write) => parseWrite(write, database));
    const { commitTime, results } = await commitWrites(database, writes, { token: request.transaction, signal });
    // An empty commit outside a transaction has no time.
    if (writes.length === 0 && request.transaction.length === 0) return new Uint8Array();
    return proto.CommitResponse.encode({ writeResults: results.map(sendableResult), commitTime: timestampOf(commitTime) });
  }),

  BatchWrite: unary(async (bytes, { signal }) => {
    const request = decodeRequest(proto.BatchWriteRequest, bytes);
    const database = databases.open(parseDatabaseName(request.database));
    const outcomes = await batchWrites(database, request.writes, signal);
    return proto.BatchWriteResponse.encode({
      writeResults: outcomes.map(({ result }) => (result ? sendableResult(result) : {})),
      status: outcomes.map(({ code, message }) => ({ code, message })),
    });
  }),

  BeginTransaction: unary(async (bytes) => {
    const request = decodeRequest(proto.BeginTransactionRequest, bytes);
    const database = databases.open(parseDatabaseName(request.database));
    const { token } = database.transactions.begin(readMode(optionsOf(bytes), 'read-write'));
    return proto.BeginTransactionResponse.encode({ transaction: token });
  }),

  Rollback: unary(async (bytes) => {
    const request = decodeRequest(proto.RollbackRequest, bytes);
    databases.open(parseDatabaseName(request.database)).transactions.rollBack(request.transaction);
    return new Uint8Array();
  }),
});

/** A result as a message. */
const sendableResult = ({ updateTime, transformResults }: WriteResult) => ({
  updateTime: updateTime === undefined ? undefined : timestampOf(updateTime),
  transformResults,
});

const unary = (run: Unary) => ({ kind: 'unary', run }) as const;

/** The encoded options of a BeginTransactionRequest. */
const optionsOf = (request: Uint8Array): Uint8Array => {
  const reader = new WireReader(request);
  let options = new Uint8Array();
  while (reader.next()) if (reader.field === 2 && reader.type === 2) options = new Uint8Array(reader.slice());
  return options;
};
