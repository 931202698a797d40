/** What is not proven for a moment, and the refusal of a request that asks for it. */
import { ApiError } from '../../contract/errors.ts';
import { takeWithinBytes } from '../../platform/index.ts';
import { microsOf, shownMoment } from '../model/micro-time.ts';
import type { Gap, PitrRecord, Sampled } from '../model/record.ts';
import { affectedCount } from '../timeline/gaps.ts';
import { periodAt } from '../timeline/sampled-periods.ts';
import { isUnchecked } from '../timeline/unchecked-periods.ts';
import { shownGap, windowsOf } from '../timeline/windows.ts';

export interface PointRequest {
  readonly pointInTime: string;
  /** The moment itself, the end of a capture, instead of the second that it lies in. */
  readonly isExact?: true;
  /** The ids of the requested collections; undefined if subcollections are requested, too. */
  readonly collectionIds?: readonly string[] | undefined;
  /** The paths of the requested collections, or of those that contain requested documents; undefined if all are requested. */
  readonly named?: readonly string[] | undefined;
  /** Restore what is proven, and report what is not. Otherwise a request for more than is proven is refused. */
  readonly allowPartial?: boolean;
}

/** Requested collections that are not proven complete at a moment. */
export interface MissingCoverage {
  /** The first of their ids. */
  readonly collections: readonly string[];
  /** How many they are; null if that is unknown. */
  readonly count: number | null;
  /** Whether `collections` names all of them. */
  readonly complete: boolean;
  readonly reason: string;
  /** The period without continuous capture, which is not proven. */
  readonly sampled?: Sampled;
}

/** Refuses a request for more than is proven. */
export class PointNotCovered extends ApiError {
  /** It was not counted yet whether there were other collections: a count may prove the moment. */
  readonly isUncounted: boolean;

  constructor(message: string, details: Readonly<Record<string, unknown>>, isUncounted: boolean) {
    super('CONFLICT', message, details);
    this.isUncounted = isUncounted;
  }
}

/** Names in an error, a record or an event. A name has up to 1,500 bytes. */
const namesMax = 100;
const namesMaxBytes = 16 << 10;
const namesInMessage = 10;

const uncounted = 'it was not counted yet whether there were other collections';

export const isGapAt = ({ from, to }: Gap, moment: string): boolean =>
  microsOf(from) < microsOf(moment) && (to === null || microsOf(moment) < microsOf(to));

/** Gaps of some collections. */
export const missingAt = ({ gaps }: PitrRecord, moment: string): readonly Gap[] =>
  gaps.filter((gap) => gap.collections !== undefined && isGapAt(gap, moment));

export const lastIdOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Undefined if everything that is requested is proven for that moment. */
export const missingCoverageAt = (
  record: PitrRecord,
  moment: string,
  { collectionIds }: PointRequest,
): MissingCoverage | undefined => {
  const missing = missingAt(record, moment);
  const sampled = periodAt(record.sampled, moment);
  if (sampled) {
    const ids = collectionIds ?? [];
    const isNamed = ids.length > 0;
    const shown = { from: shownMoment(microsOf(sampled.from)), to: shownUp(sampled.to) };
    const reasons = [`sampled: not captured continuously from ${shown.from} to ${shown.to}`, ...reasonsOf(missing)];
    return { ...named(ids, { count: isNamed ? ids.length : null, isComplete: isNamed, reasons }), sampled: shown };
  }
  if (collectionIds) {
    const lost = missing.filter(({ collections = [] }) => collections.some((id) => collectionIds.includes(id)));
    const ids = collectionIds.filter((id) => lost.some(({ collections }) => collections?.includes(id)));
    return ids.length === 0 ? undefined : named(ids, { count: ids.length, isComplete: true, reasons: reasonsOf(lost) });
  }
  const isUncounted = isUnchecked(record, moment);
  if (missing.length === 0 && !isUncounted) return undefined;
  const counts = missing.map(affectedCount);
  const count = isUncounted || counts.includes(null) ? null : counts.reduce<number>((sum, one) => sum + (one ?? 0), 0);
  const ids = [...new Set(missing.flatMap(({ collections = [] }) => collections))];
  return named(ids, {
    count,
    isComplete: count === ids.length,
    reasons: [...(isUncounted ? [uncounted] : []), ...reasonsOf(missing)],
  });
};

const named = (
  ids: readonly string[],
  {
    count,
    isComplete,
    reasons,
  }: { readonly count: number | null; readonly isComplete: boolean; readonly reasons: readonly string[] },
): MissingCoverage => {
  const bounds = { sizeOf: (id: string) => Buffer.byteLength(id), maxBytes: namesMaxBytes, maxCount: namesMax };
  const collections = [...takeWithinBytes(ids, bounds)];
  return {
    collections,
    count,
    complete: isComplete && ids.length === collections.length,
    reason: reasons.slice(0, 3).join('; '),
  };
};

const shownUp = (moment: string): string => shownMoment(Math.ceil(microsOf(moment) / 1_000) * 1_000);

const reasonsOf = (gaps: readonly Gap[]): readonly string[] => [...new Set(gaps.map(({ reason }) => reason))];

export const reachOf = (record: PitrRecord, now: Date) => {
  const { windows } = windowsOf(record, now);
  return {
    earliest: windows[0]?.from ?? null,
    latest: windows.at(-1)?.to ?? null,
    latestComplete: windows.findLast(({ complete }) => complete)?.to ?? null,
  };
};

export const refusePartial = (
  record: PitrRecord,
  {
    moment,
    request,
    uncovered,
    now,
  }: { readonly moment: string; readonly request: PointRequest; readonly uncovered: MissingCoverage; readonly now: Date },
): PointNotCovered => {
  const { collections, count, complete, reason, sampled } = uncovered;
  const gap = missingAt(record, moment)[0];
  const isUncounted = isUnchecked(record, moment) && !gap && !sampled;
  const message = `At ${shownMoment(microsOf(moment))} ${whatIsMissing(uncovered)} (${reason}). ${workaround(record, { request, uncovered, isUncounted })}`;
  const details = {
    pointInTime: shownMoment(microsOf(moment)),
    ...reachOf(record, now),
    collections: [...collections],
    count,
    complete,
    reason,
    ...(sampled && { sampled }),
    ...(gap && { gap: shownGap(gap) }),
    ...(isUncounted && { countRequested: true, nextCaptureAt: record.nextTurnAt }),
  };
  return new PointNotCovered(message, details, isUncounted);
};

const whatIsMissing = ({ collections, count, sampled }: MissingCoverage): string => {
  if (sampled) return 'documents that were created and deleted within an interruption of capturing may be missing';
  if (collections.length === 0) return 'documents of unknown collections may be missing';
  const names = collections.slice(0, namesInMessage).join(', ');
  const more = count === null ? ', and perhaps others' : count > namesInMessage ? ` and ${count - namesInMessage} more` : '';
  return `changes of these collections are missing: ${names}${more}`;
};

/** Complete collections can be restored by naming them. */
const workaround = (
  { nextTurnAt }: PitrRecord,
  {
    request: { named: paths, collectionIds },
    uncovered: { collections, sampled },
    isUncounted,
  }: { readonly request: PointRequest; readonly uncovered: MissingCoverage; readonly isUncounted: boolean },
): string => {
  if (sampled)
    return `Choose a moment up to ${sampled.from} or from ${sampled.to} on, or set options.allowPartial: true to restore what is known`;
  const wait =
    isUncounted && nextTurnAt !== null
      ? `A count was requested and follows with the capture of ${nextTurnAt}; try again then. `
      : '';
  const partial = 'or set options.allowPartial: true to restore what is proven';
  if (collectionIds || paths?.some((path) => collections.includes(lastIdOf(path))))
    return `${wait}Name other collections, with includeSubcollections: false, ${partial}`;
  return `${wait}Name the collections to restore, with includeSubcollections: false, ${partial}`;
};
