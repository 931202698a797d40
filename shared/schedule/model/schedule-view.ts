/** A schedule as the interface and the events show it. */
import type * as z from 'zod';
import type { EventData } from '../../contract/events/event-catalogue.ts';
import type { Schedule } from '../../contract/models/schedule.ts';
import type { OrganizationRecord } from '../../organization/index.ts';
import type { ProjectRecord } from '../../project/index.ts';
import type { ScheduleRecord } from './record.ts';

/** What the API answers: nothing of how its runs are brought about. */
export const scheduleData = (record: ScheduleRecord): z.input<typeof Schedule> => {
  const { id, name, projectId, cron, timezone, type, enabled, retention, retentionPolicy, includeAuthUsers } = record;
  const { storageDestinationId, nextRunAt, lastRunAt, lastBackupId, lastSuccessAt, failing } = record;
  const { createdBy, createdAt, updatedAt } = record;
  return {
    ...{ id, name, projectId, cron, timezone, type, enabled, retention, retentionPolicy },
    collections: [...record.collections],
    excludeCollections: [...record.excludeCollections],
    ...{ includeAuthUsers, storageDestinationId, nextRunAt, lastRunAt, lastBackupId, lastSuccessAt, failing },
    ...{ createdBy, createdAt, updatedAt },
  };
};

/** The `data` of schedule.created, updated and deleted; schedule.triggered adds `backupId` and `trigger`, schedule.failed what went wrong. */
export const scheduleEvent = (
  record: ScheduleRecord,
  project: Pick<ProjectRecord, 'name'>,
  organization: Pick<OrganizationRecord, 'id' | 'name'>,
): EventData<'schedule.created'> => ({
  organization: { id: organization.id, name: organization.name },
  schedule: { ...scheduleData(record), cronExpression: record.cron, projectName: project.name },
});
