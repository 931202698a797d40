/** What a target acknowledged after its restore was stopped is counted once, and by nobody else. */
import { deepEqual, rejects } from 'node:assert/strict';
import { afterAll, beforeAll, beforeEach, test } from 'vitest';
import { restoreData } from '../../../../shared/restore/model/restore-view.ts';
import type { WriteClaim, WriteRun } from '../../../../shared/restore/write/write-progress.ts';
import { recordWritesAfterEnd } from '../../../../shared/restore/write/writes-after-end.ts';
import {
  atStart,
  createRestoreEnv,
  put,
  restoreOf,
  resumeWorkflow,
  server,
  shardsOf,
  startTestRestore,
  table,
  takeBackup,
  tenant,
} from '../../../harness/env/restore-env.ts';

let id: string;
const late = (run: number, attempt = 1): Promise<void> =>
  recordWritesAfterEnd(
    { parties: { tenant }, restore: { id, attempt } } as unknown as WriteRun,
    { shard: { number: 0 }, run } as unknown as WriteClaim,
    { written: 3, deleted: 2 },
  );
const counted = (): readonly number[] => {
  const { documentsRestored, documentsDeleted, cost } = restoreData(restoreOf(id));
  return [documentsRestored, documentsDeleted, cost.writes, cost.deletes];
};
const stand = (more: object): void => table.put({ ...restoreOf(id), ...more });

beforeAll(async () => {
  const world = createRestoreEnv();
  await put(world, { 'a/1': {} });
  id = await startTestRestore(world, await takeBackup(world));
  await resumeWorkflow(world, id, atStart(), { upTo: 'seal' });
});
beforeEach(() => {
  for (const shard of shardsOf(id)) table.put({ ...shard, runs: 2 });
  const { lateWritten: _, lateDeleted: __, failure: ___, ...restore } = restoreOf(id);
  table.put({ ...restore, status: 'running' });
});
afterAll(() => server.stop());

for (const [what, standing] of [
  ['cancelled', { status: 'cancelled' }],
  ['failed', { status: 'failed' }],
  ['about to fail', { failure: { code: 'INTERNAL_ERROR', message: 'x' } }],
] as const)
  test(`of one that is ${what}`, async () => {
    const [restored = 0, deleted = 0, writes = 0, deletes = 0] = counted();
    stand(standing);
    await late(2);
    deepEqual(counted(), [restored + 3, deleted + 2, writes + 3, deletes + 2]);
  });

for (const [what, standing, run, attempt] of [
  ['of a run whose shard another has', { status: 'cancelled' }, 1, 1],
  ['of one that goes on', { status: 'running' }, 2, 1],
  ['of one that is completed', { status: 'completed' }, 2, 1],
  ['of an earlier attempt', { status: 'cancelled', attempt: 2 }, 2, 1],
] as const)
  test(`nothing ${what}`, async () => {
    stand(standing);
    const known = counted();
    await rejects(late(run, attempt));
    stand({ attempt: 1 });
    deepEqual(counted(), known);
  });
