/** Sample events for testing webhooks: a complete one for every event name. */
import type { EventData } from '../../contract/events/event-catalogue.ts';
import type { EventName } from '../../contract/events/event-names.ts';
import { idPrefixes } from '../../contract/ids.ts';
import { backupTimeoutMinutes, invitationSeconds, recoverySeconds } from '../../contract/limits.ts';
import { after, iso, newId } from '../../platform/index.ts';
import type { StoredEvent } from '../model/record.ts';
import { sampleResourcesAt } from './sample-resources.ts';

export const sampleEvent = (
  name: EventName,
  organization: { readonly id: string; readonly name: string },
  now: Date,
): StoredEvent => ({
  id: newId('event', now),
  type: name,
  timestamp: iso(now),
  data: samples[name]({ organization: { id: organization.id, name: organization.name }, now, ...sampleResourcesAt(now) }),
});

interface SampleContext extends ReturnType<typeof sampleResourcesAt> {
  readonly organization: { readonly id: string; readonly name: string };
  readonly now: Date;
}

const backupData = ({ backup, project, organization }: SampleContext): EventData<'backup.completed'> => ({
  backup,
  project,
  organization,
});

const timedOut = {
  code: 'BACKUP_TIMEOUT',
  message: `The backup exceeded its timeout of ${backupTimeoutMinutes} minutes`,
  details: { timeoutMinutes: backupTimeoutMinutes },
} as const;
const timeoutMs = backupTimeoutMinutes * 60_000;

const scheduleData = ({ organization, schedule }: SampleContext) => ({ organization, schedule });

const pitrData = ({ organization, project, storage, now }: SampleContext, enabled: boolean): EventData<'pitr.enabled'> => ({
  organization,
  project,
  pitr: {
    projectId: project.id,
    enabled,
    status: enabled ? 'starting' : 'disabled',
    retentionDays: 7,
    captureIntervalSeconds: 60,
    precision: 'second',
    storageDestinationId: storage.id,
    enabledAt: enabled ? iso(now) : null,
    baseBackupId: null,
    earliestRestorableAt: null,
    latestRestorableAt: null,
    lastCapture: null,
    changesCaptured: 0,
    problem: null,
    cost: { reads: 0, estimatedUsd: 0 },
  },
});

const member = ({ now, person }: SampleContext) => ({
  userId: person.id,
  email: person.email,
  name: 'Ada Lovelace',
  picture: null,
  role: 'member' as const,
  status: 'active' as const,
  joinedAt: iso(now),
});

const invitation = ({ now, person }: SampleContext) => ({
  id: person.id.replace(idPrefixes.user, idPrefixes.invitation),
  email: 'grace@example.com',
  role: 'member' as const,
  status: 'pending' as const,
  expiresAt: iso(after(now, invitationSeconds)),
  createdAt: iso(now),
  invitedBy: person,
});

const half = (total: number) => ({ percent: 50, documents: Math.ceil(total / 2), totalDocuments: total });

const samples: { readonly [N in EventName]: (context: SampleContext) => EventData<N> } = {
  'backup.started': (context) => ({ ...backupData(context), backup: { ...context.running, createdAt: ago(context, 2) } }),
  'backup.progress': (context) => ({
    ...backupData(context),
    backup: { ...context.running, createdAt: ago(context, 49) },
    progress: half(context.totalDocuments),
  }),
  'backup.completed': backupData,
  'backup.failed': (context) => ({
    ...backupData(context),
    backup: {
      ...context.running,
      status: 'failed',
      error: timedOut,
      duration: timeoutMs,
      durationFormatted: `${backupTimeoutMinutes}m 0s`,
      createdAt: ago(context, timeoutMs / 1_000 + 2),
      completedAt: iso(context.now),
    },
  }),
  'restore.started': (context) => ({
    organization: context.organization,
    restore: { ...context.restoring, createdAt: ago(context, 2), startedAt: iso(context.now) },
  }),
  'restore.progress': (context) => {
    const progress = half(context.totalDocuments);
    return {
      organization: context.organization,
      restore: { ...context.restoring, phase: 'Validating', progress, createdAt: ago(context, 38), startedAt: ago(context, 36) },
      progress,
    };
  },
  'restore.completed': ({ organization, restore }) => ({ organization, restore }),
  'restore.failed': ({ organization, restoring, now, restore }) => ({
    organization,
    restore: {
      ...restoring,
      status: 'failed',
      phase: 'Validating',
      duration: restore.duration,
      completedAt: iso(now),
      error: { code: 'TARGET_PERMISSION_DENIED', message: 'The service is not allowed to write to the target project' },
    },
  }),
  'pitr.enabled': (context) => pitrData(context, true),
  'pitr.disabled': (context) => pitrData(context, false),
  'pitr.change_captured': (context) => ({
    organization: context.organization,
    project: { id: context.project.id, name: context.project.name },
    changes: {
      count: 128,
      fromTimestamp: ago(context, 60),
      toTimestamp: iso(context.now),
      collections: context.backup.collections,
    },
  }),
  'schedule.created': (context) => ({
    ...scheduleData(context),
    schedule: { ...context.schedule, createdAt: iso(context.now) },
  }),
  'schedule.updated': scheduleData,
  'schedule.deleted': (context) => ({
    ...scheduleData(context),
    schedule: { ...context.schedule, enabled: false, nextRunAt: null },
  }),
  'schedule.triggered': (context) => ({ ...scheduleData(context), backupId: context.backup.id, trigger: 'scheduled' }),
  'schedule.failed': (context) => ({
    ...scheduleData(context),
    reason: 'failed',
    scheduledFor: iso(context.now),
    backupId: context.backup.id,
    error: { code: 'SOURCE_AUTH_ERROR', message: 'The service is not allowed to read the source project. Reconnect the project' },
  }),
  'storage.connected': ({ organization, storage }) => ({ organization, storage }),
  'storage.error': ({ organization, storage }) => ({
    organization,
    storage: { ...storage, status: 'error' },
    error: 'The service is not allowed to write to the bucket',
  }),
  'project.created': ({ organization, fullProject }) => ({ organization, project: fullProject }),
  'project.deleted': (context) => ({
    organization: context.organization,
    project: { ...context.fullProject, lastBackupAt: ago(context, 3_600), createdAt: ago(context, 30 * 24 * 3_600) },
  }),
  'organization.created': ({ organization, person, now }) => ({
    organization: { ...organization, slug: 'example', ownerId: person.id, createdAt: iso(now) },
  }),
  'organization.updated': ({ organization, storage, now }) => ({
    organization: {
      ...organization,
      settings: { timezone: 'Europe/Berlin', defaultStorageId: storage.id },
      updatedAt: iso(now),
    },
  }),
  'organization.deleted': ({ organization, now }) => ({
    organization: {
      ...organization,
      deleted: true,
      deletionType: 'soft',
      recoveryDeadline: iso(after(now, recoverySeconds)),
    },
  }),
  'member.joined': (context) => ({ organization: context.organization, member: member(context) }),
  'member.left': (context) => ({
    organization: context.organization,
    member: { ...member(context), status: 'left', joinedAt: ago(context, 30 * 24 * 3_600) },
  }),
  'member.role_changed': (context) => ({
    organization: context.organization,
    member: { ...member(context), role: 'admin', previousRole: 'member', joinedAt: ago(context, 30 * 24 * 3_600) },
  }),
  'invitation.created': (context) => ({ organization: context.organization, invitation: invitation(context) }),
  'invitation.accepted': (context) => ({
    organization: context.organization,
    invitation: { ...invitation(context), status: 'accepted', createdAt: ago(context, 3_600) },
  }),
};

const ago = ({ now }: SampleContext, seconds: number): string => iso(after(now, -seconds));
