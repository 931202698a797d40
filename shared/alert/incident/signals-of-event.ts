/** What an event of the service says about incidents. */
import type * as z from 'zod/mini';
import type { events } from '../../contract/events/event-catalogue.ts';
import type { EventName } from '../../contract/events/event-names.ts';
import type { IncidentTrigger } from '../../contract/events/incident-triggers.ts';
import { type FailureSignal, findingText, type RecoverySignal, type Signal } from './signal.ts';

type Data<N extends EventName> = z.output<(typeof events)[N]>;

interface IncidentEvent {
  readonly id: string;
  readonly type: EventName;
  readonly timestamp: string;
  readonly data: unknown;
}

/** `goodBackupId`: holds only if this backup is good. `damage`: holds only while its subject, a backup, counts as damaged. */
export interface EventSignals {
  readonly signals: readonly Signal[];
  readonly goodBackupId?: string;
  readonly damage?: FailureSignal | undefined;
}

export const signalsOfEvent = (event: IncidentEvent): EventSignals => {
  const read = (readers as Partial<Readonly<Record<EventName, (data: never, event: IncidentEvent) => EventSignals>>>)[event.type];
  return read ? read(event.data as never, event) : { signals: [] };
};

type Readers = { readonly [N in IncidentTrigger]: (data: Data<N>, event: IncidentEvent) => EventSignals };

/** The error of a job that was cancelled. */
const cancelled = 'CANCELLED';

type Failed = Omit<FailureSignal, 'state' | 'at' | 'source'>;

const failureSignal = ({ id, timestamp }: IncidentEvent, fields: Failed): FailureSignal => ({
  state: 'failed',
  at: timestamp,
  source: id,
  ...fields,
});

const failure = (event: IncidentEvent, fields: Failed): EventSignals => ({ signals: [failureSignal(event, fields)] });

const recovery = (
  { timestamp }: IncidentEvent,
  {
    subjectId,
    message,
    kinds,
    scheduleId,
  }: {
    readonly subjectId: string;
    readonly message: string;
    readonly kinds: readonly RecoverySignal['kind'][];
    readonly scheduleId?: string | undefined;
  },
): readonly RecoverySignal[] =>
  kinds.map((kind) => ({ state: 'recovered', kind, subjectId, at: timestamp, message, ...(scheduleId && { scheduleId }) }));

const readers: Readers = {
  'backup.failed': ({ backup, project }, event) =>
    // A safety backup belongs to a restore, which reports the failure.
    backup.error.code === cancelled || backup.trigger === 'safety'
      ? { signals: [] }
      : failure(event, {
          kind: 'backup_failed',
          subject: { type: 'project', id: project.id, name: project.name },
          project: { id: project.id, name: project.name },
          ...(backup.scheduleId !== null && { scheduleId: backup.scheduleId }),
          message: backup.error.message,
          facts: [
            { name: 'Error', value: backup.error.code },
            { name: 'Trigger', value: backup.trigger },
            { name: 'Storage destination', value: backup.storageDestination.name },
          ],
          page: `/backups/${backup.id}`,
        }),
  'backup.completed': ({ backup, project }, event) => {
    const message = `A backup of ${project.name} completed`;
    const { scheduleId } = backup;
    return {
      goodBackupId: backup.id,
      signals: [
        ...recovery(event, {
          subjectId: project.id,
          message,
          kinds: ['backup_failed', 'protection_lapsed'],
          scheduleId: scheduleId ?? undefined,
        }),
        ...(scheduleId === null
          ? []
          : recovery(event, { subjectId: scheduleId, message, kinds: ['schedule_failed', 'schedule_overdue'] })),
      ],
    };
  },
  'schedule.failed': ({ schedule, reason, backupId, error }, event) =>
    failure(event, {
      kind: reason === 'overdue' ? 'schedule_overdue' : 'schedule_failed',
      subject: { type: 'schedule', id: schedule.id, name: schedule.name },
      project: { id: schedule.projectId, name: schedule.projectName },
      // The failed backup is reported by itself.
      ...(reason === 'failed' && backupId !== null && { coveredBy: 'backup_failed' as const }),
      message: error.message,
      facts: [
        { name: 'Schedule', value: schedule.name },
        { name: 'Error', value: error.code },
      ],
      // The backup says why it failed. Without one, the schedule does.
      page: backupId === null ? `/schedules/${schedule.id}` : `/backups/${backupId}`,
    }),
  'schedule.updated': ({ schedule }, event) =>
    schedule.enabled ? { signals: [] } : { signals: endOfSchedule(event, schedule.id, `Schedule ${schedule.name} was disabled`) },
  'schedule.deleted': ({ schedule }, event) => ({
    signals: endOfSchedule(event, schedule.id, `Schedule ${schedule.name} was deleted`),
  }),
  'storage.error': ({ storage, error }, event) =>
    failure(event, {
      kind: 'destination_error',
      subject: { type: 'storage_destination', id: storage.id, name: storage.name },
      project: null,
      message: error.message,
      facts: [
        { name: 'Storage destination', value: storage.name },
        { name: 'Bucket', value: storage.bucket },
      ],
      page: '/storage',
    }),
  'storage.connected': ({ storage }, event) => ({
    signals: recovery(event, {
      subjectId: storage.id,
      message: `Storage destination ${storage.name} works again`,
      kinds: ['destination_error'],
    }),
  }),
  'restore.failed': ({ restore }, event) => ({
    ...(restore.error.code === cancelled
      ? { signals: [] }
      : failure(event, {
          kind: 'restore_failed',
          subject: { type: 'project', id: restore.targetProjectId, name: restore.targetProjectName },
          project: { id: restore.targetProjectId, name: restore.targetProjectName },
          message: restore.error.message,
          facts: [{ name: 'Error', value: restore.error.code }],
          page: `/restores/${restore.restoreJobId}`,
        })),
    damage: damageFound(restore, event),
  }),
  // A failed restore that is resumed begins again.
  'restore.started': ({ restore }, event) => ({
    signals: recovery(event, {
      subjectId: restore.targetProjectId,
      message: `A restore into ${restore.targetProjectName} was started`,
      kinds: ['restore_failed'],
    }),
  }),
  'restore.completed': ({ restore }, event) => ({
    signals: recovery(event, {
      subjectId: restore.targetProjectId,
      message: `A restore into ${restore.targetProjectName} completed`,
      kinds: ['restore_failed'],
    }),
    damage: damageFound(restore, event),
  }),
  'restore_test.failed': ({ restoreTest, project }, event) =>
    restoreTest.error.code === cancelled
      ? { signals: [] }
      : failure(event, {
          kind: 'restore_test_failed',
          subject: { type: 'project', id: project.id, name: project.name },
          project: { id: project.id, name: project.name },
          message: restoreTest.error.message,
          findings: testFindings(restoreTest),
          facts: [
            { name: 'Restore test', value: restoreTest.name },
            { name: 'Error', value: restoreTest.error.code },
            ...(restoreTest.backupId === null ? [] : [{ name: 'Backup', value: restoreTest.backupId }]),
          ],
          page: `/restore-tests/runs/${restoreTest.id}`,
        }),
  'restore_test.completed': ({ restoreTest, project }, event) => ({
    signals: recovery(event, {
      subjectId: project.id,
      message: `Restore test ${restoreTest.name} of ${project.name} passed`,
      kinds: ['restore_test_failed'],
    }),
  }),
  'pitr.disabled': ({ project }, event) => ({
    signals: recovery(event, {
      subjectId: project.id,
      message: `Point-in-time recovery of ${project.name} was disabled`,
      kinds: ['capture_stalled', 'capture_diverged'],
    }),
  }),
  'pitr.diverged': ({ project, divergence }, event) =>
    failure(event, {
      kind: 'capture_diverged',
      subject: { type: 'project', id: project.id, name: project.name },
      project: { id: project.id, name: project.name },
      message: divergenceText(project.name, divergence),
      facts: [
        ...divergence.documents.slice(0, 3).map((one) => ({ name: one.path, value: versionsText(one) })),
        { name: 'Last read before', value: divergence.fromTimestamp },
        { name: 'Compared at', value: divergence.toTimestamp },
      ],
      page: `/projects/${project.id}/point-in-time`,
    }),
  'project.deleted': ({ project }, event) => ({
    signals: recovery(event, {
      subjectId: project.id,
      message: `${project.name} was removed from the organization`,
      kinds: [
        'backup_failed',
        'restore_failed',
        'capture_stalled',
        'capture_diverged',
        'restore_test_failed',
        'protection_lapsed',
      ],
    }),
  }),
};

type FoundBy = Pick<
  Data<'restore.completed'>['restore'],
  'findings' | 'findingsCount' | 'backupId' | 'projectId' | 'projectName' | 'restoreJobId'
>;

/** What a restore found in the storage of its backup. A verification that passes ends it, as if one had found it. */
const damageFound = (restore: FoundBy, event: IncidentEvent): FailureSignal | undefined => {
  // Events of earlier versions lack them.
  const { findings = [], findingsCount, backupId, projectId, projectName, restoreJobId } = restore;
  const [first] = findings;
  if (!first) return undefined;
  const more = findingsCount > 1 ? ` (and ${findingsCount - 1} more)` : '';
  return failureSignal(event, {
    kind: 'verification_failed',
    heading: 'Backup damaged',
    subject: { type: 'backup', id: backupId, name: null },
    project: { id: projectId, name: projectName },
    message: `A restore of a backup of ${projectName} found that it is damaged: ${findingText(first)}${more}`,
    findings: findings.map(findingText),
    facts: [
      { name: 'Backup', value: backupId },
      { name: 'Restore', value: restoreJobId },
    ],
    page: `/backups/${backupId}`,
  });
};

type FailedTest = Pick<Data<'restore_test.failed'>['restoreTest'], 'comparisons' | 'check' | 'removal'>;

const comparedWith = { index: 'the index of the backup', source: 'the source', target: 'the target' } as const;

/** Which of its checks a restore test did not pass. */
const testFindings = ({ comparisons, check, removal }: FailedTest): readonly string[] => [
  ...(['index', 'source', 'target'] as const).flatMap((name) => {
    const { differences = 0, documents = 0 } = comparisons?.[name] ?? {};
    return differences === 0 ? [] : [`${differences} of ${documents} documents differ from ${comparedWith[name]}`];
  }),
  ...(check?.status === 'failed' || check?.status === 'timeout' ? [`Own check: ${check.message ?? check.status}`] : []),
  ...(removal?.status === 'failed' ? [`Removal from the target: ${removal.message ?? 'failed'}`] : []),
];

type Divergence = Data<'pitr.diverged'>['divergence'];

const divergenceText = (name: string, { documentCount, toTimestamp }: Divergence): string =>
  `${documentCount === 1 ? 'One document' : `${documentCount} documents`} of ${name} differed from what was captured. Restores of ${toTimestamp} or later are corrected; a base backup that reads everything follows`;

const versionsText = ({ captured, source }: Divergence['documents'][number]): string =>
  `captured ${captured?.updateTime ?? 'no document'}, source ${source?.updateTime ?? 'no document'}`;

const endOfSchedule = (event: IncidentEvent, scheduleId: string, message: string): readonly Signal[] =>
  recovery(event, { subjectId: scheduleId, message, kinds: ['schedule_failed', 'schedule_overdue'] });
