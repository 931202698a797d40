/** Captures are bound to their organization, so a project with point-in-time recovery is not moved. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { moveProject } from '../../../shared/move/index.ts';
import { enablePitr, type PitrRecord, pitrKey } from '../../../shared/pitr/index.ts';
import { commit } from '../../../shared/platform/index.ts';
import { projectKey } from '../../../shared/project/index.ts';
import { Fault } from '../../harness/aws/scripted-aws.ts';
import {
  createMoveEnv,
  destination,
  from,
  moveCaller,
  project,
  projectId,
  seenIn,
  start,
  stopEnv,
  to,
  used,
} from '../../harness/env/move-env.ts';
import type { InMemoryTable } from '../../harness/table/in-memory-table.ts';

afterAll(stopEnv);
const move = () => moveProject(moveCaller(), { projectId, organizationId: to.organizationId, time: { now: () => start } });
const options = { retentionDays: 7, captureIntervalSeconds: 60, precision: 'second', auditDays: 30 } as const;
const enabling = async () => {
  const context = { project, destination: (await destination(used, 1)) as never, before: undefined };
  return enablePitr(moveCaller() as never, { context, options, now: start });
};
const leftovers = (table: InMemoryTable) =>
  [...table.items.values()].filter(({ sk, arriving, leaving }) => arriving || leaving || /^(MOVE|JOB)#/.test(String(sk?.S)));

test('moveProject: a move is rejected if point-in-time recovery is enabled while it begins', async () => {
  const table = await createMoveEnv(3);
  const before = await seenIn(table, from);
  const pitr = JSON.parse(JSON.stringify((await enabling()).pitr)) as PitrRecord;
  let writes = 0;
  table.onWrite = (when) => {
    if (when === 'before' && ++writes === 1) table.put(pitr);
    return undefined;
  };
  await rejects(move(), {
    code: 'CONFLICT',
    message: /is enabled; disable it .* block the move until they expire, for up to 9 days$/,
  });
  table.onWrite = () => undefined;
  deepEqual([await seenIn(table, from), leftovers(table)], [before, []]);
  equal(table.get<PitrRecord>(pitrKey.pitr(from, projectId))!.status, 'starting');
  equal(table.get(projectKey.project(to, projectId)), undefined);
});

test('enablePitr: point-in-time recovery cannot be enabled during a move', async () => {
  const table = await createMoveEnv(3);
  let writes = 0;
  // Crashes after the move has begun.
  table.onWrite = (when) => (when === 'before' && ++writes > 1 ? new Fault('AccessDeniedException') : undefined);
  await rejects(move());
  table.onWrite = () => undefined;
  const { change } = await enabling();
  await rejects(commit(change.writes), { code: 'JOB_IN_PROGRESS' });
  equal(table.get(pitrKey.pitr(from, projectId)), undefined);
});
