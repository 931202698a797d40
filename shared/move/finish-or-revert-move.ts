import { after, type Clock, clock, get, type Tenant } from '../platform/index.ts';
import { projectKey } from '../project/index.ts';
import { finishMove, revertMove } from './finish-move.ts';
import type { MoveContext } from './move-context.ts';

/** Longer than the function of a call that moves a project runs. */
const callSeconds = 60;

interface MoveTask {
  readonly task: { readonly projectId: string; readonly moveId: string };
  readonly tenantOf: (organizationId: string) => Tenant;
  readonly until: Date;
  readonly time?: Clock | undefined;
}

/**
 * The task of a move, for the case that its call crashed: finishes a move whose project has switched, reverts any other. Throws, and
 * is retried, while the call may still be running and until everything is done.
 */
export const finishOrRevertMove = async (
  from: Tenant,
  { task: { projectId, moveId }, tenantOf, until, time = clock }: MoveTask,
): Promise<void> => {
  const record = await get(projectKey.move(from, projectId));
  if (record?.id !== moveId) return;
  const move: MoveContext = { id: moveId, projectId, from, to: tenantOf(record.to) };
  const mayBeRunning = record.isEnding !== true && after(new Date(record.since), callSeconds) > time.now();
  if (record.isHere && mayBeRunning) throw new Error('the call that moves the project may still be running');
  const isDone = await (record.isHere ? revertMove : finishMove)(move, { until, clock: time });
  if (!isDone) throw new Error('the move is not finished yet');
};
