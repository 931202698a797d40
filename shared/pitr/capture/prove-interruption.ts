/** Proves the moments of a cycle at which collections were not listened to: after an interruption, at the start, or before they were found. */
import { countGroup, type FirestoreDatabase } from '../../firestore/index.ts';
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
  /** Every second is known of the documents of collections that were found after the batches of earlier cycles. */
  readonly isEarlierProven: boolean;
  /** Whether no collection is known to be missing. */
  readonly areAllListened: boolean;
  /** Collections discovered by a base: up to the end of the cycle they have a gap. */
  readonly found: readonly ResumePosition[];
  /** At both ends of the cycle it was counted that there are no other collections. */
  readonly areEndsCounted: boolean;
  /** Gaps of collections that existed only between two captures. */
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
  const {
    source,
    from,
    to,
    others,
    isProven,
    isEarlierProven,
    areAllListened,
    shortLived,
    budget,
    signal,
    pastReadsLeft,
    baseAt,
  } = interruption;
  const missed = [...groups.values()].filter(({ unobserved }) => unobserved);
  const periods = missed.flatMap((group) => group.unobserved ?? []);
  const isAll = missed.length === groups.size;
  const all = missed.map((group) => spanOf(group, interruption));
  const known = all.filter(({ moments }) => moments.length > 0);
  const isEarlier = (span: Span): boolean => span.from < from;
  const earlierGaps = isEarlierProven ? [] : all.filter(isEarlier).map((span) => gapOf(span)({ from: span.from, to }));
  const areEndsCounted = interruption.areEndsCounted && isProven;
  if (known.length === 0 && !(areEndsCounted && shortLived.length > 0))
    return { unobserved: periods, unproven: [], unprovenGaps: [...shortLived, ...earlierGaps] };
  const history = writer.recordHistory();
  const hull = [...periods, ...(areEndsCounted ? [{ from, to }] : [])];
  const whole = { from: Math.min(...hull.map((one) => one.from)), to: Math.max(...hull.map((one) => one.to)) };
  // What existed only within that time is found like a document that did.
  const isBrief = (gap: Gap): boolean => (areEndsCounted || (isAll && isProven)) && isWithin(gap, whole, to);
  const brief = await absentAtEnd(shortLived.filter(isBrief), interruption);
  const tally = new PastTally(pastReadsLeft);
  const lookup = new Lookup(source, signal);
  const allUpTo = areAllListened && isAll && known.length === missed.length ? to : undefined;
  const isEverySecond = isProven || (isEarlierProven && known.some(isEarlier));
  const reads = { source, lookup, tally, writer, isEverySecond, others, signal };
  const spans = [...known, ...brief.map((gap) => briefSpan(gap, interruption, isAll ? whole : { from, to }))];
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
  const ends = new Set(writer.earlier?.ends);
  const isAsked = (at: number): boolean =>
    at === to || ends.has(at) || (at % second === 0 && (at < from ? isEarlierProven : isProven));
  const asked = known.map((span) => ({ ...span, moments: span.moments.filter(isAsked) }));
  const open = asked.filter(isOpen);
  // Other collections are known at these times.
  const ownOpen = isAll ? open.filter(isEarlier) : open;
  const briefOpen = new Set(
    spans
      .slice(known.length)
      .filter(isOpen)
      .map(({ collectionId }) => collectionId),
  );
  return {
    unobserved: readTimes.filter(isProvenAt).reduce(splitAt, periods),
    unproven: isAll
      ? joinedRuns(open.filter((span) => !isEarlier(span)).flatMap((span) => runsOf(span, unproven.get(span.collectionId) ?? [])))
      : [],
    unprovenGaps: [
      ...shortLived.filter((gap) => !brief.includes(gap) || briefOpen.has(gap.collections?.[0] ?? '')),
      ...ownOpen.flatMap((span) => runsOf(span, unproven.get(span.collectionId) ?? []).map(gapOf(span))),
      ...earlierGaps,
      ...runs(unknownAt).map(unknownGap),
    ],
  };
};

/** Both ends are known. A discovered collection has a gap up to the end of the cycle. */
const spanOf = (group: CollectionGroup, interruption: Interruption): PastSpan => {
  const { from: start, to: end, others, isEarlierProven, found } = interruption;
  const { collectionId, count, isCounted, to: from } = group.position;
  const { to } = group.unobserved ?? { to: from };
  const first = found.some((one) => one.collectionId === collectionId) ? Math.max(from, end) : from;
  const isEarlier = from < start;
  const isProven = isEarlier ? isEarlierProven : interruption.isProven;
  const also = others.filter((at) => first < at && at < to && (isProven || !isEarlier || at === end));
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

/** Those whose id has no documents at the end of the cycle: their documents are gone by then. */
const absentAtEnd = async (
  brief: readonly Gap[],
  { source, to, areEndsCounted, budget, signal }: Interruption,
): Promise<readonly Gap[]> => {
  if (areEndsCounted) return brief;
  const absent: Gap[] = [];
  for (const gap of brief) {
    const collectionId = gap.collections?.[0] ?? '';
    const { documents, reads } = await countGroup(source, { collectionId, readTime: momentOf(to), signal });
    budget.reads += reads;
    if (documents === 0) absent.push(gap);
  }
  return absent;
};

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
