import { deepEqual, equal } from 'node:assert/strict';
import { beforeEach, test, vi } from 'vitest';
import { getCoalesced } from '../../../../shared/platform/index.ts';
import { answerOnWire } from '../../../harness/aws/in-process.ts';
import { Fault } from '../../../harness/aws/scripted-aws.ts';
import { InMemoryTable } from '../../../harness/table/in-memory-table.ts';

const table = new InMemoryTable();
answerOnWire(table.script);
const key = (n: number) => ({ pk: 'A', sk: `${n}` });
let reads = 0;
let isAway = false;
table.onRead = () => {
  reads += 1;
  return isAway ? new Fault('AccessDeniedException') : undefined;
};
for (const n of [1, 2, 3]) table.put({ ...key(n), n });
beforeEach(() => {
  reads = 0;
  isAway = false;
});

const numbers = async (...of: readonly number[]) => (await getCoalesced(of.map(key))).map((item) => item?.n);

test('getCoalesced: concurrent reads are one request, and each caller gets its items in order', async () => {
  deepEqual(await Promise.all([numbers(1, 2), numbers(3, 9, 1), numbers(), numbers(2)]), [[1, 2], [3, undefined, 1], [], [2]]);
  equal(reads, 1);
});

test('getCoalesced: a later caller reads the current state', async () => {
  deepEqual(await numbers(4), [undefined]);
  table.put({ ...key(4), n: 4 });
  deepEqual(await numbers(4), [4]);
  equal(reads, 2);
});

test('getCoalesced: unprocessed keys of one caller do not fail the others', async (t) => {
  // No delay between the attempts.
  const spy = vi.spyOn(Math, 'random').mockImplementation(() => 0);
  t.onTestFinished(() => spy.mockRestore());
  const { BatchGetItem: whole } = table.script;
  type Keys = readonly { readonly sk: { readonly S: string } }[];
  // As a partition responds whose read units are used up.
  table.script.BatchGetItem = (input) => {
    const { Keys: keys } = (input.RequestItems as { Table: { Keys: Keys } }).Table;
    const [busy, others] = [keys.filter(({ sk }) => sk.S === '2'), keys.filter(({ sk }) => sk.S !== '2')];
    const answer = others.length > 0 ? (whole!({ RequestItems: { Table: { Keys: others } } }) as object) : {};
    return { ...answer, UnprocessedKeys: busy.length > 0 ? { Table: { Keys: busy } } : {} };
  };
  const [one, two, three] = await Promise.allSettled([numbers(1, 9), numbers(1, 2), numbers(3)]);
  table.script.BatchGetItem = whole!;
  deepEqual(
    [one, three],
    [
      { status: 'fulfilled', value: [1, undefined] },
      { status: 'fulfilled', value: [3] },
    ],
  );
  equal(two?.status === 'rejected' && two.reason.code, 'SERVICE_UNAVAILABLE');
});

test('getCoalesced: an unavailable table fails for each caller, and not for later ones', async () => {
  isAway = true;
  const asked = await Promise.allSettled([numbers(1), numbers(2)]);
  deepEqual(
    asked.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  isAway = false;
  deepEqual(await numbers(1), [1]);
});
