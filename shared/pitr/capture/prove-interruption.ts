/** Proves the moments of a cycle at which collections were not listened to: after an interruption, at the start, or before they were found. */
import type { FirestoreDatabase } from '../../firestore/index.ts';
import { Lookup } from '../coverage/document-lookup.ts';
import type { PastSpan } from '../coverage/past-group.ts';
import { PastTally } from '../coverage/past-tally.ts';
import { provePastMoments } from '../coverage/prove-past-moments.ts';
import { joinedRuns, runsOf, secondsBetween } from '../coverage/unproven-runs.ts';
import type { CollectionGroup, ObservedChanges, Span } from '../listen/observed-changes.ts';
import { microsOf, momentOf } from '../model/micro-time.ts';
import type { Gap } from '../model/record.ts';
import type { ResumePosition } from '../model/resume-position.ts';
import { baseProofReads, type ReadBudget } from './read-budget.ts';

const second = 1_000_000;
const proofMs = 120_000;

interface Interruption {
  readonly source: FirestoreDatabase;
  /** Everything up to here was captured before. */
  readonly from: number;
  /** The end of the cycle. */
  readonly to: number;
  /** Moments that are wanted beside whole seconds: the end of the cycle, and read times of backups that may become bases. */
  readonly others: readonly number[];
  /** The one among them at which the requested base was read. */
  readonly baseAt: number | undefined;
  /** Every second is known of the documents that existed at an end; otherwise only the end of the cycle is wanted. */
  readonly isProven: boolean;
  /** Whether no collection is known to be missing. */
  readonly areAllListened: boolean;
  /** Collections discovered by a base: up to the end of the cycle they have a gap. */
  readonly found: readonly ResumePosition[];
  /** Gaps of root collections that existed only between two captures. */
  readonly shortLived: readonly Gap[];
  readonly pastReadsLeft: number;
  readonly budget: ReadBudget;
  readonly signal: AbortSignal;
}

export interface ProvenInterruption {
  /** Periods without listening, both ends exclusive, without the proven read times. */
  readonly unobserved: readonly Span[];
  /** Periods that are not proven for all collections, and gaps of some. */
  readonly unproven: readonly Span[];
  readonly unprovenGaps: readonly Gap[];
}

export const proveInterruption = async (
  { groups, writer }: ObservedChanges,
  interruption: Interruption,
): Promise<ProvenInterruption> => {
  const { source, to, others, isProven, areAllListened, shortLived, budget, signal, pastReadsLeft, baseAt } = interruption;
  const { history } = writer;
  const missed = [...groups.values()].filter(({ unobserved }) => unobserved);
  const periods = missed.flatMap((group) => group.unobserved ?? []);
  const isAll = missed.length === groups.size;
  const known = missed.map((group) => spanOf(group, interruption)).filter(({ moments }) => moments.length > 0);
  if (known.length === 0 || !history) return { unobserved: periods, unproven: [], unprovenGaps: shortLived };
  const whole = { from: Math.min(...periods.map((one) => one.from)), to: Math.max(...periods.map((one) => one.to)) };
  // A root collection that existed only within the interruption is found like a document that did.
  const brief = shortLived.filter((gap) => isAll && isProven && isWithin(gap, whole, to));
  const tally = new PastTally(pastReadsLeft);
  const lookup = new Lookup(source, signal);
  const allUpTo = areAllListened && isAll && known.length === missed.length ? to : undefined;
  const reads = { source, lookup, tally, writer, isEverySecond: isProven, others, signal };
  const spans = [...known, ...brief.map((gap) => briefSpan(gap, interruption, whole))];
  const counts = [...groups.values()].map(({ position: { count = 0 } }) => count);
  const base = baseAt === undefined ? undefined : { at: baseAt, reads: baseProofReads(counts) };
  const { unproven, unknownAt } = await provePastMoments(spans, { ...reads, history, allUpTo, base, withinMs: proofMs }).finally(
    () => {
      budget.reads += tally.reads;
      budget.pastReads += tally.reads - tally.lent;
    },
  );
  const readTimes = others.filter((moment) => moment !== to);
  const isProvenAt = (moment: number): boolean =>
    known.length === missed.length &&
    known.every(
      ({ collectionId, moments, ...span }) =>
        span.from >= moment || span.to <= moment || (moments.includes(moment) && !unproven.get(collectionId)?.includes(moment)),
    );
  const isOpen = ({ collectionId, moments }: PastSpan): boolean => moments.some((at) => unproven.get(collectionId)?.includes(at));
  // A restore uses whole seconds and ends of cycles, not the read times of backups.
  const isAsked = (at: number): boolean => at === to || (isProven && at % second === 0);
  const asked = known.map((span) => ({ ...span, moments: span.moments.filter(isAsked) }));
  const open = asked.filter(isOpen);
  const briefOpen = new Set(
    spans
      .slice(known.length)
      .filter(isOpen)
      .map(({ collectionId }) => collectionId),
  );
  return {
    unobserved: readTimes.filter(isProvenAt).reduce(splitAt, periods),
    unproven: isAll ? joinedRuns(open.flatMap((span) => runsOf(span, unproven.get(span.collectionId) ?? []))) : [],
    unprovenGaps: [
      ...shortLived.filter((gap) => !brief.includes(gap) || briefOpen.has(gap.collections?.[0] ?? '')),
      ...(isAll ? [] : open.flatMap((span) => runsOf(span, unproven.get(span.collectionId) ?? []).map(gapOf(span)))),
      ...runs(unknownAt).map(unknownGap),
    ],
  };
};

/** Both ends are known. A discovered collection has a gap up to the end of the cycle. */
const spanOf = (group: CollectionGroup, { to: end, others, isProven, found }: Interruption): PastSpan => {
  const { collectionId, count, isCounted, to: from } = group.position;
  const { to } = group.unobserved ?? { to: from };
  const first = found.some((one) => one.collectionId === collectionId) ? Math.max(from, end) : from;
  const also = others.filter((at) => first < at && at < to);
  const moments = [...new Set([...(isProven ? secondsBetween(first, to) : []), ...also])].sort((a, b) => a - b);
  return { collectionId, from, to, count: isCounted ? count : undefined, changes: group.changes, moments };
};

const splitAt = (periods: readonly Span[], moment: number): readonly Span[] =>
  periods.flatMap(({ from, to }) =>
    from < moment && moment < to
      ? [
          { from, to: moment },
          { from: moment, to },
        ]
      : [{ from, to }],
  );

/** Both ends of a gap are exclusive. */
const isWithin = ({ from, to, collections }: Gap, whole: Span, end: number): boolean =>
  collections?.length === 1 &&
  to !== null &&
  microsOf(from) >= whole.from - second &&
  microsOf(to) <= Math.min(whole.to, end) + second;

const briefSpan = ({ from, to, collections = [] }: Gap, { from: start }: Interruption, whole: Span): PastSpan => ({
  collectionId: collections[0] ?? '',
  from: start,
  to: whole.to,
  count: undefined,
  changes: new Map(),
  moments: secondsBetween(microsOf(from), to === null ? 0 : microsOf(to)).filter((at) => at > start && at < whole.to),
});

/** Consecutive seconds. */
const runs = (moments: readonly number[]): readonly Span[] =>
  joinedRuns(moments.map((at) => ({ from: at - second, to: at + second })));

const gapOf =
  ({ collectionId }: PastSpan) =>
  ({ from, to }: Span): Gap => ({
    from: momentOf(from),
    to: momentOf(to),
    reason: 'sampled: the collection was found late, and its documents before are not proven',
    collections: [collectionId],
    isAtRoot: true,
  });

const unknownGap = ({ from, to }: Span): Gap => ({
  from: momentOf(from),
  to: momentOf(to),
  reason: 'documents of unknown collections existed while capturing was interrupted',
  collections: [],
});
