/** What cannot be proven complete is a loss: a gap that lasts until a new base, never silence. */
import { commit, log } from '../../platform/index.ts';
import type { CycleContext } from '../model/cycle-context.ts';
import { endCycle, type NextCycle, nextCycle } from '../model/cycle-end.ts';
import { baseRetrySeconds } from '../model/failure-backoff.ts';
import { microsOf, momentOf } from '../model/micro-time.ts';
import type { Base, Gap, PitrRecord } from '../model/record.ts';
import { dropTokens } from '../model/resume-token-items.ts';
import { withGaps } from '../timeline/gaps.ts';
import { gapWrites } from '../view/pitr-events.ts';
import { type ReadBudget, spentFields } from './read-budget.ts';

/** How a record looks after a loss: the tokens are worth nothing any more. */
export const lost = (pitr: PitrRecord, from: string, reason: string): Partial<PitrRecord> & { readonly gap: Gap } => {
  const gap: Gap = { from, to: null, reason };
  return { status: 'starting', gaps: withGaps(pitr.gaps, gap), gap };
};

export interface Loss {
  readonly reason: string;
  readonly budget: ReadBudget;
  /** Lost with it is what was added to it. */
  readonly goneBase?: Base | undefined;
  readonly isTooLarge?: true;
}

/** A source that loses every listen is asked less and less often, and one outage is told once. */
export const recordLoss = async (
  cycle: CycleContext,
  { reason, budget, goneBase, isTooLarge }: Loss,
  now: Date,
): Promise<NextCycle> => {
  const { tenant, pitr } = cycle;
  const from = goneBase?.readTime ?? pitr.capturedTo ?? momentOf(now.getTime() * 1_000);
  const { gap, ...changed } = lost(pitr, from, reason);
  const { losses = 0, bases } = pitr;
  const delaySeconds = baseRetrySeconds(pitr);
  const told = losses === 0 ? gapWrites(cycle, gap, { from: microsOf(from), to: now.getTime() * 1_000 }, now) : [];
  const counted: Partial<PitrRecord> = {
    ...{ losses: losses + 1, trouble: reason, putOffs: undefined, tokenItems: 1 },
    ...(isTooLarge && { isTooLarge }),
    ...(goneBase && { bases: bases.filter((base) => base !== goneBase) }),
  };
  const changes = { ...changed, ...counted, ...spentFields(pitr, budget, now) };
  await commit([endCycle(cycle, changes, now, delaySeconds), ...dropTokens(tenant, pitr), ...told]);
  log.warn('captures lost their place; a new base is made', { projectId: pitr.projectId, reason, losses: losses + 1 });
  return nextCycle(cycle, delaySeconds);
};
