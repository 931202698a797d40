/** Which moment a restore goes to, and what that is made of: decided from the record and the spans of its batches alone. */
import { ApiError, invalid } from '../../contract/errors.ts';
import { floorSecond, microsOf, momentOf, shownMoment } from '../model/micro-time.ts';
import type { Base, BatchRecord, Gap, PitrRecord } from '../model/record.ts';
import { baseFor, isUnchecked, shownGap, windowsOf } from '../timeline/windows.ts';

export interface PointRequest {
  readonly pointInTime: string;
  /** The ids of the collections that documents are wanted right in; undefined where anything that lies below is wanted, too. */
  readonly collectionIds?: readonly string[] | undefined;
  /** The collections that are named, or that named documents lie right in, by their paths; undefined where all are wanted. */
  readonly named?: readonly string[] | undefined;
}

/** Collections that are named and of which nothing tells whether they were there. */
export interface Doubt {
  readonly collectionIds: readonly string[];
  /** For whoever does not find them among what the base has. */
  readonly refusal: ApiError;
}

type Span = Pick<BatchRecord, 'from' | 'to' | 'isProven' | 'heardTo'>;

export interface PointInTime {
  /** What it shows: the second that was asked for or, where that is not known, the last moment before that is. */
  readonly moment: string;
  readonly base: Base;
  /** Something is missing of collections that were not asked for: it is no picture of all. */
  readonly isPartial: boolean;
  /** Nobody looked whether there were other collections than those it has. */
  readonly isUnchecked?: boolean;
}

/** The second that is asked for, by its beginning: a moment that has not come is refused. */
export const requestedSecond = ({ pointInTime }: PointRequest, now: Date): string => {
  const asked = Date.parse(pointInTime);
  if (asked > now.getTime()) throw invalid('pointInTime', 'must not lie in the future');
  return momentOf(floorSecond(asked * 1_000));
};

/** Refuses what no window holds; the batches are those from the base on that `baseOf` names up to the moment. */
export const resolvePoint = (record: PitrRecord, batches: readonly Span[], wish: PointRequest, now: Date): PointInTime => {
  const second = requestedSecond(wish, now);
  const base = baseOf(record, wish, now);
  const moment = knownBy(base, batches, second);
  // It may be an earlier one, of which other things are missing.
  refuseLost(record, moment, wish, now);
  return {
    ...{ moment, base, isPartial: missingAt(record, moment).length > 0 },
    ...(isUnchecked(record, moment) && { isUnchecked: true }),
  };
};

/** The base that the moment asked for is made of. */
export const baseOf = (record: PitrRecord, wish: PointRequest, now: Date): Base => {
  const second = requestedSecond(wish, now);
  const base = isInWindow(record, second, now) ? baseFor(record, second) : undefined;
  if (!base) throw outside(record, second, now);
  refuseLost(record, second, wish, now);
  return base;
};

/**
 * At a moment when there may have been collections that nobody listened to: those asked for by name that no batch up to then tells
 * of. The base may; at the root all are always known.
 */
export const doubtAt = (
  record: PitrRecord,
  batches: readonly Pick<BatchRecord, 'collections'>[],
  { moment, wish }: { readonly moment: string; readonly wish: PointRequest },
  now: Date,
): Doubt | undefined => {
  const gap = missingAt(record, moment).find(({ collections }) => collections?.length === 0);
  if (!gap && !isUnchecked(record, moment)) return undefined;
  const deep = (wish.named ?? []).filter((path) => path.includes('/')).map(idOf);
  const heard = new Set(deep.length === 0 ? [] : batches.flatMap(({ collections }) => JSON.parse(collections) as string[]));
  const collectionIds = [...new Set(deep)].filter((id) => !heard.has(id));
  return collectionIds.length === 0
    ? undefined
    : { collectionIds, refusal: unknownThen(record, moment, collectionIds, now, gap) };
};

const idOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const unknownThen = (record: PitrRecord, moment: string, ids: readonly string[], now: Date, gap: Gap | undefined): ApiError =>
  refusal(
    `At ${shownMoment(microsOf(moment))} changes of these collections are not known: ${ids.slice(0, 10).join(', ')} (${gap?.reason ?? 'nobody listened to them, and it was not counted yet whether there are any below documents'})`,
    ...([record, moment, now, gap] as const),
  );

const refuseLost = (record: PitrRecord, moment: string, wish: PointRequest, now: Date): void => {
  const { collectionIds } = wish;
  const lost = missingAt(record, moment).find(
    ({ collections = [] }) => !collectionIds || collections.some((id) => collectionIds.includes(id)),
  );
  if (lost) throw lostOfSome(record, moment, wish, lost, now);
};

/**
 * Within a batch that does not know its seconds only its ends are known, and the moment of a base that was taken within; behind its
 * end, as far as some collections were heard, only that end.
 */
const knownBy = (base: Base, batches: readonly Span[], second: string): string => {
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

/** What is missing of some collections only. */
const missingAt = ({ gaps }: PitrRecord, second: string): readonly Gap[] =>
  gaps.filter((gap) => gap.collections !== undefined && isWithin(gap, second));

const outside = (record: PitrRecord, second: string, now: Date): ApiError => {
  const { earliest, latest } = reachOf(record, now);
  const gap = record.gaps.find((one) => one.collections === undefined && !one.isBridged && isWithin(one, second));
  const asked = shownMoment(microsOf(second));
  const why =
    earliest === null
      ? 'nothing is captured yet'
      : gap
        ? `it lies in a gap: ${gap.reason}`
        : asked < earliest
          ? `the earliest moment is ${earliest}`
          : `the latest moment is ${latest}`;
  return refusal(`The project cannot be restored to ${asked}: ${why}`, record, second, now, gap);
};

const lostOfSome = (record: PitrRecord, second: string, { named }: PointRequest, gap: Gap, now: Date): ApiError => {
  const ids = (gap.collections ?? []).slice(0, 10).join(', ');
  const asked = shownMoment(microsOf(second));
  const what =
    ids === '' ? 'documents of collections that are not known are missing' : `changes of these collections are missing: ${ids}`;
  return refusal(`At ${asked} ${what} (${gap.reason}). ${wayAround(gap, named)}`, record, second, now, gap);
};

/** What is not missing can be had by naming it. */
const wayAround = ({ collections = [] }: Gap, named: PointRequest['named']): string => {
  if (!named) return 'Name the collections to be restored, with includeSubcollections: false';
  if (named.some((path) => collections.includes(idOf(path)))) return 'Name other collections, with includeSubcollections: false';
  const which = collections.length === 0 ? 'those of the collections named that are known' : 'the collections named';
  return `With includeSubcollections: false what lies right in ${which} can be restored`;
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
