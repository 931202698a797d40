/** How a turn ends: the record moves on to the next one, which only the run can do whose turn it is. */
import { after, iso, StaleReadError, set, type Write } from '../../platform/index.ts';
import type { CycleContext } from './cycle-context.ts';
import { type PitrRecord, pitrKey } from './record.ts';

/** What is told to the queue. */
export interface NextCycle {
  readonly turn: number;
  readonly delaySeconds: number;
}

export const nextCycle = ({ pitr }: CycleContext, delaySeconds: number): NextCycle => ({ turn: pitr.turn + 1, delaySeconds });

/** Nothing is written of a turn that another run has ended, nor after what is kept has changed since it was read. */
export const endCycle = (
  { tenant, pitr }: CycleContext,
  changed: Partial<PitrRecord>,
  now: Date,
  delaySeconds: number,
): Extract<Write, { update: unknown }> =>
  set(
    pitrKey.pitr(tenant, pitr.projectId),
    { ...changed, turn: pitr.turn + 1, nextTurnAt: iso(after(now, delaySeconds)) },
    {
      expected: { turn: pitr.turn, status: pitr.status, keptFrom: pitr.keptFrom },
      onConditionFailed: () => new StaleReadError(),
    },
  );
