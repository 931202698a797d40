/** Judges a batch of captured changes, together with those of the last hour, by the batches before. Pure. */
import { comparisonsMin, minimums, type UnusualShare } from './detect-anomaly.ts';
import { expectedMax } from './expected-range.ts';
import { findOpaqueGrowth } from './find-content-changes.ts';
import type { Activity, CollectionStock, Run } from './history.ts';
import { emptyStatistics, type StatisticsByCollection } from './statistics.ts';

export interface CapturedBatch {
  readonly id: string;
  /** The end of the batch, in milliseconds. */
  readonly at: number;
  /** By collection id: documents before, and how many were deleted, changed and added. */
  readonly counts: ReadonlyMap<string, Omit<Activity, 'opaque'>>;
  /** Of the changed documents. */
  readonly statistics: StatisticsByCollection;
}

/** An attack may take several batches. */
const windowMs = 3_600_000;
/** Batches that must be known before one is judged. */
export const batchesMin = comparisonsMin + 1;

/** `stock`: the documents of the last backup, which tell what their fields usually look like. */
export const detectCaptured = (
  runs: readonly Run[],
  stock: ReadonlyMap<string, CollectionStock>,
  { id, at, counts, statistics }: CapturedBatch,
): { findings: readonly UnusualShare[]; run: Run } => {
  const activity = new Map(
    [...counts].map(([name, one]) => [name, { ...one, opaque: opaqueIn(name, { activity: one, stock, statistics }) }]),
  );
  const known = runs.filter(({ state }) => state !== 'open');
  const recent = runs.filter((one) => one.state === 'normal' && at - one.at < windowMs);
  const batch: Run = { id, at, state: 'normal', activity };
  const findings = known.length < batchesMin ? [] : judgeWindow(known, [...recent, batch], at);
  return { findings, run: findings.length > 0 ? { ...batch, state: 'open' } : batch };
};

const opaqueIn = (
  name: string,
  {
    activity: { deleted, changed, added },
    stock,
    statistics,
  }: {
    readonly activity: Omit<Activity, 'opaque'>;
    readonly stock: ReadonlyMap<string, CollectionStock>;
    readonly statistics: StatisticsByCollection;
  },
): number => {
  const before = stock.get(name);
  if (!before) return 0;
  const { documents, byChance } = findOpaqueGrowth(before, statistics.get(name) ?? emptyStatistics(), deleted);
  // A document that changed several times was captured as often.
  return documents > byChance ? Math.min(Math.round(documents), changed + added) : 0;
};

const metrics = [
  ['deleted', 'deleted'],
  ['entropy', 'opaque'],
] as const;

const judgeWindow = (known: readonly Run[], window: readonly Run[], at: number): readonly UnusualShare[] => {
  const names = [...(window.at(-1)?.activity.keys() ?? [])];
  return names.flatMap((name) =>
    metrics.flatMap(([kind, metric]): readonly UnusualShare[] => {
      const previous = window.find(({ activity }) => activity.has(name))?.activity.get(name)?.previous ?? 0;
      const documents = window.reduce((sum, { activity }) => sum + (activity.get(name)?.[metric] ?? 0), 0);
      const minimum = minimums[kind];
      if (documents < minimum.documents || previous < minimum.total || documents < minimum.share * previous) return [];
      const past = known.map(({ at: moment, state, activity }) => {
        const one = activity.get(name);
        return { at: moment, isAccepted: state === 'accepted', share: one && one.previous > 0 ? one[metric] / one.previous : 0 };
      });
      const isBeyondChance = metric === 'opaque';
      const max = expectedMax({ past, at, stretch: window.length, documents: previous, floor: minimum.share, isBeyondChance });
      const share = documents / previous;
      if (share <= max && max > minimum.share) return [];
      const observed = { documents, total: previous, share: rounded(share) };
      return [{ collection: name, kind, field: null, observed, expected: { min: 0, max: rounded(max) } }];
    }),
  );
};

const rounded = (value: number): number => Math.round(value * 1e4) / 1e4;
