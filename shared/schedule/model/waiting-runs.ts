/** Runs that are due and only wait for capacity: the organization already runs as many backups as it may. */
import type { Tenant } from '../../platform/index.ts';
import { schedulesOf } from './get-schedule.ts';
import type { ScheduleRecord } from './record.ts';

type Dated = Pick<ScheduleRecord, 'nextRunAt' | 'putOff'>;

/** Since when the run that is due waits for capacity. */
export const waitingSince = ({ nextRunAt, putOff }: Dated): string | undefined =>
  putOff && putOff.at === nextRunAt ? putOff.waitingSince : undefined;

export const isWaiting = (schedule: Dated): boolean => waitingSince(schedule) !== undefined;

/** Their ids in the order in which they start: the one that was due first, and of several the oldest schedule. */
export const waitingRuns = async (tenant: Tenant): Promise<readonly string[]> => {
  const waiting: ScheduleRecord[] = [];
  for await (const schedule of schedulesOf(tenant)) if (isWaiting(schedule)) waiting.push(schedule);
  return waiting.toSorted(byPlace).map(({ id }) => id);
};

const byPlace = (a: ScheduleRecord, b: ScheduleRecord): number => (placeOf(a) < placeOf(b) ? -1 : 1);
const placeOf = ({ nextRunAt, id }: ScheduleRecord): string => `${nextRunAt} ${id}`;

/** How many waiting runs start before that of the schedule, which may itself be about to wait. */
export const countAhead = async (tenant: Tenant, schedule: ScheduleRecord): Promise<number> => {
  let ahead = 0;
  for await (const other of schedulesOf(tenant)) if (isWaiting(other) && placeOf(other) < placeOf(schedule)) ahead += 1;
  return ahead;
};
