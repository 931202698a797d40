/** Resolves the moment of a restore and its base, from the record and the periods of the batches alone. */
import { ApiError, invalid } from '../../contract/errors.ts';
import { floorSecond, microsOf, momentOf, shownMoment } from '../model/micro-time.ts';
import type { Base, BatchRecord, Divergence, PitrRecord } from '../model/record.ts';
import { divergedAt } from '../timeline/diverged-periods.ts';
import { isUnchecked } from '../timeline/unchecked-periods.ts';
import { baseFor, shownGap, windowsOf } from '../timeline/windows.ts';
import {
  isGapAt,
  lastIdOf,
  type MissingCoverage,
  missingAt,
  missingCoverageAt,
  type PointRequest,
  reachOf,
  refusePartial,
} from './missing-coverage.ts';

/** Requested collections whose existence at that moment is unknown. */
export interface Doubt {
  readonly collectionIds: readonly string[];
  /** The error for collections that the base lacks, and what is recorded instead if a partial restore is allowed. */
  readonly refusal: (ids: readonly string[]) => ApiError;
  readonly uncovered: (ids: readonly string[]) => MissingCoverage;
  readonly allowPartial: boolean;
}

type Span = Pick<BatchRecord, 'from' | 'to' | 'isProven' | 'heardTo'>;

export interface PointInTime {
  /** The requested second or, if that is not known, the last known moment before. */
  readonly moment: string;
  readonly base: Base;
  /** Collections are incomplete, requested or not. */
  readonly isPartial: boolean;
  /** There may have been other collections. */
  readonly isUnchecked?: boolean;
  /** What the restore lacks of its request. */
  readonly uncovered?: MissingCoverage;
  /** What an audit found to differ in a time that includes the moment, as far as it may concern the request. */
  readonly diverged?: Divergence;
  /** What the moment lacks, requested or not. */
  readonly lacks?: MissingCoverage;
  /** Collections whose missing documents may have existed although the point contains others of them; `*`: all at the root; `**`: all. */
  readonly absenceUnknown?: readonly string[];
}

/** The start of the requested second. Refuses a moment in the future. */
export const requestedSecond = ({ pointInTime, isExact }: PointRequest, now: Date): string => {
  if (isExact) return pointInTime;
  const requestedMs = Date.parse(pointInTime);
  if (requestedMs > now.getTime()) throw invalid('pointInTime', 'must not be in the future');
  return momentOf(floorSecond(requestedMs * 1_000));
};

/**
 * Refuses a moment outside the windows, and more than is proven for it. The batches must be those from `baseOf` up to the moment;
 * the gaps at that moment must have all their collection ids.
 */
export const resolvePoint = (
  record: PitrRecord,
  batches: readonly Span[],
  { request, now }: { readonly request: PointRequest; readonly now: Date },
): PointInTime => {
  const second = requestedSecond(request, now);
  const base = baseOf(record, request, now);
  const moment = lastKnown(base, batches, quietStart(record, batches, second));
  // It may be earlier than requested, with other gaps.
  const uncovered = missingCoverageAt(record, moment, request);
  if (uncovered && !request.allowPartial) throw refusePartial(record, { moment, request, uncovered, now });
  const missing = missingAt(record, moment);
  const lacks = missingCoverageAt(record, moment, { ...request, collectionIds: undefined });
  const diverged = divergedAt(record, moment, request.collectionIds);
  const atRoot = missing
    .filter(({ isAtRoot }) => isAtRoot)
    .flatMap(({ collections = [] }) => (collections.length > 0 ? collections : ['*']));
  return {
    moment,
    base,
    isPartial: missing.length > 0 || uncovered !== undefined,
    ...((uncovered || isUnchecked(record, moment)) && { isUnchecked: true }),
    ...(uncovered && { uncovered }),
    ...(diverged && { diverged }),
    ...(lacks && { lacks }),
    ...(uncovered?.sampled ? { absenceUnknown: ['**'] } : uncovered && atRoot.length > 0 && { absenceUnknown: atRoot }),
  };
};

/** The base of the requested moment. */
export const baseOf = (record: PitrRecord, request: PointRequest, now: Date): Base => {
  const second = requestedSecond(request, now);
  // Windows are of whole seconds; the end of a capture may follow the last one.
  const base = request.isExact || isInWindow(record, second, now) ? baseFor(record, second) : undefined;
  if (!base) throw outside(record, second, now);
  const uncovered = missingCoverageAt(record, second, request);
  if (uncovered && !request.allowPartial) throw refusePartial(record, { moment: second, request, uncovered, now });
  return base;
};

/**
 * If unknown collections may have existed at that moment: the requested ones that no batch contains. The base may contain them; root
 * collections are always known.
 */
export const doubtAt = (
  record: PitrRecord,
  batches: readonly Pick<BatchRecord, 'collections'>[],
  { moment, request, now }: { readonly moment: string; readonly request: PointRequest; readonly now: Date },
): Doubt | undefined => {
  const gap = missingAt(record, moment).find(({ collections }) => collections?.length === 0);
  if (!gap && !isUnchecked(record, moment)) return undefined;
  const deep = (request.named ?? []).filter((path) => path.includes('/')).map(lastIdOf);
  const captured = new Set(deep.length === 0 ? [] : batches.flatMap(({ collections }) => JSON.parse(collections) as string[]));
  const collectionIds = [...new Set(deep)].filter((id) => !captured.has(id));
  if (collectionIds.length === 0) return undefined;
  const reason =
    gap?.reason ?? 'they were not captured, and it was not counted yet whether there are collections below documents';
  const uncovered = (ids: readonly string[]): MissingCoverage => ({
    collections: ids,
    count: ids.length,
    complete: true,
    reason,
  });
  return {
    collectionIds,
    uncovered,
    allowPartial: request.allowPartial ?? false,
    refusal: (ids) => refusePartial(record, { moment, request, uncovered: uncovered(ids), now }),
  };
};

/**
 * Within an unproven batch only its ends are known, and the read time of a base within it. After its end, as far as some collections
 * were captured, only that end is known.
 */
const lastKnown = (base: Base, batches: readonly Span[], second: string): string => {
  let at = microsOf(second);
  for (const { isProven, from, to, heardTo = to } of batches.toReversed()) {
    if (isProven || at <= microsOf(from) || at === microsOf(to) || at >= microsOf(heardTo)) continue;
    at = at > microsOf(to) ? microsOf(to) : microsOf(from);
  }
  return momentOf(Math.max(microsOf(base.readTime), at));
};

/**
 * Where nothing changed from one capture to the next, the start of that time is known. Old gaps are merged and then have batches within:
 * the end of the last one before the moment is known, and a moment within a batch is that batch's matter.
 */
const quietStart = ({ gaps }: PitrRecord, batches: readonly Span[], second: string): string => {
  const gap = gaps.find((one) => one.isQuiet && isGapAt(one, second));
  const at = microsOf(second);
  if (!gap || batches.some(({ from, to }) => microsOf(from) < at && at <= microsOf(to))) return second;
  const ends = batches.map(({ to }) => microsOf(to)).filter((end) => end <= at);
  return momentOf(Math.max(microsOf(gap.from), ...ends));
};

const isInWindow = (record: PitrRecord, second: string, now: Date): boolean =>
  windowsOf(record, now).windows.some(({ from, to }) => microsOf(from) <= microsOf(second) && microsOf(second) <= microsOf(to));

const outside = (record: PitrRecord, second: string, now: Date): ApiError => {
  const { earliest, latest } = reachOf(record, now);
  const gap = record.gaps.find((one) => one.collections === undefined && !one.isBridged && isGapAt(one, second));
  const requested = shownMoment(microsOf(second));
  const why =
    earliest === null
      ? 'nothing is captured yet'
      : gap
        ? `it lies in a gap: ${gap.reason}`
        : requested < earliest
          ? `the earliest moment is ${earliest}`
          : `the latest moment is ${latest}`;
  return new ApiError('CONFLICT', `The project cannot be restored to ${requested}: ${why}`, {
    pointInTime: requested,
    ...reachOf(record, now),
    ...(gap && { gap: shownGap(gap) }),
  });
};
