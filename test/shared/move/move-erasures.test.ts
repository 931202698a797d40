/** The erasure ledger of a project that moves: it arrives, and nothing is concluded while backups are hidden by the move. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { type ErasureRecord, erasureKey } from '../../../shared/erasure/index.ts';
import { finishOrRevertMove, moveProject } from '../../../shared/move/index.ts';
import { type Tenant, unsafeTenant } from '../../../shared/platform/index.ts';
import type { MoveRecord } from '../../../shared/project/index.ts';
import { assessErasures } from '../../../shared/stored-backup/index.ts';
import { Fault } from '../../harness/aws/scripted-aws.ts';
import { createMoveEnv, from, moveCaller, projectId, start, stopEnv, to } from '../../harness/env/move-env.ts';
import type { InMemoryTable } from '../../harness/table/in-memory-table.ts';

afterAll(stopEnv);
const time = { now: () => start };
const id = 'era_01J00000000000000000000001';

const withLedger = async (): Promise<InMemoryTable> => {
  const table = await createMoveEnv(1);
  table.put({ ...erasureKey.ledger(from, projectId), projectId, version: 1, storedVersion: 1, round: 0, entries: 1, bytes: 3 });
  const search = { searchAfter: 'bkp_2', searching: { backupId: 'bkp_1', segments: 3, documents: 0 }, capturesAfter: 'b' };
  const entry = { id, projectId, version: 1, sealedVersion: 1, status: 'resolving', lastHeldBackupId: null, ...search };
  table.put({ ...erasureKey.erasure(from, projectId, id), ...entry });
  return table;
};

const assessmentsIn = (table: InMemoryTable, { organizationId }: Tenant): number =>
  [...table.items.values()].filter((item) => {
    const text = JSON.stringify(item);
    return text.includes('assess-erasures') && text.includes(organizationId);
  }).length;

test('moveProject: an unfinished search begins anew, after the backups have arrived', async () => {
  const table = await withLedger();
  const seen: number[] = [];
  table.onWrite = () => {
    if (table.find(`ORG#${to.organizationId}`, 'MOVE#').length > 0) seen.push(assessmentsIn(table, to));
    return undefined;
  };
  await moveProject(moveCaller(), { projectId, organizationId: to.organizationId, time });
  table.onWrite = () => undefined;
  equal(Math.max(...seen), 0, 'an assessment was started during the move');
  equal(assessmentsIn(table, to), 1);
  const arrived = table.get<ErasureRecord>(erasureKey.erasure(to, projectId, id))!;
  deepEqual([arrived.searchAfter, arrived.searching, arrived.capturesAfter], [undefined, undefined, undefined]);
});

test('assessErasures: does nothing during a move, and a reverted move starts it again', async () => {
  const table = await withLedger();
  const isCopied = () => table.get(erasureKey.ledger(to, projectId)) !== undefined;
  table.onWrite = (when) => (when === 'before' && isCopied() ? new Fault('AccessDeniedException') : undefined);
  await rejects(moveProject(moveCaller(), { projectId, organizationId: to.organizationId, time }));
  table.onWrite = () => undefined;
  const before = JSON.stringify([...table.items]);
  const deadline = new Date(start.getTime() + 60_000);
  const options = { clock: time, deadline } as unknown as Parameters<typeof assessErasures>[2];
  for (const side of [from, to]) await assessErasures(side, { projectId }, options);
  equal(JSON.stringify([...table.items]), before);

  const [begun] = table.find(`ORG#${from.organizationId}`, 'MOVE#') as unknown as MoveRecord[];
  const later = { now: () => new Date(start.getTime() + 120_000) };
  const task = { projectId, moveId: begun!.id };
  await finishOrRevertMove(from, {
    task,
    tenantOf: (organizationId) => unsafeTenant(organizationId, 'record'),
    until: new Date(start.getTime() + 600_000),
    time: later,
  });
  deepEqual([assessmentsIn(table, from), assessmentsIn(table, to)], [1, 0]);
});
