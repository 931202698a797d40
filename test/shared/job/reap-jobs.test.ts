import { deepEqual } from 'node:assert/strict';
import { test } from 'vitest';
import { StorageError } from '../../../shared/destination/index.ts';
import { reapJobs } from '../../../shared/job/index.ts';
import { log } from '../../../shared/platform/index.ts';
import type { RunningRecord } from '../../../shared/stored-backup/model/record.ts';

log.setLogLevel('SILENT');

const note = (organizationId: string, n: number): RunningRecord => ({
  ...{ pk: 'RUNNING#BACKUP', sk: `${organizationId}#${n}`, organizationId },
  ...{ backupId: `${organizationId}-${n}`, since: '2026-01-01T00:00:00.000Z' },
});

async function* notes(...list: readonly RunningRecord[]): AsyncGenerator<RunningRecord> {
  yield* list;
}

const limits = { longestMs: 100, hangingMs: 5 };
const many = (organizationId: string, length: number) => Array.from({ length }, (_, n) => note(organizationId, n));

test('reapJobs: an organization whose bucket hangs does not delay the others', async () => {
  const reaped: string[] = [];
  const reap = async ({ organizationId, backupId }: RunningRecord): Promise<void> => {
    if (organizationId === 'hangs') await new Promise(() => {});
    reaped.push(backupId);
  };
  const outcome = await reapJobs(notes(...many('hangs', 40), ...many('works', 3)), reap, limits);
  deepEqual(reaped, ['works-0', 'works-1', 'works-2']);
  deepEqual(outcome, { looked: 43, late: 40, failed: 0 });
});

test('reapJobs: an unavailable bucket is left to the next run; other errors are counted as failures', async () => {
  const reap = async ({ organizationId }: RunningRecord): Promise<void> => {
    if (organizationId === 'away') throw new StorageError('unavailable', 'The store did not answer.');
    if (organizationId === 'broken') throw new Error('no such table');
  };
  const outcome = await reapJobs(notes(note('away', 0), note('broken', 0), note('works', 0)), reap, limits);
  deepEqual(outcome, { looked: 3, late: 1, failed: 1 });
});

test('reapJobs: without jobs nothing is done', async () =>
  deepEqual(await reapJobs(notes(), () => Promise.reject(new Error('none')), limits), { looked: 0, late: 0, failed: 0 }));
