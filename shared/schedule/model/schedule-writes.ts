/** Writes that fail if the schedule has changed since it was read, or if a concurrent run has advanced `nextRunAt`. */
import { remove, StaleReadError, set, type Write } from '../../platform/index.ts';
import type { ScheduleRecord } from './record.ts';

type ReadSchedule = Pick<ScheduleRecord, 'pk' | 'sk' | 'revision' | 'nextRunAt'>;

const staleRead = (): StaleReadError => new StaleReadError();

export const setSchedule = (
  { pk, sk, revision, nextRunAt }: ReadSchedule,
  attributes: Readonly<Record<string, unknown>>,
): Write => set({ pk, sk }, attributes, { expected: { revision, nextRunAt }, onConditionFailed: staleRead });

export const removeSchedule = ({ pk, sk, revision, nextRunAt }: ReadSchedule): Write =>
  remove({ pk, sk }, staleRead, { revision, nextRunAt });
