import { schedules } from '../../shared/contract/endpoints/schedules.ts';
import { handle } from '../../shared/http/index.ts';
import { readProject } from '../../shared/project/index.ts';
import {
  checkScheduleInput,
  createSchedule,
  deleteSchedule,
  listSchedules,
  noSuchSchedule,
  projectOf,
  readSchedule,
  retentionOf,
  showSchedule,
  showSchedules,
  startScheduledBackup,
  updateSchedule,
} from '../../shared/schedule/index.ts';
import { backupData } from '../../shared/stored-backup/index.ts';

export const create = handle(
  schedules.create,
  async (call) => {
    const { projectId, storageDestinationId = null, timezone = call.organization.timezone, ...body } = call.body;
    const input = { ...body, timezone, storageDestinationId, ...retentionOf(body, { retention: null, retentionPolicy: null }) };
    checkScheduleInput(input);
    const { schedule, change } = await createSchedule(call, {
      project: await readProject(call.tenant, projectId),
      input,
      now: call.now,
    });
    return { data: await showSchedule(call.tenant, schedule), change };
  },
  { check: checkScheduleInput },
);

export const list = handle(schedules.list, async ({ tenant, query, page }) => {
  const { schedules: found, next } = await listSchedules(tenant, query, page);
  return { items: await showSchedules(tenant, found), next };
});

export const get = handle(schedules.get, async ({ tenant, params }) => ({
  data: await showSchedule(tenant, await readSchedule(tenant, params.scheduleId)),
}));

export const update = handle(
  schedules.update,
  async (call) => {
    const { tenant, params, body, now } = call;
    const schedule = await readSchedule(tenant, params.scheduleId);
    const project = await projectOf(tenant, schedule);
    if (!project) throw noSuchSchedule();
    const { schedule: changed, change } = await updateSchedule(call, { schedule, project, given: body, now });
    return { data: await showSchedule(tenant, changed), change };
  },
  { check: checkScheduleInput },
);

export const remove = handle(schedules.remove, async (call) => {
  const schedule = await readSchedule(call.tenant, call.params.scheduleId);
  const project = (await projectOf(call.tenant, schedule)) ?? { name: schedule.projectId };
  return {
    message: 'The schedule was deleted. Its backups are kept',
    change: await deleteSchedule(call, { schedule, project, now: call.now }),
  };
});

export const trigger = handle(schedules.trigger, async (call) => {
  const { tenant, organization, actor, params, now } = call;
  const schedule = await readSchedule(tenant, params.scheduleId);
  const project = await projectOf(tenant, schedule);
  if (!project) throw noSuchSchedule();
  const start = { trigger: 'manual', createdBy: actor } as const;
  const { backup, writes } = await startScheduledBackup({ tenant, organization, project, schedule }, start, now);
  const details = { projectId: project.id, name: schedule.name, backupId: backup.id };
  const audit = [{ scope: tenant.organizationId, resource: { type: 'schedule', id: schedule.id }, details }];
  return { data: backupData(backup), change: { writes, audit } };
});
