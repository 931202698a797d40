import { after, type Clock, clock, get, type Tenant } from '../platform/index.ts';
import { projectKey } from '../project/index.ts';
import { finishMove, revertMove } from './finish-move.ts';
import type { MoveContext } from './move-context.ts';

/** A call that moves a project has ended by then, with its function. */
const callSeconds = 60;

/**
 * What the task of a move does, so that one whose call died does not stay half way: the project that has crossed is settled
 * on its new side, the one that has not stays. Throws while the call may still be at it, and while there is more to do.
 */
export const finishOrRevertMove = async (
  from: Tenant,
  { projectId, moveId }: { readonly projectId: string; readonly moveId: string },
  tenantOf: (organizationId: string) => Tenant,
  until: Date,
  time: Clock = clock,
): Promise<void> => {
  const move = await get(projectKey.move(from, projectId));
  if (move?.id !== moveId) return;
  const route: MoveContext = { id: moveId, projectId, from, to: tenantOf(move.to) };
  const mayBeAtIt = move.isEnding !== true && after(new Date(move.since), callSeconds) > time.now();
  if (move.isHere && mayBeAtIt) throw new Error('the move is under way');
  const isDone = await (move.isHere ? revertMove : finishMove)(route, { until, clock: time });
  if (!isDone) throw new Error('the move is not settled yet');
};
