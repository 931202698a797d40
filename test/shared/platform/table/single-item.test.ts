import { deepEqual, equal, rejects } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { isTransientAwsError, putIfAbsent, set, setIfAbsent, takeItem, updateItem } from '../../../../shared/platform/index.ts';
import { answerOnWire } from '../../../harness/aws/in-process.ts';
import { Fault } from '../../../harness/aws/scripted-aws.ts';
import { InMemoryTable } from '../../../harness/table/in-memory-table.ts';

const table = new InMemoryTable();
answerOnWire(table.script);
const key = { pk: 'A', sk: 'B' };

beforeEach(() => {
  table.items.clear();
  table.onWrite = () => undefined;
});

test('putIfAbsent: of several concurrent puts one wins, and its item stays', async () => {
  const won = await Promise.all([1, 2, 3].map((n) => putIfAbsent({ ...key, n })));
  equal(won.filter(Boolean).length, 1);
  deepEqual(table.get(key), { ...key, n: won.indexOf(true) + 1 });
});

test('updateItem: an item is changed only if it is as expected', async () => {
  table.put({ ...key, status: 'open', n: 1, extra: 'x' });
  const close = set(key, { status: 'closed', n: 2, note: null, extra: undefined }, { expected: { status: 'open', n: 1 } });
  equal(await updateItem(close), true);
  const after = { ...key, status: 'closed', n: 2, note: null };
  deepEqual(table.get(key), after);
  equal(await updateItem(close), false);
  deepEqual(table.get(key), after);
});

test('updateItem: a missing item is not created', async () => {
  equal(await updateItem(set(key, { n: 1 })), false);
  equal(table.items.size, 0);
});

test('putIfAbsent, updateItem: an error other than a failed condition is thrown', async () => {
  table.onWrite = (when) => (when === 'before' ? new Fault('AccessDeniedException') : undefined);
  await rejects(putIfAbsent(key));
  await rejects(updateItem(set(key, { n: 1 })));
});

test('updateItem, putIfAbsent: a condition that fails after a lost response is an unknown outcome', async () => {
  for (const write of [
    () => putIfAbsent({ ...key, status: 'open' }),
    () => updateItem(set(key, { status: 'closed' }, { expected: { status: 'open' } })),
  ]) {
    let answers = 0;
    table.onWrite = (when) => (when === 'after' && ++answers === 1 ? new Fault('InternalServerError', 500) : undefined);
    await rejects(write(), { name: 'OutcomeUnknownError' });
  }
  deepEqual(table.get(key), { ...key, status: 'closed' });
});

test('putIfAbsent: a write that clashes with a transaction is retried', async () => {
  let meetings = 0;
  table.onWrite = (when) => (when === 'before' && ++meetings < 3 ? new Fault('TransactionConflictException') : undefined);
  equal(await putIfAbsent(key), true);
});

for (const [what, lost] of [
  ['a reset connection', Object.assign(new Error('reset'), { code: 'ECONNRESET' })],
  ['a timeout', Object.assign(new Error('late'), { name: 'TimeoutError' })],
] as const)
  test(`updateItem, putIfAbsent: after ${what} a failed condition is an unknown outcome, which is transient`, async () => {
    let answers = 0;
    table.onWrite = (when) => {
      if (when === 'after' && ++answers === 1) throw lost;
      return undefined;
    };
    await rejects(
      putIfAbsent(key),
      (error: Error) => error.name === 'OutcomeUnknownError' && error.cause === lost && isTransientAwsError(error),
    );
    equal(table.items.size, 1);
  });

test('updateItem, putIfAbsent: a condition that fails after throttling is a conflict, because nothing was written', async () => {
  table.put({ ...key });
  let tries = 0;
  table.onWrite = (when) => (when === 'before' && ++tries === 1 ? new Fault('ThrottlingException') : undefined);
  equal(await putIfAbsent(key), false);
  equal(tries, 2);
});

test('updateItem, putIfAbsent: a write that is applied on a retry succeeds', async () => {
  let tries = 0;
  table.onWrite = (when) => (when === 'before' && ++tries === 1 ? new Fault('InternalServerError', 500) : undefined);
  equal(await putIfAbsent(key), true);
});

test('setIfAbsent: an update that clashes with a transaction is retried', async () => {
  let meetings = 0;
  table.onWrite = (when) => (when === 'before' && ++meetings < 3 ? new Fault('TransactionConflictException') : undefined);
  equal(await setIfAbsent(key, 'owner', 'a'), 'a');
  equal(meetings, 3);
});

test('takeItem: of several concurrent callers one gets the item, and a missing item is not created', async () => {
  equal(await takeItem(key), undefined);
  equal(table.items.size, 0);
  table.put({ ...key, n: 1 });
  const taken = await Promise.all([takeItem(key), takeItem(key), takeItem(key)]);
  deepEqual(
    taken.filter((item) => item).map((item) => item?.n),
    [1],
  );
  equal(await takeItem(key), undefined);
});

test('takeItem: a caller whose response is lost still gets the item', async () => {
  table.put({ ...key, n: 1 });
  let answers = 0;
  table.onWrite = (when) => (when === 'after' && ++answers === 1 ? new Fault('InternalServerError', 500) : undefined);
  equal((await takeItem(key))?.n, 1);
  answers = 0;
  equal(await takeItem(key), undefined);
});
