import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'vitest';
import { lastKey, pathKey } from '../../../../../../infra/local/engines/firestore/base/path-key.ts';
import type { StoredDatabase } from '../../../../../../infra/local/engines/firestore/storage/database.ts';
import { openReader } from '../../../../../../infra/local/engines/firestore/storage/read-view.ts';
import { second } from '../../../../../../infra/local/engines/firestore/value/timestamps.ts';
import { batchWrites, commitWrites, parseWrite } from '../../../../../../infra/local/engines/firestore/write/commit-writes.ts';
import {
  commit,
  fieldsOf,
  get,
  type Json,
  makeDatabase,
  message,
  present,
  remove,
  set,
} from '../../../../../harness/firestore/encoded.ts';

const n = (value: number): Json => ({ n: { integerValue: String(value) } });
const numberAt = (database: StoredDatabase, path: string) =>
  Number((fieldsOf(get(database, path)?.bytes).n as { integerValue: string } | undefined)?.integerValue);
const begin = (database: StoredDatabase) => database.transactions.begin({ kind: 'read-write' }).token;
const read = (database: StoredDatabase, transaction: Uint8Array, ...paths: string[]) => {
  const reader = openReader(database, { transaction });
  return paths.map((path) => fieldsOf(present(reader.get(pathKey(path)))?.bytes));
};
const commitIn = (database: StoredDatabase, transaction: Uint8Array, ...writes: Uint8Array[]) =>
  commitWrites(
    database,
    writes.map((bytes) => parseWrite(bytes, database)),
    { token: transaction },
  );
const contention = { code: 'ABORTED', message: 'Too much contention on these documents. Please try again.' };
const gone = { code: 'ABORTED', message: 'The referenced transaction has expired or is no longer valid.' };

test('transactions: of two that read and write the same document, exactly one commits', async (t) => {
  const database = makeDatabase(t);
  await commit(database, set('c/d', n(1)));
  const [a, b] = [begin(database), begin(database)];
  read(database, a, 'c/d');
  read(database, b, 'c/d');
  const outcomes = await Promise.allSettled([commitIn(database, a, set('c/d', n(10))), commitIn(database, b, set('c/d', n(20)))]);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected'],
  );
  await assert.rejects(Promise.reject((outcomes[1] as PromiseRejectedResult).reason), contention);
  assert.equal(numberAt(database, 'c/d'), 10);
});

test('transactions: no increment by reading and writing is lost', async (t) => {
  const database = makeDatabase(t, { lockWaitMs: 20 });
  await commit(database, set('c/d', n(0)));
  const increment = async (): Promise<void> => {
    for (;;) {
      const transaction = begin(database);
      try {
        const [fields] = read(database, transaction, 'c/d');
        await sleep(Math.random() * 3);
        const before = Number((fields!.n as { integerValue: string }).integerValue);
        await commitIn(database, transaction, set('c/d', n(before + 1)));
        return;
      } catch (error) {
        assert.equal((error as { code: string }).code, 'ABORTED');
        await sleep(Math.random() * 10);
      }
    }
  };
  await Promise.all(Array.from({ length: 20 }, increment));
  assert.equal(numberAt(database, 'c/d'), 20);
});

test('transactions: a write from outside waits for a transaction that has read the document', async (t) => {
  const database = makeDatabase(t);
  await commit(database, set('c/d', n(1)));
  const transaction = begin(database);
  read(database, transaction, 'c/d', 'c/missing');
  const order: string[] = [];
  const outside = commit(database, set('c/d', n(2))).then(() => order.push('outside'));
  const create = commit(database, set('c/missing', n(2))).then(() => order.push('create'));
  await commit(database, set('c/free', n(1)));
  await sleep(50);
  await commitIn(database, transaction, set('c/d', n(3)));
  order.unshift('transaction');
  await Promise.all([outside, create]);
  assert.equal(order[0], 'transaction');
  assert.equal(numberAt(database, 'c/d'), 2);
});

test('transactions: a rollback releases waiting writes at once', async (t) => {
  const database = makeDatabase(t, { lockWaitMs: 60_000 });
  const transaction = begin(database);
  read(database, transaction, 'c/d');
  const outside = commit(database, set('c/d', n(2)));
  await sleep(20);
  database.transactions.rollBack(transaction);
  await outside;
  database.transactions.rollBack(transaction);
  await assert.rejects((async () => commitIn(database, transaction, set('c/d', n(3))))(), gone);
  assert.throws(() => read(database, transaction, 'c/d'), gone);
});

test('transactions: a writer that waits too long fails, and the transaction commits', async (t) => {
  const database = makeDatabase(t, { lockWaitMs: 10 });
  await commit(database, set('c/d', n(1)));
  const [holder, other] = [begin(database), begin(database)];
  read(database, holder, 'c/d');
  await assert.rejects(commit(database, set('c/d', n(2))), contention);
  await assert.rejects(commitIn(database, other, set('c/d', n(3))), contention);
  await assert.rejects(commitIn(database, other, set('c/d', n(3))), gone);
  const outcomes = await batchWrites(database, [set('c/d', n(4)), set('c/free', n(4))]);
  assert.deepEqual(
    outcomes.map(({ code, message }) => [code, message]),
    [
      [10, contention.message],
      [0, ''],
    ],
  );
  assert.equal(numberAt(database, 'c/d'), 1);
  await commitIn(database, holder, set('c/d', n(5)));
  assert.equal(numberAt(database, 'c/d'), 5);
});

test('transactions: a writer that leaves while waiting writes nothing', async (t) => {
  const database = makeDatabase(t, { lockWaitMs: 60_000 });
  const holder = begin(database);
  read(database, holder, 'c/d');
  const caller = new AbortController();
  const writes = [parseWrite(set('c/d', n(2)), database)];
  const outside = commitWrites(database, writes, { signal: caller.signal });
  caller.abort();
  database.transactions.rollBack(holder);
  await assert.rejects(outside, { code: 'CANCELLED' });
  assert.equal(get(database, 'c/d'), undefined);
});

test('transactions: a write without effect does not conflict', async (t) => {
  const database = makeDatabase(t, { lockWaitMs: 10 });
  await commit(database, set('c/d', n(1)));
  const transaction = begin(database);
  read(database, transaction, 'c/d', 'c/none');
  await commit(database, set('c/d', n(1)), remove('c/none'));
  await commitIn(database, transaction, set('c/d', n(2)));
});

test('transactions: reads see the latest state, and writes need no prior read', async (t) => {
  const database = makeDatabase(t);
  const transaction = begin(database);
  assert.deepEqual(read(database, transaction, 'c/a'), [{}]);
  await commit(database, set('c/b', n(2)));
  assert.deepEqual(read(database, transaction, 'c/b'), [n(2)]);
  await commit(database, set('c/blind', n(1)));
  await commitIn(database, transaction, set('c/a', n(1)), set('c/blind', n(2)));
});

test('transactions: the range of a query is locked; only matching documents conflict', async (t) => {
  const database = makeDatabase(t, { lockWaitMs: 10 });
  const isFive = ({ bytes }: { bytes: Uint8Array }) => (fieldsOf(bytes).n as { integerValue: string }).integerValue === '5';
  for (const [value, conflicts] of [
    [4, false],
    [5, true],
  ] as const) {
    const transaction = begin(database);
    const reader = openReader(database, { transaction });
    reader.track('', lastKey, isFive);
    assert.equal([...reader.scan('', lastKey)].map(present).filter(isFive).length, 0);
    const outside = commit(database, set('c/d', n(value)));
    if (conflicts) await assert.rejects(outside, contention);
    else await outside;
    await commitIn(database, transaction, set('other/x', n(1)));
  }
});

test('transactions: a read-only one reads one snapshot, locks nothing and cannot write', async (t) => {
  const database = makeDatabase(t);
  await commit(database, set('c/d', n(1)));
  const { token } = database.transactions.begin({ kind: 'read-only' });
  await commit(database, set('c/d', n(2)));
  assert.deepEqual(read(database, token, 'c/d'), [n(1)]);
  await assert.rejects((async () => commitIn(database, token, set('c/d', n(3))))(), {
    code: 'INVALID_ARGUMENT',
    message: 'Cannot modify entities in a read-only transaction.',
  });
  await assert.rejects((async () => commitIn(database, token))(), { code: 'INVALID_ARGUMENT', message: gone.message });
  const other = database.transactions.begin({ kind: 'read-only' });
  assert.equal((await commitIn(database, other.token)).commitTime, other.at);
});

test('transactions: reads use a transaction, a new transaction or a read time', async (t) => {
  const database = makeDatabase(t);
  const { commitTime } = await commit(database, set('c/d', n(1)));
  await commit(database, set('c/d', n(2)));
  const readTime = { seconds: BigInt(Math.floor(commitTime / second)), nanos: (commitTime % second) * 1000 };
  assert.throws(() => openReader(database, { readTime: { ...readTime, nanos: readTime.nanos + 999 } }), {
    code: 'INVALID_ARGUMENT',
  });
  const past = openReader(database, { readTime });
  assert.deepEqual(
    [fieldsOf(present(past.get(pathKey('c/d')))?.bytes), past.at, past.transaction],
    [n(1), commitTime, undefined],
  );
  const options = (json: Json) => message('TransactionOptions', json);
  const atTime = openReader(database, {
    newTransaction: options({
      readOnly: { readTime: { seconds: String(readTime.seconds), nanos: readTime.nanos } },
    }),
  });
  assert.deepEqual(read(database, atTime.transaction!, 'c/d'), [n(1)]);
  const readWrite = openReader(database, { newTransaction: options({ readWrite: {} }) });
  readWrite.get(pathKey('c/d'));
  await commitIn(database, readWrite.transaction!, set('c/d', n(3)));
  // Without a mode a read begins a read-only transaction.
  const plain = openReader(database, { newTransaction: options({}) });
  await assert.rejects((async () => commitIn(database, plain.transaction!, set('c/d', n(4))))(), { code: 'INVALID_ARGUMENT' });
});

test('transactions: one ends after its commit, after a failed commit, and after its timeout', async (t) => {
  const clock = Object.assign(() => clock.now, { now: Date.UTC(2026, 0, 1) * 1000 });
  const database = makeDatabase(t, { clock, lockWaitMs: 10 });
  const done = begin(database);
  await commitIn(database, done, set('c/d', n(1)));
  await assert.rejects((async () => commitIn(database, done))(), gone);
  assert.throws(() => database.transactions.rollBack(done), gone);
  const failed = begin(database);
  await assert.rejects((async () => commitIn(database, failed, set('c/d', {}, { currentDocument: { exists: false } })))(), {
    code: 'ALREADY_EXISTS',
  });
  assert.throws(() => read(database, failed, 'c/d'), gone);
  const idle = begin(database);
  read(database, idle, 'c/d');
  clock.now += 59 * second;
  read(database, idle, 'c/d');
  clock.now += 61 * second;
  // Its locks are released.
  await commit(database, set('c/d', n(5)));
  await assert.rejects((async () => commitIn(database, idle))(), gone);
  database.transactions.rollBack(idle);
  const old = begin(database);
  for (let i = 0; i < 5; i++) {
    clock.now += 50 * second;
    read(database, old, 'c/d');
  }
  clock.now += 50 * second;
  assert.throws(() => read(database, old, 'c/d'), gone);
});

test('transactions: unknown tokens are invalid; tokens of an earlier run are expired', (t) => {
  const database = makeDatabase(t);
  for (const token of [Buffer.from('AAAA', 'base64'), Buffer.alloc(14), Buffer.from('nonsense')]) {
    const invalid = { code: 'INVALID_ARGUMENT', message: 'Invalid transaction.' };
    assert.throws(() => database.transactions.use(token), invalid);
    assert.throws(() => database.transactions.rollBack(token), invalid);
    assert.throws(() => database.transactions.begin({ kind: 'read-write', retry: token }), invalid);
  }
  const elsewhere = begin(makeDatabase(t));
  assert.throws(() => database.transactions.use(elsewhere), gone);
});

test('transactions: one may be retried whatever its end, unless it was read-only', async (t) => {
  const database = makeDatabase(t, { lockWaitMs: 60_000 });
  const first = begin(database);
  read(database, first, 'c/d');
  const { token } = database.transactions.begin({ kind: 'read-write', retry: first });
  // The first attempt has ended and holds no locks.
  await commit(database, set('c/d', n(1)));
  await commitIn(database, token, set('c/d', n(2)));
  database.transactions.begin({ kind: 'read-write', retry: token });
  const readOnly = database.transactions.begin({ kind: 'read-only' }).token;
  assert.throws(() => database.transactions.begin({ kind: 'read-write', retry: readOnly }), {
    code: 'INVALID_ARGUMENT',
    message: 'Cannot retry a read-only transaction',
  });
});
