import { type Micros, type PathKey, RpcError, type StatusName, status } from '../base/types.ts';
import type { StoredDatabase } from '../storage/database.ts';
import { contention, type Transaction } from '../storage/transactions.ts';
import { parseWrite, type Write } from './parse-write.ts';
import { StagedWrites, type WriteResult } from './staged-writes.ts';

export { parseWrite, type Write, type WriteResult };

interface CommitResult {
  readonly commitTime: Micros;
  readonly results: readonly WriteResult[];
}

/** The result of one write of a batch. */
interface BatchResult {
  readonly code: (typeof status)[StatusName];
  readonly message: string;
  readonly result: WriteResult | undefined;
}

/** Applies writes atomically and in order, and ends their transaction. A caller that leaves while waiting writes nothing. */
export const commitWrites = async (
  database: StoredDatabase,
  writes: readonly Write[],
  { token, signal }: { readonly token?: Uint8Array | undefined; readonly signal?: AbortSignal | undefined } = {},
): Promise<CommitResult> => {
  checkVerifies(writes);
  const { transactions } = database;
  const owner = token?.length ? transactions.use(token) : undefined;
  if (owner?.readOnly) return endReadOnly(database, owner, writes);
  try {
    if (database.base) await database.copyUp(writes.map(({ key }) => key));
    const deadline = transactions.deadline();
    for (;;) {
      const stage = new StagedWrites(database);
      const results = writes.map((write) => stage.add(write));
      const holders = transactions.holding ? transactions.holders(stage.proposals, owner) : [];
      if (holders.length > 0) {
        await transactions.waitFor(holders, owner, { deadline, signal });
        continue;
      }
      // From here on its own locks no longer conflict with its changes.
      if (owner) transactions.end(owner, 'committed');
      const { changes, time } = stage;
      if (changes.length > 0) database.apply(changes);
      return { commitTime: time, results };
    }
  } catch (error) {
    if (owner) transactions.end(owner);
    throw error;
  }
};

/** Applies each write independently; a document may occur once. A malformed write fails the whole batch. */
export const batchWrites = async (
  database: StoredDatabase,
  encoded: readonly Uint8Array[],
  signal?: AbortSignal,
): Promise<readonly BatchResult[]> => {
  const writes = encoded.map((bytes) => parseWrite(bytes, database));
  if (new Set(writes.map(({ key }) => key)).size < writes.length)
    throw new RpcError('INVALID_ARGUMENT', 'the same document cannot be written more than once in a single request');
  if (database.base) await database.copyUp(writes.map(({ key }) => key));
  const { transactions } = database;
  const deadline = transactions.deadline();
  // Writes that timed out waiting for a transaction.
  const refused = new Set<PathKey>();
  for (;;) {
    const stage = new StagedWrites(database);
    const outcomes = writes.map((write) => {
      stage.time = database.nextTime();
      return attempt(() => {
        if (refused.has(write.key)) throw contention();
        return stage.add(write);
      });
    });
    const proposals = transactions.holding ? stage.proposals : [];
    const held = proposals.filter((change) => transactions.holders([change], undefined).length > 0);
    if (held.length === 0) {
      const { changes } = stage;
      if (changes.length > 0) database.apply(changes);
      return outcomes;
    }
    if (Date.now() >= deadline) for (const { key } of held) refused.add(key);
    else await transactions.waitFor(transactions.holders(held, undefined), undefined, { deadline, signal });
  }
};

const attempt = (add: () => WriteResult): BatchResult => {
  try {
    return { code: status.OK, message: '', result: add() };
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    return { code: status[error.code], message: error.message, result: undefined };
  }
};

const endReadOnly = (database: StoredDatabase, owner: Transaction, writes: readonly Write[]): CommitResult => {
  database.transactions.end(owner);
  if (writes.length > 0) throw new RpcError('INVALID_ARGUMENT', 'Cannot modify entities in a read-only transaction.');
  return { commitTime: owner.at ?? database.readTime(), results: [] };
};

/** A document is verified at most once, and not in addition to being written. */
const checkVerifies = (writes: readonly Write[]): void => {
  if (!writes.some(({ operation }) => operation === 'verify')) return;
  const seen = new Map<string, boolean>();
  for (const { key, operation } of writes) {
    const verify = operation === 'verify';
    const before = seen.get(key);
    if (before !== undefined && (before || verify)) {
      const words = !verify ? 'verified and then written' : before ? 'verified more than once' : 'written and then verified';
      throw new RpcError('INVALID_ARGUMENT', `the same document cannot be ${words} in a single request`);
    }
    seen.set(key, verify);
  }
};
