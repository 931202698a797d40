/** A run that is due but postponed: it waits for capacity, or for a job of its project. */
import type { RecurringRecord } from './record.ts';

type Dated = Pick<RecurringRecord, 'nextRunAt' | 'putOff'>;

/** How the run that is due was postponed. */
export const putOffOf = ({ nextRunAt, putOff }: Dated): RecurringRecord['putOff'] =>
  putOff?.at === nextRunAt ? putOff : undefined;

/** Since when the run that is due waits for capacity. Undefined once there is capacity and its project has a job. */
export const waitingSince = (record: Dated): string | undefined => {
  const putOff = putOffOf(record);
  return putOff?.grantedAt === undefined ? putOff?.waitingSince : undefined;
};

export const isWaiting = (record: Dated): boolean => waitingSince(record) !== undefined;
