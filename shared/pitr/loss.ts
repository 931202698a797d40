/** What cannot be proven complete is a loss: a gap that lasts until a new base, never silence. */
import { commit, log, type Write } from '../platform/index.ts';
import { withGaps } from './gaps.ts';
import { microsOf, momentOf } from './moment.ts';
import { type Gap, type PitrRecord, pitrKey } from './record.ts';
import type { Scene } from './scene.ts';
import { gapWrites } from './telling.ts';
import { endTurn, type Next, nextOf } from './turning.ts';

/** How a record looks after a loss: the tokens are worth nothing any more. */
export const lost = (pitr: PitrRecord, from: string, reason: string): Partial<PitrRecord> & { readonly gap: Gap } => {
  const gap: Gap = { from, to: null, reason };
  return { status: 'starting', gaps: withGaps(pitr.gaps, gap), gap };
};

export const lose = async (scene: Scene, reason: string, now: Date, since?: string): Promise<Next> => {
  const { tenant, pitr } = scene;
  const from = since ?? pitr.capturedTo ?? momentOf(now.getTime() * 1_000);
  const { gap, ...changed } = lost(pitr, from, reason);
  const writes: readonly Write[] = [
    endTurn(scene, changed, now, 0),
    { remove: pitrKey.tokens(tenant, pitr.projectId) },
    ...gapWrites(scene, gap, { from: microsOf(from), to: now.getTime() * 1_000 }, now),
  ];
  await commit(writes);
  log.warn('captures lost their place; a new base is made', { projectId: pitr.projectId, reason });
  return nextOf(scene, 0);
};
