/** Unusual changes of a project that moves: the history, the marks and the holds move along. */
import { deepEqual, equal, rejects, throws } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { finishOrRevertMove, moveProject } from '../../../shared/move/index.ts';
import { commit, type Tenant, unsafeTenant } from '../../../shared/platform/index.ts';
import type { MoveRecord } from '../../../shared/project/index.ts';
import { toCandidate } from '../../../shared/retention/retention-candidate.ts';
import {
  acknowledgeAnomaly,
  type BackupAnomaly,
  type BackupRecord,
  backupKey,
  deleteBackup,
  historyKey,
} from '../../../shared/stored-backup/index.ts';
import { Fault } from '../../harness/aws/scripted-aws.ts';
import { createMoveEnv, from, moveCaller, newBackup, projectId, start, stopEnv, to } from '../../harness/env/move-env.ts';
import type { InMemoryTable } from '../../harness/table/in-memory-table.ts';

afterAll(stopEnv);
const time = { now: () => start };
const scope = { projectId, collections: ['*'], excludedCollections: [] };
const captures = ({ organizationId }: Tenant) => ({ pk: `ORG#${organizationId}`, sk: `ANOMALY#${projectId}#captures` });

const anomalyOf = (keptBackupId: string): BackupAnomaly => ({
  detectedAt: start.toISOString(),
  source: 'backup',
  findings: [],
  comparedWith: keptBackupId,
  keptBackupId,
  before: start.toISOString(),
  acknowledgedAt: null,
  acknowledgedBy: null,
  note: null,
});

const withAnomaly = async () => {
  const table = await createMoveEnv(1);
  const marked = newBackup({});
  const kept = newBackup({ heldFor: [marked.id] });
  table.put(kept);
  table.put({ ...marked, anomaly: anomalyOf(kept.id), anomalyState: 'open' } satisfies BackupRecord);
  const run = [marked.id, start.getTime(), 'open', [['users', 100, 20, 0, 0, 0]]];
  const last = { projectId, backupId: marked.id, readTime: start.toISOString(), at: start.getTime(), stock: '[]', revision: 4 };
  const history = { ...historyKey(from, scope), ...last, runs: JSON.stringify([run]), ttl: 4_000_000_000 };
  table.put(history);
  table.put({ ...history, ...captures(from), runs: '[]' });
  return { table, kept, marked, history };
};

const historiesIn = (table: InMemoryTable, { organizationId }: Tenant) => table.find(`ORG#${organizationId}`, 'ANOMALY#').length;

test('moveProject: history, mark and hold arrive, and are ended by an acknowledgement there', async () => {
  const { table, kept, marked, history } = await withAnomaly();
  await moveProject(moveCaller(), { projectId, organizationId: to.organizationId, time });
  deepEqual([historiesIn(table, from), historiesIn(table, to)], [0, 2]);
  deepEqual(table.get(historyKey(to, scope)), { ...history, ...historyKey(to, scope) });
  const arrived = (id: string) => table.get<BackupRecord>(backupKey.backup(to, id))!;
  deepEqual([arrived(kept.id).heldFor, arrived(marked.id).anomalyState], [[marked.id], 'open']);
  for (const { id } of [kept, marked]) {
    equal(toCandidate(arrived(id))?.heldUntilMs, Number.POSITIVE_INFINITY);
    throws(() => deleteBackup(to, { backup: arrived(id), child: undefined, now: start }), /cknowledge/);
  }
  const by = { type: 'user', id: 'usr_1' };
  const { change } = await acknowledgeAnomaly(to, {
    backup: arrived(marked.id),
    acknowledgement: { by, note: undefined },
    now: start,
  });
  await commit(change.writes);
  deepEqual([arrived(kept.id).heldFor, arrived(marked.id).anomalyState], [undefined, 'acknowledged']);
  const runs = JSON.parse(String(table.get(historyKey(to, scope))?.runs));
  equal(runs[0][2], 'accepted');
});

test('revertMove: a move that fails after the history was copied leaves it only where it was', async () => {
  const { table, history } = await withAnomaly();
  table.onWrite = (when) => (when === 'before' && historiesIn(table, to) === 2 ? new Fault('AccessDeniedException') : undefined);
  await rejects(moveProject(moveCaller(), { projectId, organizationId: to.organizationId, time }));
  table.onWrite = () => undefined;
  equal(historiesIn(table, to), 2);
  const [begun] = table.find(`ORG#${from.organizationId}`, 'MOVE#') as unknown as MoveRecord[];
  const later = { now: () => new Date(start.getTime() + 120_000) };
  const task = { projectId, moveId: begun!.id };
  await finishOrRevertMove(from, {
    task,
    tenantOf: (id) => unsafeTenant(id, 'record'),
    until: new Date(start.getTime() + 600_000),
    time: later,
  });
  deepEqual([historiesIn(table, from), historiesIn(table, to)], [2, 0]);
  deepEqual(table.get(historyKey(from, scope)), history);
});
