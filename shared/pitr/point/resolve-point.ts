/** Resolves the moment of a restore and its base, from the record and the periods of the batches alone. */
import { ApiError, invalid } from '../../contract/errors.ts';
import { floorSecond, microsOf, momentOf, shownMoment } from '../model/micro-time.ts';
import type { Base, BatchRecord, Gap, PitrRecord } from '../model/record.ts';
import { baseFor, isUnchecked, shownGap, windowsOf } from '../timeline/windows.ts';

export interface PointRequest {
  readonly pointInTime: string;
  /** The ids of the requested collections; undefined if subcollections are requested, too. */
  readonly collectionIds?: readonly string[] | undefined;
  /** The paths of the requested collections, or of those that contain requested documents; undefined if all are requested. */
  readonly named?: readonly string[] | undefined;
}

/** Requested collections whose existence at that moment is unknown. */
export interface Doubt {
  readonly collectionIds: readonly string[];
  /** To throw if the base does not contain them. */
  readonly refusal: ApiError;
}

type Span = Pick<BatchRecord, 'from' | 'to' | 'isProven' | 'heardTo'>;

export interface PointInTime {
  /** The requested second or, if that is not known, the last known moment before. */
  readonly moment: string;
  readonly base: Base;
  /** Collections that were not requested are incomplete. */
  readonly isPartial: boolean;
  /** It was not checked whether there were other collections. */
  readonly isUnchecked?: boolean;
}

/** The start of the requested second. Refuses a moment in the future. */
export const requestedSecond = ({ pointInTime }: PointRequest, now: Date): string => {
  const requestedMs = Date.parse(pointInTime);
  if (requestedMs > now.getTime()) throw invalid('pointInTime', 'must not be in the future');
  return momentOf(floorSecond(requestedMs * 1_000));
};

/** Refuses a moment outside the windows. The batches must be those from `baseOf` up to the moment. */
export const resolvePoint = (record: PitrRecord, batches: readonly Span[], request: PointRequest, now: Date): PointInTime => {
  const second = requestedSecond(request, now);
  const base = baseOf(record, request, now);
  const moment = lastKnown(base, batches, second);
  // It may be earlier than requested, with other gaps.
  refuseLost(record, moment, request, now);
  return {
    moment,
    base,
    isPartial: missingAt(record, moment).length > 0,
    ...(isUnchecked(record, moment) && { isUnchecked: true }),
  };
};

/** The base of the requested moment. */
export const baseOf = (record: PitrRecord, request: PointRequest, now: Date): Base => {
  const second = requestedSecond(request, now);
  const base = isInWindow(record, second, now) ? baseFor(record, second) : undefined;
  if (!base) throw outside(record, second, now);
  refuseLost(record, second, request, now);
  return base;
};

/**
 * If unknown collections may have existed at that moment: the requested ones that no batch contains. The base may contain them; root
 * collections are always known.
 */
export const doubtAt = (
  record: PitrRecord,
  batches: readonly Pick<BatchRecord, 'collections'>[],
  { moment, request }: { readonly moment: string; readonly request: PointRequest },
  now: Date,
): Doubt | undefined => {
  const gap = missingAt(record, moment).find(({ collections }) => collections?.length === 0);
  if (!gap && !isUnchecked(record, moment)) return undefined;
  const deep = (request.named ?? []).filter((path) => path.includes('/')).map(idOf);
  const captured = new Set(deep.length === 0 ? [] : batches.flatMap(({ collections }) => JSON.parse(collections) as string[]));
  const collectionIds = [...new Set(deep)].filter((id) => !captured.has(id));
  return collectionIds.length === 0
    ? undefined
    : { collectionIds, refusal: unknownCollections(record, moment, collectionIds, now, gap) };
};

const idOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const unknownCollections = (
  record: PitrRecord,
  moment: string,
  ids: readonly string[],
  now: Date,
  gap: Gap | undefined,
): ApiError =>
  refusal(
    `At ${shownMoment(microsOf(moment))} changes of these collections are not known: ${ids.slice(0, 10).join(', ')} (${gap?.reason ?? 'they were not captured, and it was not checked yet whether there are collections below documents'})`,
    record,
    moment,
    now,
    gap,
  );

const refuseLost = (record: PitrRecord, moment: string, request: PointRequest, now: Date): void => {
  const { collectionIds } = request;
  const lost = missingAt(record, moment).find(
    ({ collections = [] }) => !collectionIds || collections.some((id) => collectionIds.includes(id)),
  );
  if (lost) throw lostCollections(record, moment, request, lost, now);
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

const isInWindow = (record: PitrRecord, second: string, now: Date): boolean =>
  windowsOf(record, now).windows.some(({ from, to }) => microsOf(from) <= microsOf(second) && microsOf(second) <= microsOf(to));

const isWithin = ({ from, to }: Gap, second: string): boolean =>
  microsOf(from) < microsOf(second) && (to === null || microsOf(second) < microsOf(to));

/** Gaps of some collections. */
const missingAt = ({ gaps }: PitrRecord, second: string): readonly Gap[] =>
  gaps.filter((gap) => gap.collections !== undefined && isWithin(gap, second));

const outside = (record: PitrRecord, second: string, now: Date): ApiError => {
  const { earliest, latest } = reachOf(record, now);
  const gap = record.gaps.find((one) => one.collections === undefined && !one.isBridged && isWithin(one, second));
  const requested = shownMoment(microsOf(second));
  const why =
    earliest === null
      ? 'nothing is captured yet'
      : gap
        ? `it lies in a gap: ${gap.reason}`
        : requested < earliest
          ? `the earliest moment is ${earliest}`
          : `the latest moment is ${latest}`;
  return refusal(`The project cannot be restored to ${requested}: ${why}`, record, second, now, gap);
};

const lostCollections = (record: PitrRecord, second: string, { named }: PointRequest, gap: Gap, now: Date): ApiError => {
  const ids = (gap.collections ?? []).slice(0, 10).join(', ');
  const requested = shownMoment(microsOf(second));
  const what = ids === '' ? 'documents of unknown collections are missing' : `changes of these collections are missing: ${ids}`;
  return refusal(`At ${requested} ${what} (${gap.reason}). ${workaround(gap, named)}`, record, second, now, gap);
};

/** Complete collections can be restored by naming them. */
const workaround = ({ collections = [] }: Gap, named: PointRequest['named']): string => {
  if (!named) return 'Name the collections to restore, with includeSubcollections: false';
  if (named.some((path) => collections.includes(idOf(path)))) return 'Name other collections, with includeSubcollections: false';
  const which = collections.length === 0 ? 'those of the named collections that are known' : 'the named collections';
  return `With includeSubcollections: false the documents directly in ${which} can be restored`;
};

const refusal = (message: string, record: PitrRecord, second: string, now: Date, gap: Gap | undefined): ApiError =>
  new ApiError('CONFLICT', message, {
    pointInTime: shownMoment(microsOf(second)),
    ...reachOf(record, now),
    ...(gap && { gap: shownGap(gap) }),
  });

const reachOf = (record: PitrRecord, now: Date) => {
  const { windows } = windowsOf(record, now);
  return { earliest: windows[0]?.from ?? null, latest: windows.at(-1)?.to ?? null };
};
