/** What cannot be proven complete is a loss: a gap that lasts until a new base, never silence. */
import { commit, log } from '../../platform/index.ts';
import type { CycleContext } from '../model/cycle-context.ts';
import { endTurn, type Next, nextOf } from '../model/cycle-end.ts';
import { waitSeconds } from '../model/failure-backoff.ts';
import { microsOf, momentOf } from '../model/micro-time.ts';
import type { Base, Gap, PitrRecord } from '../model/record.ts';
import { dropTokens } from '../model/resume-token-items.ts';
import { withGaps } from '../timeline/gaps.ts';
import { gapWrites } from '../view/pitr-events.ts';
import { afterSpending, type ReadBudget } from './read-budget.ts';

/** How a record looks after a loss: the tokens are worth nothing any more. */
export const lost = (pitr: PitrRecord, from: string, reason: string): Partial<PitrRecord> & { readonly gap: Gap } => {
  const gap: Gap = { from, to: null, reason };
  return { status: 'starting', gaps: withGaps(pitr.gaps, gap), gap };
};

export interface Loss {
  readonly reason: string;
  readonly spending: ReadBudget;
  /** Lost with it is what was added to it. */
  readonly goneBase?: Base | undefined;
  readonly isTooLarge?: true;
}

/** A source that loses every listen is asked less and less often, and one outage is told once. */
export const recordLoss = async (
  scene: CycleContext,
  { reason, spending, goneBase, isTooLarge }: Loss,
  now: Date,
): Promise<Next> => {
  const { tenant, pitr } = scene;
  const from = goneBase?.readTime ?? pitr.capturedTo ?? momentOf(now.getTime() * 1_000);
  const { gap, ...changed } = lost(pitr, from, reason);
  const { losses = 0, bases } = pitr;
  const delaySeconds = waitSeconds(pitr);
  const told = losses === 0 ? gapWrites(scene, gap, { from: microsOf(from), to: now.getTime() * 1_000 }, now) : [];
  const counted: Partial<PitrRecord> = {
    ...{ losses: losses + 1, trouble: reason, putOffs: undefined, tokenItems: 1 },
    ...(isTooLarge && { isTooLarge }),
    ...(goneBase && { bases: bases.filter((base) => base !== goneBase) }),
  };
  const changes = { ...changed, ...counted, ...afterSpending(pitr, spending, now) };
  await commit([endTurn(scene, changes, now, delaySeconds), ...dropTokens(tenant, pitr), ...told]);
  log.warn('captures lost their place; a new base is made', { projectId: pitr.projectId, reason, losses: losses + 1 });
  return nextOf(scene, delaySeconds);
};
