/** Ends a cycle: the record advances to the next one. Only the run whose cycle it is can do that. */
import { after, iso, StaleReadError, set, type Write } from '../../platform/index.ts';
import type { CycleContext } from './cycle-context.ts';
import { type PitrRecord, pitrKey } from './record.ts';

/** The cycle to enqueue. `turn` is its number. */
export interface NextCycle {
  readonly turn: number;
  readonly delaySeconds: number;
}

export const nextCycle = ({ pitr }: CycleContext, delaySeconds: number): NextCycle => ({ turn: pitr.turn + 1, delaySeconds });

/** Fails with StaleReadError if another run has ended the cycle, captures expired since it was read, or the record is not as `expected`. */
export const endCycle = (
  { tenant, pitr }: CycleContext,
  {
    changed,
    now,
    delaySeconds,
    expected,
  }: {
    readonly changed: Partial<PitrRecord>;
    readonly now: Date;
    readonly delaySeconds: number;
    readonly expected?: Partial<PitrRecord>;
  },
): Extract<Write, { update: unknown }> =>
  set(
    pitrKey.pitr(tenant, pitr.projectId),
    { ...changed, turn: pitr.turn + 1, nextTurnAt: iso(after(now, delaySeconds)) },
    {
      expected: { turn: pitr.turn, status: pitr.status, keptFrom: pitr.keptFrom, ...expected },
      onConditionFailed: () => new StaleReadError(),
    },
  );
