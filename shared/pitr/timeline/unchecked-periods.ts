/** Periods in which the source was not counted: other collections than the captured ones may have existed. */
import { microsOf } from '../model/micro-time.ts';
import type { PitrRecord, Unchecked } from '../model/record.ts';

/** Whether it was never checked if there were other collections at that moment. */
export const isUnchecked = (record: PitrRecord, moment: string): boolean => {
  const at = microsOf(moment);
  return uncheckedOf(record).some(({ from, to }) => microsOf(from) < at && at <= microsOf(to));
};

const neverChecked = '1970-01-01T00:00:00Z';

export const uncheckedOf = (record: PitrRecord): readonly Unchecked[] => {
  const { unchecked = [], checkedAt = neverChecked, capturedTo, known = [], knownCount } = record;
  if (capturedTo === null || microsOf(checkedAt) >= microsOf(capturedTo)) return unchecked;
  return [...unchecked, { from: checkedAt, to: capturedTo, collections: known, count: knownCount }];
};

const uncheckedMax = 20;

/** The unchecked periods when captures begin again. If they are too many, the oldest two are merged, with their common collections. */
export const remainingUnchecked = (record: PitrRecord): readonly Unchecked[] => {
  const kept = record.keptFrom === null ? 0 : microsOf(record.keptFrom);
  const [first, second, ...rest] = uncheckedOf(record).filter(({ to }) => microsOf(to) > kept);
  const all = [first, second, ...rest].filter((one) => one !== undefined);
  if (!first || !second || all.length <= uncheckedMax) return all;
  const collections = first.collections.filter((id) => second.collections.includes(id));
  return [{ from: first.from, to: second.to, collections, count: collections.length }, ...rest];
};
