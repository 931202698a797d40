import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { markMoving } from '../../../shared/job/index.ts';
import { answerInProcess } from '../../harness/aws/in-process.ts';
import { InMemoryTable } from '../../harness/table/in-memory-table.ts';

const table = new InMemoryTable();
answerInProcess(table.script);
process.env.TABLE_NAME = 'table';

const key = { pk: 'ORG#org_1', sk: 'BACKUP#bkp_1' };
const startedAt = '2026-03-01T12:00:00.000Z';
const at = (seconds: number): Date => new Date(Date.parse(startedAt) + seconds * 1_000);

test('moving job: its workers mark the record once a minute', async () => {
  table.put({ ...key, status: 'running', startedAt });
  let writes = 0;
  table.onWrite = (when) => {
    if (when === 'before') writes += 1;
    return undefined;
  };
  const marks: unknown[] = [];
  for (let seconds = 2; seconds <= 200; seconds += 2) {
    await markMoving(key, table.get<{ startedAt: string; seenAt?: string }>(key)!, at(seconds));
    marks.push(table.get<{ seenAt?: string }>(key)?.seenAt);
  }
  deepEqual([...new Set(marks)], [undefined, '2026-03-01T12:01:00.000Z', '2026-03-01T12:02:00.000Z', '2026-03-01T12:03:00.000Z']);
  equal(writes, 3);
});

test('moving job: one that has ended is not marked', async () => {
  table.put({ ...key, status: 'failed', startedAt });
  await markMoving(key, { startedAt }, at(100));
  equal(table.get<{ seenAt?: string }>(key)?.seenAt, undefined);
});
