import { deepEqual, equal, rejects } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { changeOne, putNew, set } from '../../../shared/platform/index.ts';
import { answerInProcess } from '../../support/in-process.ts';
import { Fault } from '../../support/scripted-aws.ts';
import { StrictTable } from '../../support/strict-table.ts';

const table = new StrictTable();
answerInProcess(table.script);
const key = { pk: 'A', sk: 'B' };

beforeEach(() => {
  table.items.clear();
  table.onWrite = () => undefined;
});

test('of several that put the same item one does, and what it put stays', async () => {
  const won = await Promise.all([1, 2, 3].map((n) => putNew({ ...key, n })));
  equal(won.filter(Boolean).length, 1);
  deepEqual(table.get(key), { ...key, n: won.indexOf(true) + 1 });
});

test('an item is changed only while it is as it was', async () => {
  table.put({ ...key, status: 'open', n: 1, extra: 'x' });
  const close = set(key, { status: 'closed', n: 2, note: null, extra: undefined }, { where: { status: 'open', n: 1 } });
  equal(await changeOne(close), true);
  const after = { ...key, status: 'closed', n: 2, note: null };
  deepEqual(table.get(key), after);
  equal(await changeOne(close), false);
  deepEqual(table.get(key), after);
});

test('an item that is not there is not made by a change of it', async () => {
  equal(await changeOne(set(key, { n: 1 })), false);
  equal(table.items.size, 0);
});

test('every other failure is told, not taken for a condition', async () => {
  table.onWrite = (when) => (when === 'before' ? new Fault('AccessDeniedException') : undefined);
  await rejects(putNew(key));
  await rejects(changeOne(set(key, { n: 1 })));
});

test('a write whose answer was lost is told as such, not as one that another made first', async () => {
  for (const write of [
    () => putNew({ ...key, status: 'open' }),
    () => changeOne(set(key, { status: 'closed' }, { where: { status: 'open' } })),
  ]) {
    let answers = 0;
    table.onWrite = (when) => (when === 'after' && ++answers === 1 ? new Fault('InternalServerError', 500) : undefined);
    await rejects(write(), { name: 'InternalServerError' });
  }
  deepEqual(table.get(key), { ...key, status: 'closed' });
});

test('a write that meets a transaction is made again', async () => {
  let meetings = 0;
  table.onWrite = (when) => (when === 'before' && ++meetings < 3 ? new Fault('TransactionConflictException') : undefined);
  equal(await putNew(key), true);
});
