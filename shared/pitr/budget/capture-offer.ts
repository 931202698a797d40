import { usdOf } from '../../contract/read-prices.ts';

interface Cost {
  readonly reads: number;
  readonly estimatedUsd: number;
}

/** Capture must save a fifth at least: it needs a worker, and attention. */
const paysBelow = 0.8;

/** Undefined where capture does not pay. */
export const captureOffer = ({
  reads,
  withCapture,
  usdPerMillion,
  unit,
}: {
  readonly reads: number;
  readonly withCapture: { readonly reads: number; readonly usd: number };
  readonly usdPerMillion: number;
  readonly unit: 'document' | 'read_unit';
}): { readonly now: Cost; readonly withCapture: Cost; readonly text: string } | undefined => {
  const now = { reads, estimatedUsd: usdOf(reads, usdPerMillion) };
  const then = { reads: withCapture.reads, estimatedUsd: withCapture.usd };
  if (then.estimatedUsd > now.estimatedUsd * paysBelow) return undefined;
  const things = unit === 'document' ? 'documents' : 'read units';
  const text = `This schedule reads ${about(now.reads)} ${things} a day (${dollars(now.estimatedUsd)}). With capture it would read ${about(then.reads)} (${dollars(then.estimatedUsd)}).`;
  return { now, withCapture: then, text };
};

const million = 1_000_000;

/** Two digits, because it is a forecast. */
const about = (reads: number): string =>
  reads >= million
    ? `${(reads / million).toPrecision(2).replace(/\.0$/, '')} million`
    : Number(reads.toPrecision(2)).toLocaleString('en-US');

const dollars = (usd: number): string => (usd >= 0.005 ? `$${usd.toFixed(2)}` : 'less than a cent');
