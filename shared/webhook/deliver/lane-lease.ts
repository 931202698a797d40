/** A lane sends one step at a time. Its lease names the step, so that one whose worker crashed counts as delivered. */
import { after, iso, type Key, set, updateItem } from '../../platform/index.ts';
import { type Delivered, deliveredIn, type LaneRecord, laneTtl, rank, type Step, withDelivered } from '../model/progress-lane.ts';

export interface LaneLease {
  readonly lane: Key;
  readonly step: Step;
  readonly until: string;
  /** Before this step. */
  readonly delivered: Delivered;
}

/** Undefined if another step is being sent, or the lane has changed since it was read. */
export const leaseLane = async (lane: LaneRecord, step: Step, seconds: number, now: Date): Promise<LaneLease | undefined> => {
  const { pk, sk, percent, endedAt, claimedUntil } = lane;
  if ((claimedUntil ?? '') > iso(now)) return undefined;
  const until = iso(after(now, seconds));
  const delivered = deliveredIn(lane, now);
  const attributes = { ...delivered, sending: rank(step), claimedUntil: until, ttl: laneTtl(now) };
  const isOurs = await updateItem(set({ pk, sk }, attributes, { expected: { percent, endedAt, claimedUntil } }));
  return isOurs ? { lane: { pk, sk }, step, until, delivered } : undefined;
};

/** What became of the step: delivered, ended otherwise, or still to be sent. */
type StepOutcome = 'delivered' | 'ended' | 'waiting';

/** A lease that has ended meanwhile belongs to another step: then nothing changes. */
export const releaseLane = async ({ lane, step, until, delivered }: LaneLease, outcome: StepOutcome): Promise<void> => {
  const attributes = {
    ...(outcome === 'delivered' && withDelivered(delivered, step)),
    ...(outcome !== 'waiting' && { [rank(step)]: undefined }),
    sending: undefined,
    claimedUntil: undefined,
  };
  await updateItem(set(lane, attributes, { expected: { claimedUntil: until } }));
};

/** Removes a step that ended without being sent. */
export const leaveLane = async (lane: Key, step: Step): Promise<void> => {
  await updateItem(set(lane, { [rank(step)]: undefined }));
};
