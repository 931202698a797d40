/** The `data` of a sample of every event. */
import type { EventData } from '../events/event-catalogue.ts';
import type { EventName } from '../events/event-names.ts';
import { idPrefixes } from '../ids.ts';
import { auditDays, backupTimeoutMinutes, invitationSeconds, recoverySeconds } from '../limits.ts';
import { sampleResourcesAt } from './sample-resources.ts';
import { asEventRun } from './sample-restore-test.ts';

export const sampleEventData = (
  name: EventName,
  organization: { readonly id: string; readonly name: string },
  now: Date,
): Readonly<Record<string, unknown>> => ({ organization, ...samples[name]({ organization, now, ...sampleResourcesAt(now) }) });

interface SampleContext extends ReturnType<typeof sampleResourcesAt> {
  readonly organization: { readonly id: string; readonly name: string };
  readonly now: Date;
}

const timedOut = {
  code: 'BACKUP_TIMEOUT',
  message: `The backup exceeded its timeout of ${backupTimeoutMinutes} minutes`,
  details: { timeoutMinutes: backupTimeoutMinutes },
} as const;
const foundDifferences = {
  code: 'DIFFERENCES_FOUND',
  message: '3 differences were found; the first: orders/1042: The fields of the document differ',
  details: { total: 3 },
} as const;
const deniedWrite = 'The service is not allowed to write to the bucket';
const timeoutMs = backupTimeoutMinutes * 60_000;
const monthSeconds = 30 * 24 * 3_600;

const pitrData = ({ project, storage, now }: SampleContext, enabled: boolean): Sample<'pitr.enabled'> => ({
  project,
  pitr: {
    projectId: project.id,
    enabled,
    status: enabled ? 'starting' : 'disabled',
    retentionDays: 7,
    captureIntervalSeconds: 60,
    precision: 'second',
    auditDays,
    storageDestinationId: storage.id,
    enabledAt: enabled ? now.toISOString() : null,
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
  joinedAt: now.toISOString(),
});

const invitation = ({ now, later, person }: SampleContext) => ({
  id: person.id.replace(idPrefixes.user, idPrefixes.invitation),
  email: 'grace@example.com',
  role: 'member' as const,
  status: 'pending' as const,
  expiresAt: later(invitationSeconds),
  createdAt: now.toISOString(),
  invitedBy: person,
});

const incident = ({ project, storage, ago }: SampleContext) => ({
  id: storage.id.replace(idPrefixes.storageDestination, idPrefixes.incident),
  kind: 'destination_error' as const,
  severity: 'warning' as const,
  status: 'open' as const,
  title: `Storage destination in error: ${storage.name}`,
  message: deniedWrite,
  project: null,
  subject: { type: 'storage_destination' as const, id: storage.id, name: storage.name },
  count: 1,
  openedAt: ago(600),
  lastFailureAt: ago(600),
  recoveredAt: null,
  alertIds: [project.id.replace(idPrefixes.project, idPrefixes.alert)],
  page: '/storage',
  acknowledgement: null,
  assignee: null,
  mutedUntil: null,
});

const user = ({ person }: SampleContext) => ({ type: 'user' as const, id: person.id, email: person.email });

const half = (total: number) => ({ percent: 50, documents: Math.ceil(total / 2), totalDocuments: total });

/** `sampleEvent` adds the organization. */
type Sample<N extends EventName> = Omit<EventData<N>, 'organization'> & Partial<Pick<EventData<N>, 'organization'>>;

const samples: { readonly [N in EventName]: (context: SampleContext) => Sample<N> } = {
  'backup.started': ({ running, project, ago }) => ({ backup: { ...running, createdAt: ago(2) }, project }),
  'backup.progress': ({ running, project, totalDocuments, ago }) => ({
    backup: { ...running, createdAt: ago(49) },
    project,
    progress: half(totalDocuments),
  }),
  'backup.completed': ({ backup, project }) => ({ backup, project }),
  'backup.failed': ({ running, project, ago, now }) => ({
    backup: {
      ...running,
      status: 'failed',
      error: timedOut,
      duration: timeoutMs,
      durationFormatted: `${backupTimeoutMinutes}m 0s`,
      createdAt: ago(timeoutMs / 1_000 + 2),
      completedAt: now.toISOString(),
    },
    project,
  }),
  'backup.anomaly': ({ backup, project, now, ago }) => {
    const findings = [
      {
        collection: 'orders',
        kind: 'deleted' as const,
        field: null,
        observed: { documents: 6_200, total: 31_002, share: 0.2 },
        expected: { min: 0, max: 0.12 },
        message: '20 % of the documents in orders (6200 of 31002) were deleted; expected at most 12 %',
      },
    ];
    const previous = `${idPrefixes.backup}_01JZ8Q4V0M6T3X9C2B7N5K1HRD`;
    const anomaly = {
      detectedAt: now.toISOString(),
      source: 'backup' as const,
      findings,
      comparedWith: previous,
      keptBackupId: previous,
      before: ago(24 * 3_600),
      acknowledgedAt: null,
      acknowledgedBy: null,
      note: null,
    };
    return { backup: { ...backup, anomaly }, project, findings };
  },
  'restore.started': ({ restoring, ago, now }) => ({
    restore: { ...restoring, createdAt: ago(2), startedAt: now.toISOString() },
  }),
  'restore.progress': ({ restoring, totalDocuments, ago }) => {
    const progress = half(totalDocuments);
    return { restore: { ...restoring, phase: 'Validating', progress, createdAt: ago(38), startedAt: ago(36) }, progress };
  },
  'restore.completed': ({ restore }) => ({ restore }),
  'restore.failed': ({ restoring, now, restore }) => ({
    restore: {
      ...restoring,
      status: 'failed',
      phase: 'Validating',
      duration: restore.duration,
      completedAt: now.toISOString(),
      error: {
        code: 'TARGET_PERMISSION_DENIED',
        message: 'The service is not allowed to write to the target project',
        details: {},
      },
    },
  }),
  'export.started': ({ exporting }) => ({ export: exporting }),
  'export.completed': ({ exported }) => ({ export: exported }),
  'export.failed': ({ exporting, exported, now }) => ({
    export: {
      ...exporting,
      status: 'failed',
      phase: 'writing',
      duration: exported.duration,
      completedAt: now.toISOString(),
      error: { code: 'STORAGE_UPLOAD_ERROR', message: deniedWrite, details: {} },
    },
  }),
  'restore_test.completed': ({ restoreTestRun, project }) => ({ restoreTest: asEventRun(restoreTestRun), project }),
  'restore_test.failed': ({ restoreTestRun, project }) => ({
    restoreTest: { ...asEventRun(restoreTestRun), status: 'failed', differences: 3, error: foundDifferences },
    project,
  }),
  'pitr.enabled': (context) => pitrData(context, true),
  'pitr.disabled': (context) => pitrData(context, false),
  'pitr.change_captured': ({ project: { id, name }, backup, ago, now }) => ({
    project: { id, name },
    changes: { count: 128, fromTimestamp: ago(60), toTimestamp: now.toISOString(), collections: backup.collections },
  }),
  'pitr.diverged': ({ project: { id, name }, backup, ago, now }) => ({
    project: { id, name },
    divergence: {
      fromTimestamp: ago(7 * 24 * 3_600),
      toTimestamp: now.toISOString(),
      documentCount: 1,
      collections: backup.collections.slice(0, 1),
      documents: [
        {
          path: `${backup.collections[0] ?? 'orders'}/1042`,
          captured: { updateTime: ago(9 * 24 * 3_600), sha256: 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg' },
          source: { updateTime: ago(3_600), sha256: 'YDA7ffWKF-5xKSbNu7wwV8LJmnXQVQ1u6i0RPb7zqYU' },
        },
      ],
    },
  }),
  'schedule.created': ({ schedule, now }) => ({ schedule: { ...schedule, createdAt: now.toISOString() } }),
  'schedule.updated': ({ schedule }) => ({ schedule }),
  'schedule.deleted': ({ schedule }) => ({ schedule: { ...schedule, enabled: false, nextRunAt: null } }),
  'schedule.triggered': ({ schedule, backup }) => ({ schedule, backupId: backup.id, trigger: 'scheduled' }),
  'schedule.failed': ({ schedule, backup, now }) => ({
    schedule,
    reason: 'failed',
    scheduledFor: now.toISOString(),
    backupId: backup.id,
    error: {
      code: 'SOURCE_AUTH_ERROR',
      message: 'The service is not allowed to read the source project. Reconnect the project',
      details: {},
    },
  }),
  'storage.connected': ({ storage }) => ({ storage }),
  'storage.error': ({ storage, now }) => ({
    storage: {
      ...storage,
      status: 'error',
      lastError: { at: now.toISOString(), step: 'write', kind: 'denied', message: deniedWrite },
    },
    error: { code: 'STORAGE_ERROR', message: deniedWrite, details: { step: 'write', kind: 'denied' } },
  }),
  'project.created': ({ fullProject }) => ({ project: fullProject }),
  'project.deleted': ({ fullProject, ago }) => ({
    project: { ...fullProject, lastBackupAt: ago(3_600), createdAt: ago(monthSeconds) },
  }),
  'incident.opened': (context) => ({
    incident: { ...incident(context), openedAt: context.ago(2), lastFailureAt: context.ago(2) },
  }),
  'incident.acknowledged': (context) => {
    const by = user(context);
    const acknowledgement = { by, at: context.now.toISOString(), note: 'Asking the team of the bucket' };
    return { incident: { ...incident(context), acknowledgement }, by };
  },
  'incident.assigned': (context) => {
    const by = user(context);
    return { incident: { ...incident(context), assignee: { id: by.id, email: by.email, name: 'Ada Lovelace' } }, by };
  },
  'incident.muted': (context) => ({
    incident: { ...incident(context), mutedUntil: context.later(4 * 3_600) },
    by: user(context),
  }),
  'incident.recovered': (context) => ({
    incident: {
      ...incident(context),
      status: 'recovered',
      message: `Storage destination ${context.storage.name} works again`,
      recoveredAt: context.now.toISOString(),
    },
  }),
  'organization.created': ({ organization, person, now }) => ({
    organization: { ...organization, slug: 'example', ownerId: person.id, createdAt: now.toISOString() },
  }),
  'organization.updated': ({ organization, storage, now }) => ({
    organization: {
      ...organization,
      settings: { timezone: 'Europe/Berlin', defaultStorageId: storage.id },
      updatedAt: now.toISOString(),
    },
  }),
  'organization.deleted': ({ organization, later }) => ({
    organization: {
      ...organization,
      deleted: true,
      deletionType: 'soft',
      recoveryDeadline: later(recoverySeconds),
    },
  }),
  'member.joined': (context) => ({ member: member(context) }),
  'member.left': (context) => ({
    member: { ...member(context), status: 'left', joinedAt: context.ago(monthSeconds) },
    projects: [{ ...context.project, status: 'unauthorized' }],
    projectCount: 1,
    serviceAccount: null,
  }),
  'member.role_changed': (context) => ({
    member: { ...member(context), role: 'admin', previousRole: 'member', joinedAt: context.ago(monthSeconds) },
  }),
  'invitation.created': (context) => ({ invitation: invitation(context) }),
  'invitation.accepted': (context) => ({
    invitation: { ...invitation(context), status: 'accepted', createdAt: context.ago(3_600) },
  }),
};
