/** What earlier backups and captures of a project looked like, which anomalies are judged by. */

import { check, commit, isConflict, StaleReadError, type Tenant, walk } from '../platform/index.ts';
import { projectKey } from '../project/index.ts';
import { type HistoryRecord, historyPrefix } from '../stored-backup/index.ts';
import { type MoveContext, whileMoveActive } from './move-context.ts';

const historiesOf = (tenant: Tenant, projectId: string): AsyncIterable<HistoryRecord> =>
  walk<HistoryRecord>({ pk: `ORG#${tenant.organizationId}`, prefix: historyPrefix(projectId) });

/** Copies the histories before the project switches; no backup completes meanwhile. Idempotent. */
export const copyHistories = async (move: MoveContext): Promise<void> => {
  const { from, to, projectId } = move;
  for await (const history of historiesOf(from, projectId))
    await commit([whileMoveActive(move), { put: { ...history, pk: `ORG#${to.organizationId}` } }]);
};

/** Removes the histories of the side that does not have the project, unless another run has ended the move already. */
export const removeHistories = async ({ id, projectId }: MoveContext, side: Tenant): Promise<void> => {
  const whileMoving = check(projectKey.move(side, projectId), { id }, () => new StaleReadError());
  try {
    for await (const { pk, sk } of historiesOf(side, projectId)) await commit([whileMoving, { remove: { pk, sk } }]);
  } catch (error) {
    if (!isConflict(error)) throw error;
  }
};
