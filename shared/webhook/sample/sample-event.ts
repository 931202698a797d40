/** Events that did not happen, for tests of webhooks: of every name one, whole, about the organization that asks. */

import type { EventData } from '../../contract/events/event-catalogue.ts';
import type { EventName } from '../../contract/events/event-names.ts';
import { idPrefixes } from '../../contract/ids.ts';
import { backupTimeoutMinutes, invitationSeconds, recoverySeconds } from '../../contract/limits.ts';
import { after, iso, newId } from '../../platform/index.ts';
import type { StoredEvent } from '../model/record.ts';
import { sampleResourcesAt } from './sample-resources.ts';

export const sampleEvent = (
  name: EventName,
  { id, name: called }: { readonly id: string; readonly name: string },
  now: Date,
): StoredEvent => ({
  id: newId('event', now),
  type: name,
  timestamp: iso(now),
  data: samples[name]({ organization: { id, name: called }, now, ...sampleResourcesAt(now) }),
});

interface SampleContext extends ReturnType<typeof sampleResourcesAt> {
  readonly organization: { readonly id: string; readonly name: string };
  readonly now: Date;
}

const backedUp = ({ backup, project, organization }: SampleContext): EventData<'backup.completed'> => ({
  backup,
  project,
  organization,
});

const timedOut = {
  code: 'BACKUP_TIMEOUT',
  message: `The backup took longer than its ${backupTimeoutMinutes} minutes`,
  details: { timeoutMinutes: backupTimeoutMinutes },
} as const;
const timeoutMs = backupTimeoutMinutes * 60_000;

const scheduled = ({ organization, schedule }: SampleContext) => ({ organization, schedule });

const recovered = ({ organization, project, storage, now }: SampleContext, enabled: boolean): EventData<'pitr.enabled'> => ({
  organization,
  project,
  pitr: {
    projectId: project.id,
    ...{ enabled, status: enabled ? 'starting' : 'disabled', retentionDays: 7, captureIntervalSeconds: 60, precision: 'second' },
    ...{ storageDestinationId: storage.id, enabledAt: enabled ? iso(now) : null, baseBackupId: null },
    ...{ earliestRestorableAt: null, latestRestorableAt: null, lastCapture: null, changesCaptured: 0, problem: null },
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

const samples: { readonly [N in EventName]: (scene: SampleContext) => EventData<N> } = {
  'backup.started': (scene) => ({ ...backedUp(scene), backup: { ...scene.running, createdAt: ago(scene, 2) } }),
  'backup.progress': (scene) => ({
    ...backedUp(scene),
    backup: { ...scene.running, createdAt: ago(scene, 49) },
    progress: half(scene.totalDocuments),
  }),
  'backup.completed': backedUp,
  'backup.failed': (scene) => ({
    ...backedUp(scene),
    backup: {
      ...scene.running,
      ...{ status: 'failed', error: timedOut, duration: timeoutMs, durationFormatted: `${backupTimeoutMinutes}m 0s` },
      createdAt: ago(scene, timeoutMs / 1_000 + 2),
      completedAt: iso(scene.now),
    },
  }),
  'restore.started': (scene) => ({
    organization: scene.organization,
    restore: { ...scene.restoring, createdAt: ago(scene, 2), startedAt: iso(scene.now) },
  }),
  'restore.progress': (scene) => {
    const progress = half(scene.totalDocuments);
    return {
      organization: scene.organization,
      restore: { ...scene.restoring, phase: 'Validating', progress, createdAt: ago(scene, 38), startedAt: ago(scene, 36) },
      progress,
    };
  },
  'restore.completed': ({ organization, restore }) => ({ organization, restore }),
  'restore.failed': ({ organization, restoring, now, restore }) => ({
    organization,
    restore: {
      ...restoring,
      ...{ status: 'failed', phase: 'Validating', duration: restore.duration, completedAt: iso(now) },
      error: { code: 'TARGET_PERMISSION_DENIED', message: 'The target project does not let the service write' },
    },
  }),
  'pitr.enabled': (scene) => recovered(scene, true),
  'pitr.disabled': (scene) => recovered(scene, false),
  'pitr.change_captured': (scene) => ({
    organization: scene.organization,
    project: { id: scene.project.id, name: scene.project.name },
    changes: { count: 128, fromTimestamp: ago(scene, 60), toTimestamp: iso(scene.now), collections: scene.backup.collections },
  }),
  'schedule.created': (scene) => ({
    ...scheduled(scene),
    schedule: { ...scene.schedule, createdAt: iso(scene.now) },
  }),
  'schedule.updated': scheduled,
  'schedule.deleted': (scene) => ({ ...scheduled(scene), schedule: { ...scene.schedule, enabled: false, nextRunAt: null } }),
  'schedule.triggered': (scene) => ({ ...scheduled(scene), backupId: scene.backup.id, trigger: 'scheduled' }),
  'schedule.failed': (scene) => ({
    ...scheduled(scene),
    ...{ reason: 'failed', scheduledFor: iso(scene.now), backupId: scene.backup.id },
    error: { code: 'SOURCE_AUTH_ERROR', message: 'The source project does not let us in; reconnect the project' },
  }),
  'storage.connected': ({ organization, storage }) => ({ organization, storage }),
  'storage.error': ({ organization, storage }) => ({
    organization,
    storage: { ...storage, status: 'error' },
    error: 'The bucket does not let the service write',
  }),
  'project.created': ({ organization, fullProject }) => ({ organization, project: fullProject }),
  'project.deleted': (scene) => ({
    organization: scene.organization,
    project: { ...scene.fullProject, lastBackupAt: ago(scene, 3_600), createdAt: ago(scene, 30 * 24 * 3_600) },
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
      ...{ deleted: true, deletionType: 'soft', recoveryDeadline: iso(after(now, recoverySeconds)) },
    },
  }),
  'member.joined': (scene) => ({ organization: scene.organization, member: member(scene) }),
  'member.left': (scene) => ({
    organization: scene.organization,
    member: { ...member(scene), status: 'left', joinedAt: ago(scene, 30 * 24 * 3_600) },
  }),
  'member.role_changed': (scene) => ({
    organization: scene.organization,
    member: { ...member(scene), role: 'admin', previousRole: 'member', joinedAt: ago(scene, 30 * 24 * 3_600) },
  }),
  'invitation.created': (scene) => ({ organization: scene.organization, invitation: invitation(scene) }),
  'invitation.accepted': (scene) => ({
    organization: scene.organization,
    invitation: { ...invitation(scene), status: 'accepted', createdAt: ago(scene, 3_600) },
  }),
};

const ago = ({ now }: SampleContext, seconds: number): string => iso(after(now, -seconds));
