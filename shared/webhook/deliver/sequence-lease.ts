/** A sequence sends one step at a time. Its lease names the step, so that one whose worker crashed counts as delivered. */
import { after, iso, type Key, set, updateItem } from '../../platform/index.ts';
import {
  type Delivered,
  deliveredIn,
  rank,
  type SequenceRecord,
  type Step,
  sequenceTtl,
  withDelivered,
} from '../model/progress-sequence.ts';

export interface SequenceLease {
  readonly sequence: Key;
  readonly step: Step;
  readonly until: string;
  /** Before this step. */
  readonly delivered: Delivered;
}

/** Undefined if another step is being sent, or the sequence has changed since it was read. */
export const leaseSequence = async (
  sequence: SequenceRecord,
  { step, seconds, now }: { readonly step: Step; readonly seconds: number; readonly now: Date },
): Promise<SequenceLease | undefined> => {
  const { pk, sk, percent, endedAt, claimedUntil } = sequence;
  if ((claimedUntil ?? '') > iso(now)) return undefined;
  const until = iso(after(now, seconds));
  const delivered = deliveredIn(sequence, now);
  const attributes = { ...delivered, sending: rank(step), claimedUntil: until, ttl: sequenceTtl(now) };
  const isOurs = await updateItem(set({ pk, sk }, attributes, { expected: { percent, endedAt, claimedUntil } }));
  return isOurs ? { sequence: { pk, sk }, step, until, delivered } : undefined;
};

/** What became of the step: delivered, ended otherwise, or still to be sent. */
type StepOutcome = 'delivered' | 'ended' | 'waiting';

/** A lease that has ended meanwhile belongs to another step: then nothing changes. */
export const releaseSequence = async (
  { sequence, step, until, delivered }: SequenceLease,
  outcome: StepOutcome,
): Promise<void> => {
  const attributes = {
    ...(outcome === 'delivered' && withDelivered(delivered, step)),
    ...(outcome !== 'waiting' && { [rank(step)]: undefined }),
    sending: undefined,
    claimedUntil: undefined,
  };
  await updateItem(set(sequence, attributes, { expected: { claimedUntil: until } }));
};

/** Removes a step that ended without being sent. */
export const leaveSequence = async (sequence: Key, step: Step): Promise<void> => {
  await updateItem(set(sequence, { [rank(step)]: undefined }));
};
