/** What is remembered of earlier backups of the same collections. Bounded, and independent of how long the backups are kept. */
import {
  type CollectionStatistics,
  emptySample,
  mergeSample,
  restId,
  type Sample,
  type StatisticsByCollection,
} from './statistics.ts';

/** normal: nothing was found. open: something was, and it is not acknowledged. accepted: a person has acknowledged it. */
export type RunState = 'normal' | 'open' | 'accepted';

export interface Activity {
  /** Documents before. */
  readonly previous: number;
  readonly deleted: number;
  readonly changed: number;
  readonly added: number;
  /** Documents whose content became opaque. */
  readonly opaque: number;
}

/** One backup, compared with the one before it. */
export interface Run {
  readonly id: string;
  /** Its read time, in milliseconds. */
  readonly at: number;
  readonly state: RunState;
  /** By collection id, without those in which nothing happened. */
  readonly activity: ReadonlyMap<string, Activity>;
}

export interface FieldStock {
  /** Share of the documents that have the field, and the share of those in which it is opaque. */
  readonly share: number;
  readonly opaque: number;
  /** Consecutive backups in which a good part of the documents had it. */
  readonly runs: number;
}

/** The documents of a collection in the last backup. */
export interface CollectionStock {
  readonly documents: number;
  /** Backups that were compared while it existed. */
  readonly runs: number;
  readonly examined: number;
  /** Bytes of text per document, and their entropy in bits per byte. */
  readonly textBytes: number;
  readonly bits: number;
  readonly fields: ReadonlyMap<string, FieldStock>;
  /** Fields that vanished before: they come and go. */
  readonly lost: readonly string[];
}

export interface History {
  /** Oldest first. */
  readonly runs: readonly Run[];
  readonly stock: ReadonlyMap<string, CollectionStock>;
  /** When the last backup was read, in milliseconds. */
  readonly at: number;
}

/** A field that fewer documents have is not followed. */
export const followedShare = 0.2;
const rememberedShare = 0.02;
const lostMax = 20;

export const stockOf = (
  statistics: StatisticsByCollection,
  before: History | undefined,
  lost: ReadonlyMap<string, readonly string[]>,
) => new Map([...statistics].map(([id, one]) => [id, collectionStock(one, before?.stock.get(id), lost.get(id) ?? [])] as const));

const collectionStock = (
  statistics: CollectionStatistics,
  before: CollectionStock | undefined,
  lost: readonly string[],
): CollectionStock => {
  const all = allOf(statistics);
  // Nothing was looked into: it looks as it did.
  if (all.examined === 0 && statistics.documents > 0 && before) {
    const fields = [...before.fields].map(([name, one]) => [name, { ...one, runs: one.runs > 0 ? one.runs + 1 : 0 }] as const);
    return { ...before, documents: statistics.documents, runs: before.runs + 1, fields: new Map(fields) };
  }
  const per = (count: number): number => (all.documents > 0 ? count / all.documents : 0);
  const fields = [...all.fields]
    .map(([name, { present, opaque }]) => {
      const share = Math.min(1, per(present));
      const runs = share >= followedShare ? (before?.fields.get(name)?.runs ?? 0) + 1 : 0;
      return [name, { share: rounded(share), opaque: rounded(opaque / present), runs }] as const;
    })
    .filter(([, { share }]) => share >= rememberedShare);
  return {
    documents: statistics.documents,
    runs: before ? before.runs + 1 : 0,
    examined: all.examined,
    textBytes: rounded(per(all.textBytes)),
    bits: rounded(all.withText > 0 ? all.bits / all.withText : 0),
    fields: new Map(fields),
    lost: [...new Set([...(before?.lost ?? []), ...lost])].slice(-lostMax),
  };
};

export const allOf = ({ ofUnchanged, ofChanged, ofAdded }: CollectionStatistics): Sample => {
  const all = emptySample();
  for (const sample of [ofUnchanged, ofChanged, ofAdded]) mergeSample(all, sample);
  return all;
};

const rounded = (value: number): number => Math.round(value * 1e4) / 1e4;

/** Runs that are remembered; those of seven weeks, if a project is backed up four times a day. */
const runsMax = 200;
const runsKept = 10;

/** As JSON texts of bounded size: the oldest runs are left out first, then the smallest collections and those with the least activity. */
export const encodeHistory = ({ runs, stock, at }: History, maxBytes = 120_000): { runs: string; stock: string; at: number } => {
  const kept = runs.slice(-runsMax).map(encodeRun);
  let encodedRuns = JSON.stringify(kept);
  while (Buffer.byteLength(encodedRuns) > maxBytes && kept.length > runsKept) {
    kept.splice(0, Math.max(1, Math.floor(kept.length / 8)));
    encodedRuns = JSON.stringify(kept);
  }
  for (let max = activeMax; Buffer.byteLength(encodedRuns) > maxBytes; max = Math.floor(max / 2))
    encodedRuns = JSON.stringify(kept.map(([id, moment, state, activity]) => [id, moment, state, activity.slice(0, max)]));
  const bySize = [...stock].sort(([, a], [, b]) => b.documents - a.documents);
  let encodedStock = JSON.stringify(bySize.map(encodeStock));
  while (Buffer.byteLength(encodedStock) > maxBytes) {
    bySize.splice(Math.floor((bySize.length * 7) / 8));
    encodedStock = JSON.stringify(bySize.map(encodeStock));
  }
  return { runs: encodedRuns, stock: encodedStock, at };
};

type EncodedRun = readonly [string, number, RunState, readonly (readonly [string, number, number, number, number, number])[]];

/** Collections with the most activity; more rarely matter. */
const activeMax = 100;

const encodeRun = ({ id, at, state, activity }: Run): EncodedRun => [
  id,
  at,
  state,
  [...activity]
    .sort(([, a], [, b]) => b.deleted + b.changed + b.added - a.deleted - a.changed - a.added)
    .slice(0, activeMax)
    .map(([name, { previous, deleted, changed, added, opaque }]) => [name, previous, deleted, changed, added, opaque] as const),
];

type EncodedStock = readonly [
  ...(readonly [string, number, number, number, number, number]),
  readonly (readonly [string, number, number, number])[],
  readonly string[],
];

const encodeStock = ([id, { documents, runs, examined, textBytes, bits, fields, lost }]: readonly [
  string,
  CollectionStock,
]): EncodedStock => [
  ...([id, documents, runs, examined, textBytes, bits] as const),
  [...fields].map(([name, field]) => [name, field.share, field.opaque, field.runs] as const),
  lost,
];

export const decodeHistory = ({ runs, stock, at }: { runs: string; stock: string; at: number }): History => ({
  at,
  runs: (JSON.parse(runs) as readonly EncodedRun[]).map(([id, moment, state, activity]) => ({
    id,
    at: moment,
    state,
    activity: new Map(
      activity.map(([name, previous, deleted, changed, added, opaque]) => [name, { previous, deleted, changed, added, opaque }]),
    ),
  })),
  stock: new Map(
    (JSON.parse(stock) as readonly EncodedStock[]).map(([id, documents, seen, examined, textBytes, bits, fields, lost]) => [
      id,
      {
        documents,
        runs: seen,
        examined,
        textBytes,
        bits,
        lost,
        fields: new Map(fields.map(([name, share, opaque, fieldRuns]) => [name, { share, opaque, runs: fieldRuns }])),
      },
    ]),
  ),
});

/** The rest is counted, but it is no collection. */
export const isCollection = (id: string): boolean => id !== restId;
