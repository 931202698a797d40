/** Event names, without schemas, so that the delivery workers do not bundle zod. */
export const eventNames = [
  'backup.started',
  'backup.progress',
  'backup.completed',
  'backup.failed',
  'backup.anomaly',
  'restore.started',
  'restore.progress',
  'restore.completed',
  'restore.failed',
  'export.started',
  'export.completed',
  'export.failed',
  'restore_test.completed',
  'restore_test.failed',
  'pitr.enabled',
  'pitr.disabled',
  'pitr.change_captured',
  'pitr.diverged',
  'schedule.created',
  'schedule.updated',
  'schedule.deleted',
  'schedule.triggered',
  'schedule.failed',
  'storage.connected',
  'storage.error',
  'project.created',
  'project.deleted',
  'incident.opened',
  'incident.acknowledged',
  'incident.assigned',
  'incident.muted',
  'incident.recovered',
  'organization.created',
  'organization.updated',
  'organization.deleted',
  'member.joined',
  'member.left',
  'member.role_changed',
  'invitation.created',
  'invitation.accepted',
] as const;
export type EventName = (typeof eventNames)[number];

/** Tells of a failure, so that its receiver learns from the first attempt on whether to wait for another one. */
export const isFailureEvent = (name: EventName): boolean => name.endsWith('.failed');

/** Events of the simple (legacy) format; all others exist only in the standard format. */
export const simpleEventNames = [
  'backup.started',
  'backup.completed',
  'backup.failed',
  'restore.started',
  'restore.completed',
  'restore.failed',
  'schedule.created',
  'schedule.updated',
  'schedule.deleted',
] as const satisfies readonly EventName[];
export type SimpleEventName = (typeof simpleEventNames)[number];

export const isSimpleEvent = (name: EventName): name is SimpleEventName =>
  (simpleEventNames as readonly EventName[]).includes(name);
