/** Records a loss: if a cycle cannot be proven complete, an open gap lasts until a new base. */
import { commit, log } from '../../platform/index.ts';
import { addReads } from '../../project/index.ts';
import type { CycleContext } from '../model/cycle-context.ts';
import { endCycle, type NextCycle, nextCycle } from '../model/end-cycle.ts';
import { baseRetrySeconds } from '../model/failure-backoff.ts';
import { microsOf, momentOf } from '../model/micro-time.ts';
import type { Base, Gap, PitrRecord } from '../model/record.ts';
import { dropTokens } from '../model/resume-token-items.ts';
import { withGaps } from '../timeline/gaps.ts';
import { gapWrites } from '../view/pitr-events.ts';
import { type ReadBudget, readsOf, spentFields } from './read-budget.ts';

export interface Loss {
  readonly reason: string;
  readonly budget: ReadBudget;
  /** The deleted base: the changes that build on it are lost with it. */
  readonly goneBase?: Base | undefined;
  readonly isTooLarge?: true;
}

/** Retries back off while the source loses every listen, and one outage is reported once. */
export const recordLoss = async (
  cycle: CycleContext,
  { reason, budget, goneBase, isTooLarge }: Loss,
  now: Date,
): Promise<NextCycle> => {
  const { tenant, pitr } = cycle;
  const { losses = 0, bases } = pitr;
  const from = goneBase?.readTime ?? pitr.capturedTo ?? momentOf(now.getTime() * 1_000);
  const gap: Gap = { from, to: null, reason };
  const delaySeconds = baseRetrySeconds(pitr);
  const changes: Partial<PitrRecord> = {
    status: 'starting',
    gaps: withGaps(pitr.gaps, gap),
    losses: losses + 1,
    trouble: reason,
    putOffs: undefined,
    tokenItems: 1,
    ...(isTooLarge && { isTooLarge }),
    ...(goneBase && { bases: bases.filter((base) => base !== goneBase) }),
    ...spentFields(pitr, budget, now),
  };
  const period = { from: microsOf(from), to: now.getTime() * 1_000 };
  await commit([
    endCycle(cycle, { changed: changes, now, delaySeconds }),
    ...dropTokens(tenant, pitr),
    ...addReads(tenant, { projectId: pitr.projectId, reads: readsOf(budget), now }),
    ...(losses === 0 ? gapWrites(cycle, { gap, changes: period, now }) : []),
  ]);
  log.warn('capture lost its resume position; starting a new base backup', {
    projectId: pitr.projectId,
    reason,
    losses: losses + 1,
  });
  return nextCycle(cycle, delaySeconds);
};
