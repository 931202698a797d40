/** Runs that are due and wait for capacity: the organization already runs as many backups as it may. */
import { getAll, type Tenant } from '../../platform/index.ts';
import { projectKey } from '../../project/index.ts';
import { putOffOf } from '../../recurring/index.ts';
import { schedulesOf } from './get-schedule.ts';
import type { ScheduleRecord } from './record.ts';

type Dated = Pick<ScheduleRecord, 'nextRunAt' | 'putOff'>;

/** The run that is due has a place in the line: it waits for capacity, or has and now waits for a job of its project. */
export const isQueued = (schedule: Dated): boolean => putOffOf(schedule)?.waitingSince !== undefined;

/** The run that was due first starts first, and of several the one of the oldest schedule. */
const placeOf = ({ nextRunAt, id }: ScheduleRecord): string => `${nextRunAt} ${id}`;

/**
 * Reads the waiting line. The result counts the runs that start before that of a schedule, which may itself be about to wait. A
 * project has one job: a run whose project has one cannot start, and of several runs of a project one can.
 */
export const readWaitingLine = async (tenant: Tenant): Promise<(schedule: ScheduleRecord) => number> => {
  const queued: ScheduleRecord[] = [];
  for await (const schedule of schedulesOf(tenant)) if (isQueued(schedule)) queued.push(schedule);
  const jobs = await getAll(queued.map(({ projectId }) => projectKey.job(tenant, projectId)));
  const startable = queued.filter((_, n) => jobs[n] === undefined);
  return (schedule) =>
    new Set(startable.filter((other) => placeOf(other) < placeOf(schedule)).map(({ projectId }) => projectId)).size;
};
