/** The times in which captured documents may differ from the source, because an audit has found differences at their end. */
import type * as z from 'zod/mini';
import type { DivergedPeriod } from '../../contract/models/pitr.ts';
import { microsOf, momentOf, shownMoment } from '../model/micro-time.ts';
import type { Divergence, PitrRecord } from '../model/record.ts';

/** Collections that a period names. */
export const collectionsMax = 100;

export const mergedDivergence = (one: Divergence, next: Divergence): Divergence => {
  const collections = [...new Set([...one.collections, ...next.collections])];
  return {
    from: momentOf(Math.min(microsOf(one.from), microsOf(next.from))),
    to: momentOf(Math.max(microsOf(one.to), microsOf(next.to))),
    documents: one.documents + next.documents,
    collections: collections.slice(0, collectionsMax),
    count: Math.max(collections.length, one.count, next.count),
  };
};

/** What is marked at a moment, together; undefined if nothing is, or none of the collections. */
export const divergedAt = (
  { diverged = [] }: Pick<PitrRecord, 'diverged'>,
  moment: string,
  collectionIds: readonly string[] | undefined,
): Divergence | undefined => {
  const at = microsOf(moment);
  const found = diverged.filter(
    (one) => microsOf(one.from) < at && at < microsOf(one.to) && (!collectionIds || touches(one, collectionIds)),
  );
  return found.length === 0 ? undefined : found.reduce(mergedDivergence);
};

/** Of many collections only the first are named. */
export const touches = ({ collections, count }: Divergence, ids: readonly string[]): boolean =>
  count > collections.length || collections.some((id) => ids.includes(id));

export const shownDivergence = ({ from, to, documents, collections, count }: Divergence): z.input<typeof DivergedPeriod> => ({
  from: shownMoment(microsOf(from)),
  to: shownMoment(Math.ceil(microsOf(to) / 1_000) * 1_000),
  documentCount: documents,
  collections: [...collections],
  collectionCount: count,
});
