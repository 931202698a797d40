/** The range in which a share of documents usually lies: robust statistics over the last runs. Pure. */

export interface PastShare {
  /** Milliseconds. */
  readonly at: number;
  readonly share: number;
  /** A person has acknowledged a finding of this run. */
  readonly isAccepted: boolean;
}

interface Expectation {
  readonly past: readonly PastShare[];
  readonly at: number;
  /** Time since the last run compared to the usual time, at least 1. */
  readonly stretch: number;
  readonly documents: number;
  /** The smallest upper end. */
  readonly floor: number;
  /** Chance is already accounted for: a share of nothing in all runs lets expect nothing. */
  readonly isBeyondChance?: boolean;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const weekMs = 7 * dayMs;

/** Multiples of the spread above the median. A normal distribution exceeds four once in 30,000 runs. */
const spreads = 4;
/** Of a quiet collection, a share this far above the median is never usual. */
const quietShare = 0.1;
/** Of the level at the same time of earlier weeks or days. */
const peerFactor = 1.5;
/** An accepted level is not reported again for five weeks. */
const acceptedFactor = 1.1;
const acceptedMs = 35 * dayMs;

/**
 * The median of the last runs plus four times their spread (MAD), wider after few runs; at least what happened at the same time of
 * earlier weeks, or days if backups are that frequent, and at least what a person has accepted.
 */
export const expectedMax = ({ past, at, stretch, documents, floor, isBeyondChance = false }: Expectation): number => {
  const shares = past.map(({ share }) => share);
  const middle = median(shares);
  const deviation = 1.4826 * median(shares.map((share) => Math.abs(share - middle)));
  // Documents that change independently of each other: the spread of a count is its root.
  const byChance = isBeyondChance ? 0 : Math.sqrt(Math.max(middle, 1 / documents) / documents);
  const spread = Math.max(deviation, middle / 4, byChance);
  const above = spreads * (1 + 2 / Math.max(1, past.length)) * spread * Math.sqrt(stretch);
  const usual = middle * stretch + (middle <= quietShare ? Math.min(above, quietShare) : above);
  const isFrequent = medianInterval(past) <= 8 * hourMs;
  const peers = past.filter((one) => isPeer(at - one.at, isFrequent)).map(({ share }) => share * peerFactor);
  const accepted = past.filter((one) => one.isAccepted && at - one.at <= acceptedMs).map(({ share }) => share * acceptedFactor);
  return Math.max(floor, usual, ...peers, ...accepted);
};

/** Whether a run of so long ago was at the same time of the week, or of the day if runs are that frequent. */
const isPeer = (agoMs: number, isFrequent: boolean): boolean => {
  const isNear = (period: number, tolerance: number): boolean => {
    const periods = Math.round(agoMs / period);
    return periods >= 1 && Math.abs(agoMs - periods * period) <= tolerance;
  };
  return isNear(weekMs, dayMs / 2) || (isFrequent && isNear(dayMs, 1.5 * hourMs));
};

export const medianInterval = (past: readonly Pick<PastShare, 'at'>[]): number => {
  const intervals = past.slice(1).map(({ at }, n) => at - (past[n]?.at ?? at));
  return intervals.length === 0 ? dayMs : median(intervals);
};

export const median = (values: readonly number[]): number => {
  if (values.length === 0) return 0;
  const sorted = [...values].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  const [low = 0, high = 0] = [sorted[sorted.length % 2 === 0 ? half - 1 : half], sorted[half]];
  return (low + high) / 2;
};
