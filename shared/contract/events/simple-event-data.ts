/** The `data` of an event in the simple format, from that of the standard format. */
import type { EventData } from './event-catalogue.ts';
import type { SimpleEventName } from './event-names.ts';
import type { SimpleData } from './simple-events.ts';

/** Stored events were validated against the catalogue when they were emitted. */
export const simpleEventData = (type: SimpleEventName, data: unknown): SimpleData<SimpleEventName> => {
  if (type === 'backup.failed') return failedBackup(data as EventData<'backup.failed'>);
  if (type === 'backup.started' || type === 'backup.completed') return backup(data as EventData<'backup.completed'>);
  if (type === 'schedule.created' || type === 'schedule.updated' || type === 'schedule.deleted')
    return schedule(data as EventData<'schedule.created'>);
  return restore(data as EventData<'restore.completed'>);
};

const backup = ({ backup, project }: EventData<'backup.completed'>): SimpleData<'backup.completed'> => ({
  backupId: backup.id,
  projectId: backup.projectId,
  projectName: project.name,
  type: backup.type,
  status: backup.status,
  documentsCount: backup.documentCount,
  collectionsCount: backup.collectionsCount,
  originalSize: backup.originalSize,
  compressedSize: backup.size,
  duration: backup.duration === null ? null : Math.round(backup.duration / 1_000),
  triggeredBy: backup.trigger,
  scheduleId: backup.scheduleId,
  createdAt: backup.createdAt,
  completedAt: backup.completedAt,
});

const failedBackup = ({ backup, project }: EventData<'backup.failed'>): SimpleData<'backup.failed'> => ({
  backupId: backup.id,
  projectId: backup.projectId,
  projectName: project.name,
  type: backup.type,
  status: backup.status,
  error: backup.error.message,
  triggeredBy: backup.trigger,
  scheduleId: backup.scheduleId,
  createdAt: backup.createdAt,
  failedAt: backup.completedAt,
});

const restore = ({ restore }: EventData<'restore.completed'>): SimpleData<'restore.completed'> => ({
  restoreJobId: restore.restoreJobId,
  backupId: restore.backupId,
  projectId: restore.projectId,
  projectName: restore.projectName,
  targetProjectId: restore.targetProjectId,
  targetProjectName: restore.targetProjectName,
  status: restore.status,
  documentsRestored: restore.documentsRestored,
  collectionsRestored: restore.collectionsRestored,
  mergeMode: restore.mergeMode,
  duration: restore.duration,
  createdAt: restore.createdAt,
  completedAt: restore.completedAt,
});

const schedule = ({ schedule }: EventData<'schedule.created'>): SimpleData<'schedule.created'> => ({
  scheduleId: schedule.id,
  name: schedule.name,
  projectId: schedule.projectId,
  projectName: schedule.projectName,
  cronExpression: schedule.cronExpression,
  timezone: schedule.timezone,
  enabled: schedule.enabled,
  nextRunAt: schedule.nextRunAt,
  createdBy: schedule.createdBy,
});
