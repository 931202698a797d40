/** What follows for schedules when their project or organization is deleted, or comes back. */
import { auditEntry } from '../../audit/index.ts';
import { enqueue, type Task } from '../../event/index.ts';
import { type Clock, clock, commit, type Tenant, walk } from '../../platform/index.ts';
import { removeSchedule } from '../api/delete-schedule.ts';
import { type ScheduleRecord, scheduleKey, schedulePrefix } from '../model/record.ts';
import { readAround } from '../model/schedule-context.ts';
import { type Entries, entries, entryNames } from './scheduler-entries.ts';
import { isOvertaken, syncSchedule } from './sync-schedule.ts';

type Walk = Omit<Extract<Task, { kind: 'sync-schedules' }>, 'kind'>;

/** One after the other until the time given; what is left has a task of its own. */
export const syncSchedules = async (
  tenant: Tenant,
  wish: Walk,
  until: Date,
  time: Clock = clock,
  doors: Entries = entries,
): Promise<void> => {
  const { projectId, deletedProjectName, after } = wish;
  const { pk } = scheduleKey.schedule(tenant, '');
  const range = {
    ...{ pk, prefix: schedulePrefix, after: after && scheduleKey.schedule(tenant, after).sk },
    ...(projectId !== undefined && { where: { projectId } }),
  };
  let done = after;
  for await (const { id } of walk<ScheduleRecord>(range)) {
    if (time.now() >= until)
      return commit([enqueue(tenant, { kind: 'sync-schedules', ...wish, ...(done && { after: done }) }, time.now())]);
    if (deletedProjectName === undefined) await syncSchedule(tenant, id, time, doors);
    else await removeWithProject(tenant, id, deletedProjectName, time, doors);
    done = id;
  }
};

const triesMax = 5;

/** The entries go first: a schedule that is gone starts nothing. */
const removeWithProject = async (
  tenant: Tenant,
  scheduleId: string,
  projectName: string,
  time: Clock,
  doors: Entries,
): Promise<void> => {
  for (const name of entryNames(tenant, scheduleId)) await doors.remove(name);
  for (let tries = 1; ; tries++) {
    const around = await readAround(tenant, scheduleId);
    // An organization that is deleted meanwhile keeps what it has until it is purged, or comes back.
    if (!around?.organization || around.project) return;
    const { organization, schedule } = around;
    const now = time.now();
    const { writes, audit } = removeSchedule({ tenant, organization }, schedule, { name: projectName }, now);
    const entered = audit.map((note) =>
      auditEntry(
        'schedule.deleted',
        { ...note, details: { ...note.details, reason: 'its project was deleted' } },
        { type: 'system', id: 'scheduler', email: null },
        { ip: null, userAgent: null, requestId: scheduleId },
        now,
      ),
    );
    try {
      return await commit([...writes, ...entered]);
    } catch (error) {
      if (!isOvertaken(error) || tries === triesMax) throw error;
    }
  }
};
