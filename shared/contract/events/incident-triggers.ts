import type { EventName } from './event-names.ts';

/** Events that may open or close an incident. */
export const incidentTriggers = [
  'backup.completed',
  'backup.failed',
  'restore.started',
  'restore.completed',
  'restore.failed',
  'restore_test.completed',
  'restore_test.failed',
  'pitr.disabled',
  'pitr.diverged',
  'schedule.updated',
  'schedule.deleted',
  'schedule.failed',
  'storage.connected',
  'storage.error',
  'project.deleted',
] as const satisfies readonly EventName[];
export type IncidentTrigger = (typeof incidentTriggers)[number];
