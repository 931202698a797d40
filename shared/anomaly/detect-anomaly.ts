/** Compares a backup with the project's own history. Pure. */
import { expectedMax, medianInterval, type PastShare } from './expected-range.ts';
import { findOpaqueGrowth, findVanishedFields, hasLostContent, wasReplaced } from './find-content-changes.ts';
import { type Activity, type CollectionStock, type History, isCollection, type Run, stockOf } from './history.ts';
import { type CollectionStatistics, emptyStatistics, type StatisticsByCollection } from './statistics.ts';

export const findingKinds = ['deleted', 'changed', 'added', 'entropy', 'schema'] as const;
export type FindingKind = (typeof findingKinds)[number];

export interface UnusualShare {
  /** Null for all collections together. */
  readonly collection: string | null;
  readonly kind: FindingKind;
  readonly field: string | null;
  readonly observed: { readonly documents: number; readonly total: number; readonly share: number };
  /** The range of the share that the history lets expect. */
  readonly expected: { readonly min: number; readonly max: number };
}

export interface Judgement {
  readonly findings: readonly UnusualShare[];
  readonly history: History;
}

/** Comparisons that must be known of a collection before it is judged: it is from its fourth backup on. */
export const comparisonsMin = 2;

/** The smallest share and number that is reported, however quiet the history is. */
export const minimums = {
  deleted: { share: 0.12, documents: 5, total: 10 },
  entropy: { share: 0.025, documents: 3, total: 10 },
  changed: { share: 0.2, documents: 10, total: 10 },
  added: { share: 0.5, documents: 10, total: 10 },
} as const;

export interface JudgedRun {
  readonly id: string;
  /** The read time of the backup, in milliseconds. */
  readonly at: number;
  readonly statistics: StatisticsByCollection;
}

/** Without a history the backup becomes its beginning. */
export const detectAnomaly = (history: History | undefined, { id, at, statistics }: JudgedRun): Judgement => {
  if (!history) return { findings: [], history: { runs: [], stock: stockOf(statistics, undefined, new Map()), at } };
  const judged = [...new Set([...history.stock.keys(), ...statistics.keys()])].flatMap((name) => {
    const before = history.stock.get(name);
    return before ? [judgeCollection(history, { name, before, statistics: statistics.get(name) ?? emptyStatistics(), at })] : [];
  });
  const activity = new Map(judged.map(({ name, activity: one }) => [name, one]));
  const mature = judged.filter(({ isMature }) => isMature);
  const findings = mature.flatMap((one) => one.findings);
  const whole = mature.length > 1 ? judgeWhole(history, mature, at) : [];
  const all = [...whole, ...findings];
  const isAnomalous = all.some(({ kind }) => kind !== 'added');
  // Growth alone is no reason to worry; beside something else it is worth knowing.
  const reported = isAnomalous ? [...all, ...mature.flatMap((one) => one.remarks)] : [];
  const run: Run = { id, at, state: isAnomalous ? 'open' : 'normal', activity: onlyActive(activity) };
  const lost = new Map(judged.map(({ name, lostFields }) => [name, lostFields]));
  return { findings: reported, history: { runs: [...history.runs, run], stock: stockOf(statistics, history, lost), at } };
};

const onlyActive = (activity: ReadonlyMap<string, Activity>): ReadonlyMap<string, Activity> =>
  new Map([...activity].filter(([, { deleted, changed, added, opaque }]) => deleted + changed + added + opaque > 0));

interface Judged {
  readonly name: string;
  readonly activity: Activity;
  readonly byChance: number;
  readonly isMature: boolean;
  readonly findings: readonly UnusualShare[];
  /** Reported beside findings only. */
  readonly remarks: readonly UnusualShare[];
  readonly lostFields: readonly string[];
}

type Metric = 'deleted' | 'changed' | 'added' | 'opaque';

const judgeCollection = (
  history: History,
  {
    name,
    before,
    statistics,
    at,
  }: { readonly name: string; readonly before: CollectionStock; readonly statistics: CollectionStatistics; readonly at: number },
): Judged => {
  const previous = before.documents;
  const survivors = Math.max(0, statistics.documents - statistics.added);
  const deleted = Math.max(0, previous - survivors);
  const growth = findOpaqueGrowth(before, statistics, deleted);
  const isReplaced = wasReplaced(before, statistics, deleted);
  const opaque = Math.round(growth.documents);
  const activity = { previous, deleted: isReplaced ? 0 : deleted, changed: statistics.changed, added: statistics.added, opaque };
  const isMature = before.runs >= comparisonsMin;
  const vanished = isMature && isCollection(name) ? findVanishedFields(before, statistics.ofChanged, survivors) : [];
  const context = { history, at, previous, past: (metric: Metric) => pastOf(history, { name, known: before.runs, metric }) };
  const collection = isCollection(name) ? name : null;
  const found = (
    kind: keyof typeof minimums,
    {
      metric,
      documents,
      field = null,
    }: { readonly metric: Metric; readonly documents: number; readonly field?: string | null | undefined },
  ) => exceeds(context, { kind, metric, documents, about: { collection, field } });
  const gone = found('deleted', { metric: 'deleted', documents: activity.deleted });
  const encrypted =
    growth.documents > growth.byChance
      ? found('entropy', { metric: 'opaque', documents: opaque, field: growth.field })
      : undefined;
  const rewritten = found('changed', { metric: 'changed', documents: statistics.changed });
  const isEmptied = rewritten !== undefined && hasLostContent(before, statistics.ofChanged);
  const findings = [gone, encrypted, isEmptied ? rewritten : undefined, ...vanished.map((one) => schemaFinding(name, one))];
  const remarks = [isEmptied ? undefined : rewritten, found('added', { metric: 'added', documents: statistics.added })];
  return {
    name,
    activity,
    byChance: growth.byChance,
    isMature,
    findings: findings.filter((one) => one !== undefined),
    remarks: remarks.filter((one) => one !== undefined),
    lostFields: vanished.map(({ field }) => field),
  };
};

const schemaFinding = (
  collection: string,
  { field, documents, total }: { field: string; documents: number; total: number },
): UnusualShare => ({
  collection,
  kind: 'schema',
  field,
  observed: { documents, total, share: rounded(documents / total) },
  expected: { min: 0, max: 0.5 },
});

/** All collections that are judged, together: an attack may take a little of each. */
const judgeWhole = (history: History, mature: readonly Judged[], at: number): readonly UnusualShare[] => {
  const sum = (of: (one: Judged) => number): number => mature.reduce((total, one) => total + of(one), 0);
  const previous = sum(({ activity }) => activity.previous);
  const names = new Set(mature.map(({ name }) => name));
  const context = { history, at, previous, past: (metric: Metric) => pastOfAll(history, names, metric) };
  const about = { collection: null, field: null };
  const gone = exceeds(context, {
    kind: 'deleted',
    metric: 'deleted',
    documents: sum(({ activity }) => activity.deleted),
    about,
  });
  const opaque = sum(({ activity }) => activity.opaque);
  const isByChance = opaque <= sum(({ byChance }) => byChance);
  const encrypted = isByChance ? undefined : exceeds(context, { kind: 'entropy', metric: 'opaque', documents: opaque, about });
  return [gone, encrypted].filter((one) => one !== undefined);
};

interface Context {
  readonly history: History;
  readonly at: number;
  readonly previous: number;
  readonly past: (metric: Metric) => readonly PastShare[];
}

/** A finding, if the share is above its minimum and above what the history lets expect. */
const exceeds = (
  { history, at, previous, past }: Context,
  {
    kind,
    metric,
    documents,
    about,
  }: {
    readonly kind: keyof typeof minimums;
    readonly metric: Metric;
    readonly documents: number;
    readonly about: { readonly collection: string | null; readonly field: string | null };
  },
): UnusualShare | undefined => {
  const minimum = minimums[kind];
  if (documents < minimum.documents || previous < minimum.total || documents < minimum.share * previous) return undefined;
  const known = past(metric);
  const stretch = Math.min(14, Math.max(1, (at - history.at) / Math.max(1, medianInterval(history.runs))));
  const isBeyondChance = metric === 'opaque';
  const max = expectedMax({ past: known, at, stretch, documents: previous, floor: minimum.share, isBeyondChance });
  const share = documents / previous;
  if (share <= max && max > minimum.share) return undefined;
  return {
    ...about,
    kind,
    observed: { documents, total: previous, share: rounded(share) },
    expected: { min: 0, max: rounded(max) },
  };
};

/** Runs with an open finding are no measure of what is normal. */
const isMeasure = ({ state }: Run): boolean => state !== 'open';

/** The shares of a collection in the last runs; nothing happened in a run that does not name it. */
const pastOf = (
  { runs }: History,
  { name, known, metric }: { readonly name: string; readonly known: number; readonly metric: Metric },
): readonly PastShare[] =>
  runs
    .slice(Math.max(0, runs.length - known))
    .filter(isMeasure)
    .map(({ at, state, activity }) => ({ at, isAccepted: state === 'accepted', share: shareOf(activity.get(name), metric) }));

const pastOfAll = ({ runs, stock }: History, names: ReadonlySet<string>, metric: Metric): readonly PastShare[] => {
  const total = [...names].reduce((sum, name) => sum + (stock.get(name)?.documents ?? 0), 0);
  return runs.filter(isMeasure).map(({ at, state, activity }) => {
    let count = 0;
    for (const [name, one] of activity) if (names.has(name)) count += one[metric];
    return { at, isAccepted: state === 'accepted', share: total > 0 ? count / total : 0 };
  });
};

const shareOf = (activity: Activity | undefined, metric: Metric): number =>
  activity && activity.previous > 0 ? activity[metric] / activity.previous : 0;

const rounded = (value: number): number => Math.round(value * 1e4) / 1e4;
