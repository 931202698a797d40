/** Restores move with the project they restored into, after a crash at any write, too. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { afterAll, describe, test } from 'vitest';
import { workPartition } from '../../../shared/job/index.ts';
import { finishOrRevertMove, moveProject } from '../../../shared/move/index.ts';
import { commit, iso, newId, unsafeTenant } from '../../../shared/platform/index.ts';
import type { MoveRecord } from '../../../shared/project/index.ts';
import { moveRestore, type RestoreRecord, restoreKey, resumableUntil } from '../../../shared/restore/index.ts';
import { type BackupRecord, backupKey } from '../../../shared/stored-backup/index.ts';
import { Fault } from '../../harness/aws/scripted-aws.ts';
import { createMoveEnv, from, moveCaller, projectId, start, stopEnv, to } from '../../harness/env/move-env.ts';
import type { InMemoryTable } from '../../harness/table/in-memory-table.ts';

afterAll(stopEnv);
const time = { now: () => start };
const move = () => moveProject(moveCaller(), { projectId, organizationId: to.organizationId, time });

const putRestore = async (table: InMemoryTable, more: object = {}): Promise<string> => {
  const id = newId('restore', start);
  const record = { id, targetProjectId: projectId, projectId, status: 'failed', attempt: 1, dryRun: false, undoneBy: null };
  await commit([{ put: { ...restoreKey.restore(from, id), ...record, completedAt: iso(start), ...more } }]);
  for (const sk of ['SCOPE', 'SHARD#00000000']) table.put({ pk: workPartition(from, id), sk });
  return id;
};
const putNote = (table: InMemoryTable, id: string, more: object): void =>
  table.put({ ...restoreKey.running(from, id), organizationId: from.organizationId, restoreJobId: id, attempt: 1, ...more });

const newHistory = async () => {
  const table = await createMoveEnv(2);
  const [resumable, completed, elsewhere] = [
    await putRestore(table),
    await putRestore(table, { status: 'completed' }),
    await putRestore(table, { targetProjectId: newId('project') }),
  ];
  putNote(table, resumable, { dueAt: '2026-01-09T00:00:00.000Z' });
  return { table, resumable, completed, elsewhere };
};
const idsIn = (table: InMemoryTable, { organizationId }: { organizationId: string }) =>
  table
    .find(`ORG#${organizationId}`, 'RESTORE#')
    .map(({ id }) => String(id))
    .sort();

test('moveProject: restores into the project move along; restores into other projects stay', async () => {
  const { table, resumable, completed, elsewhere } = await newHistory();
  await move();
  deepEqual([idsIn(table, from), idsIn(table, to)], [[elsewhere], [resumable, completed].sort()]);
  const carried = table.get<RestoreRecord>(restoreKey.restore(to, resumable))!;
  deepEqual([carried.isCarried, resumableUntil(carried)], [true, undefined]);
  deepEqual(
    table.find('WORK#').map(({ pk }) => pk),
    Array(2).fill(workPartition(from, elsewhere)),
  );
  deepEqual(
    table.find('RUNNING#RESTORE').map(({ sk, organizationId, dueAt }) => [sk, organizationId, dueAt]),
    [[`${to.organizationId}#${resumable}`, to.organizationId, iso(start)]],
  );
});

test('moveRestore: a restore can still be undone after the move, unless its safety backup was deleted first', async () => {
  const { table } = await newHistory();
  const [safety, deleted] = table.find(`ORG#${from.organizationId}`, 'BACKUP#') as unknown as BackupRecord[];
  const undoUntil = '2026-01-09T00:00:00.000Z';
  const putOf = ({ id }: BackupRecord) => putRestore(table, { status: 'completed', undoUntil, safetyBackupId: id });
  const [kept, late] = [await putOf(safety!), await putOf(deleted!)];
  const there = backupKey.backup(to, deleted!.id);
  table.onWrite = (when) => {
    const arrived = table.get<BackupRecord>(there);
    if (when === 'after' && arrived?.status === 'completed' && arrived.arriving === undefined)
      table.put({ ...arrived, status: 'deleted' });
    return undefined;
  };
  await move();
  const untilOf = (id: string) => table.get<RestoreRecord>(restoreKey.restore(to, id))?.undoUntil;
  deepEqual([untilOf(kept), untilOf(late)], [undoUntil, null]);
});

test('moveRestore: a concurrent deletion of the safety backup is a conflict, and the repetition ends the undo window', async () => {
  const { table } = await newHistory();
  const [safety] = table.find(`ORG#${from.organizationId}`, 'BACKUP#') as unknown as BackupRecord[];
  const id = await putRestore(table, { status: 'completed', undoUntil: '2026-01-09T00:00:00.000Z', safetyBackupId: safety!.id });
  const restore = table.get<RestoreRecord>(restoreKey.restore(from, id))!;
  const arrived = { ...safety!, ...backupKey.backup(to, safety!.id) };
  table.put(arrived);
  table.onWrite = (when) => {
    if (when === 'before' && table.find(workPartition(from, id)).length === 0) table.put({ ...arrived, status: 'deleted' });
    return undefined;
  };
  await rejects(moveRestore(from, { to, restore, now: start }), { code: 'CONFLICT' });
  await moveRestore(from, { to, restore, now: start });
  equal(table.get<RestoreRecord>(restoreKey.restore(to, id))?.undoUntil, null);
});

for (const [what, more] of [
  ['is running or being cleaned up', {}],
  ['was resumed', { restartedAt: iso(start) }],
] as const)
  test(`moveProject: a project is not moved while a restore into it ${what}`, async () => {
    const { table, completed } = await newHistory();
    putNote(table, completed, more);
    const before = new Map(table.items);
    await rejects(move(), { code: 'JOB_IN_PROGRESS', details: { jobId: completed, kind: 'restore' } });
    deepEqual(table.items, before);
  });

describe('moveProject: a crash', () => {
  const countWrites = async (): Promise<number> => {
    const { table } = await newHistory();
    let writes = 0;
    table.onWrite = (when) => {
      if (when === 'before') writes += 1;
      return undefined;
    };
    await move();
    return writes;
  };
  for (const dies of ['before', 'after'] as const)
    test(`${dies} any write leaves every restore in one organization, and the task moves it to the project`, async () => {
      const writesOfAll = await countWrites();
      for (let n = 1; n <= writesOfAll; n++) {
        const { table, resumable, completed, elsewhere } = await newHistory();
        let seen = 0;
        table.onWrite = (when) => {
          if (when === 'before') seen += 1;
          return seen > n || (seen === n && when === dies) ? new Fault('AccessDeniedException') : undefined;
        };
        await move().catch(() => undefined);
        table.onWrite = () => undefined;
        const both = [...idsIn(table, from), ...idsIn(table, to)].sort();
        deepEqual(both, [resumable, completed, elsewhere].sort(), `write ${n}`);
        const [begun] = table.find(`ORG#${from.organizationId}`, 'MOVE#') as unknown as MoveRecord[];
        if (!begun) continue;
        const later = { now: () => new Date(start.getTime() + 120_000) };
        const until = new Date(start.getTime() + 600_000);
        await finishOrRevertMove(from, {
          task: { projectId, moveId: begun.id },
          tenantOf: (id) => unsafeTenant(id, 'record'),
          until,
          time: later,
        });
        equal(table.find('ORG#', 'MOVE#').length, 0);
        const side = begun.isHere ? from : to;
        deepEqual(idsIn(table, side), (begun.isHere ? both : [resumable, completed]).sort(), `write ${n}`);
      }
    });
});
