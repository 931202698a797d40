/** Who makes an attempt says so before: what a queue gives twice is not sent twice, and does not double all that follows. */
import { after, changeOne, iso } from '../platform/index.ts';
import type { Lane } from './lane.ts';
import type { Due } from './preparing.ts';

/** What is around a request: to sign it, to arrange the next attempt, to write this one down. */
const aroundSeconds = 15;

/** Another makes the attempt, or has made it; the message comes again, and then one of the two is known. */
export class Claimed extends Error {}

/**
 * The first attempt in the quick lane is not worth a write: one of two that make it writes it down, and at most one request is
 * sent twice. What follows from both does meet here.
 */
export const isToBeClaimed = ({ delivery, attempt }: Due, lane: Lane): boolean =>
  lane === 'slowDelivery' || attempt > delivery.roundStart + 1;

/** Throws `Claimed` unless the attempt is ours, for as long as it may take. A claim ends when the attempt is written down. */
export const claim = async ({ webhook, delivery: { pk, sk, attempts } }: Due, now: Date): Promise<void> => {
  const until = after(now, webhook.timeoutMs / 1_000 + aroundSeconds);
  const isOurs = await changeOne({
    update: { pk, sk },
    expression: 'SET #claimed = :until',
    condition: '#status = :attempting AND #attempts = :made AND (attribute_not_exists(#claimed) OR #claimed <= :now)',
    names: { '#claimed': 'claimedUntil', '#status': 'status', '#attempts': 'attempts' },
    values: { ':until': iso(until), ':attempting': 'attempting', ':made': attempts, ':now': iso(now) },
  });
  if (!isOurs) throw new Claimed(`another makes attempt ${attempts + 1} of ${sk}`);
};
