/** Writes that are acknowledged after the end of a restore are counted once. */
import { deepEqual, rejects } from 'node:assert/strict';
import { beforeAll, beforeEach, test } from 'vitest';
import { restoreData } from '../../../../shared/restore/model/restore-view.ts';
import { recordWritesAfterEnd } from '../../../../shared/restore/write/record-writes-after-end.ts';
import type { WriteClaim, WriteRun } from '../../../../shared/restore/write/write-progress.ts';
import { createRestoreEnv, firstRestoreStep } from '../../../harness/env/restore-env.ts';

const t = await createRestoreEnv();

let id: string;
const record = (run: number, attempt = 1): Promise<void> =>
  recordWritesAfterEnd(
    { context: { tenant: t.tenant }, restore: { id, attempt } } as unknown as WriteRun,
    { shard: { number: 0 }, run } as unknown as WriteClaim,
    { written: 3, deleted: 2 },
  );
const counted = (): readonly number[] => {
  const { documentsRestored, documentsDeleted, cost } = restoreData(t.restoreOf(id));
  return [documentsRestored, documentsDeleted, cost.writes, cost.deletes];
};
const setState = (more: object): void => t.table.put({ ...t.restoreOf(id), ...more });

beforeAll(async () => {
  t.reset();
  await t.put({ 'a/1': {} });
  id = await t.startRestore(await t.takeBackup());
  await t.resumeRestore(id, firstRestoreStep(), { upTo: 'seal' });
});
beforeEach(() => {
  for (const shard of t.shardsOf(id)) t.table.put({ ...shard, runs: 2 });
  const { lateWritten: _, lateDeleted: __, failure: ___, ...restore } = t.restoreOf(id);
  t.table.put({ ...restore, status: 'running' });
});

for (const [what, state] of [
  ['cancelled', { status: 'cancelled' }],
  ['failed', { status: 'failed' }],
  ['about to fail', { failure: { code: 'INTERNAL_ERROR', message: 'x' } }],
] as const)
  test(`writes after the end: counted for a restore that is ${what}`, async () => {
    const [restored = 0, deleted = 0, writes = 0, deletes = 0] = counted();
    setState(state);
    await record(2);
    deepEqual(counted(), [restored + 3, deleted + 2, writes + 3, deletes + 2]);
  });

for (const [what, state, run, attempt] of [
  ['for a run whose shard another run has claimed', { status: 'cancelled' }, 1, 1],
  ['for a running restore', { status: 'running' }, 2, 1],
  ['for a completed restore', { status: 'completed' }, 2, 1],
  ['for an earlier attempt', { status: 'cancelled', attempt: 2 }, 2, 1],
] as const)
  test(`writes after the end: nothing is counted ${what}`, async () => {
    setState(state);
    const known = counted();
    await rejects(record(run, attempt));
    setState({ attempt: 1 });
    deepEqual(counted(), known);
  });
