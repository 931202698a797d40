/** Syncs the schedules of a project or organization that was deleted or recovered. */
import { systemAudit } from '../../audit/index.ts';
import { enqueue, type Task } from '../../event/index.ts';
import { type Clock, clock, commit, retryOnConflict, type Tenant } from '../../platform/index.ts';
import { isStaleContext, removeEntries, type Scheduler, scheduler } from '../../recurring/index.ts';
import { deleteSchedule } from '../api/delete-schedule.ts';
import { schedulesOf } from '../model/get-schedule.ts';
import { scheduleKey } from '../model/record.ts';
import { loadScheduleContext } from '../model/schedule-context.ts';
import { syncSchedule } from './sync-schedule.ts';

type SyncAllTask = Omit<Extract<Task, { kind: 'sync-schedules' }>, 'kind'>;

/** One after the other. At the deadline it enqueues a task for the rest. */
export const syncAllSchedules = async (
  tenant: Tenant,
  {
    task,
    until,
    time = clock,
    entries = scheduler,
  }: {
    readonly task: SyncAllTask;
    readonly until: Date;
    readonly time?: Clock | undefined;
    readonly entries?: Scheduler | undefined;
  },
): Promise<void> => {
  const { projectId, deletedProjectName, after } = task;
  let done = after;
  for await (const { id } of schedulesOf(tenant, { projectId }, { after: after && scheduleKey.schedule(tenant, after).sk })) {
    if (time.now() >= until) return commit([enqueue(tenant, { kind: 'sync-schedules', ...task, after: done }, time.now())]);
    if (deletedProjectName === undefined) await syncSchedule(tenant, id, { time, entries });
    else await deleteWithProject(tenant, { scheduleId: id, projectName: deletedProjectName, time, entries });
    done = id;
  }
};

/** Deletes the entries first, so that nothing starts after the schedule is deleted. */
const deleteWithProject = async (
  tenant: Tenant,
  {
    scheduleId,
    projectName,
    time,
    entries,
  }: { readonly scheduleId: string; readonly projectName: string; readonly time: Clock; readonly entries: Scheduler },
): Promise<void> => {
  await removeEntries(tenant, scheduleId, entries.remove);
  await retryOnConflict({ attempts: 5, isRetryable: isStaleContext }, async () => {
    const context = await loadScheduleContext(tenant, scheduleId);
    // A deleted organization keeps its schedules until it is purged or recovered.
    if (!context?.organization || context.project) return;
    const { organization, schedule } = context;
    const now = time.now();
    const { writes, audit } = await deleteSchedule({ tenant, organization }, { schedule, project: { name: projectName }, now });
    const entered = audit.map(({ details, ...note }) =>
      systemAudit('scheduler', {
        action: 'schedule.deleted',
        note: { ...note, details: { ...details, reason: 'its project was deleted' } },
        now,
      }),
    );
    await commit([...writes, ...entered]);
  });
};
