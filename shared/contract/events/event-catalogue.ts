/** Event catalogue: the schema of each event's `data`. */
import * as z from 'zod';
import { roles } from '../access.ts';
import { jobErrors } from '../errors.ts';
import { Moment } from '../fields.ts';
import { Anomaly, AnomalyFinding, Backup, JobError, Progress } from '../models/backup.ts';
import { Invitation } from '../models/invitation.ts';
import { Member } from '../models/member.ts';
import { CapturedChanges, Pitr, PitrGap } from '../models/pitr.ts';
import { Project } from '../models/project.ts';
import { RestoreJob } from '../models/restore.ts';
import { RestoreTestRun } from '../models/restore-test.ts';
import { Schedule, scheduleFailures } from '../models/schedule.ts';
import { StorageDestination } from '../models/storage-destination.ts';
import type { EventName } from './event-names.ts';

const organization = z.object({ id: z.string(), name: z.string() });
const member = Member.omit({ lastActiveAt: true }).extend({ status: z.enum(['active', 'left']) });
/** Without its link, which grants access to the invitation. */
const invitation = Invitation.omit({ acceptUrl: true, resentAt: true });

/** Backups in events of the standard format. */
const backup = Backup.pick({
  id: true,
  projectId: true,
  type: true,
  status: true,
  size: true,
  sizeFormatted: true,
  duration: true,
  storageDestination: true,
  waitingFor: true,
  collections: true,
  unknownCollections: true,
  documentCount: true,
  createdAt: true,
  completedAt: true,
}).extend({
  durationFormatted: z.string().nullable(),
  originalSize: z.int(),
  collectionsCount: z.int(),
  trigger: Backup.shape.trigger,
  scheduleId: z.string().nullable(),
});
const project = z.object({ id: z.string(), name: z.string(), sourceProjectId: z.string() });
/** Restores as in the API, with the names of both projects. */
const restore = RestoreJob.omit({ failures: true, collections: true, documentIds: true, plan: true }).extend({
  projectName: z.string(),
  targetProjectName: z.string(),
});
/** The run of a restore test, without its single differences. */
const restoreTest = RestoreTestRun.omit({ progress: true, differences: true }).extend({ differences: z.int() });
/** Schedules as in the API; `cronExpression` equals `cron`. */
const schedule = Schedule.extend({ cronExpression: z.string(), projectName: z.string() });
const scheduled = z.object({ organization, schedule });
const recovered = z.object({ organization, project, pitr: Pitr.omit({ anomaly: true }) });
/** The same shape in every event that reports a failure; `STORAGE_ERROR` is a failed test of a destination. */
const error = JobError.extend({
  code: z.enum([...jobErrors, 'STORAGE_ERROR']),
  details: z.record(z.string(), z.unknown()).default({}),
});
const storage = StorageDestination.omit({ credentials: true, workloadIdentity: true, externalId: true });

export const events = {
  'backup.started': z.object({ backup, project, organization }),
  'backup.progress': z.object({ backup, project, organization, progress: Progress }),
  'backup.completed': z.object({ backup, project, organization }),
  'backup.failed': z.object({ backup: backup.extend({ error }), project, organization }),
  'backup.anomaly': z.object({
    backup: backup.extend({ anomaly: Anomaly }),
    project,
    organization,
    findings: z.array(AnomalyFinding),
  }),
  'restore.started': z.object({ restore, organization }),
  'restore.progress': z.object({ restore, organization, progress: Progress }),
  'restore.completed': z.object({ restore, organization }),
  'restore.failed': z.object({ restore: restore.extend({ error }), organization }),
  'restore_test.completed': z.object({ restoreTest, project, organization }),
  'restore_test.failed': z.object({ restoreTest: restoreTest.extend({ error }), project, organization }),
  'pitr.enabled': recovered,
  'pitr.disabled': recovered,
  'pitr.change_captured': z.object({
    organization,
    project: project.pick({ id: true, name: true }),
    changes: CapturedChanges,
    gap: PitrGap.optional(),
  }),
  'schedule.created': scheduled,
  'schedule.updated': scheduled,
  'schedule.deleted': scheduled,
  'schedule.triggered': scheduled.extend({ backupId: z.string(), trigger: z.enum(['scheduled', 'manual']) }),
  'schedule.failed': scheduled.extend({
    reason: z.enum(scheduleFailures),
    scheduledFor: Moment.nullable(),
    backupId: z.string().nullable(),
    error,
  }),
  'project.created': z.object({ organization, project: Project }),
  'project.deleted': z.object({ organization, project: Project }),
  'storage.connected': z.object({ organization, storage }),
  'storage.error': z.object({ organization, storage, error }),
  'organization.created': z.object({
    organization: organization.extend({ slug: z.string(), ownerId: z.string(), createdAt: Moment }),
  }),
  'organization.updated': z.object({
    organization: organization.extend({
      settings: z.object({ timezone: z.string(), defaultStorageId: z.string().nullable() }),
      updatedAt: Moment,
    }),
  }),
  'organization.deleted': z.object({
    organization: organization.extend({
      deleted: z.literal(true),
      deletionType: z.enum(['soft', 'permanent']),
      recoveryDeadline: Moment.nullable(),
    }),
  }),
  'member.joined': z.object({ organization, member }),
  'member.left': z.object({
    organization,
    member,
    projects: z.array(project.extend({ status: z.literal('unauthorized') })).default([]),
    projectCount: z.int().min(0).default(0),
    serviceAccount: z.object({ id: z.string(), name: z.string() }).nullable().default(null),
  }),
  'member.role_changed': z.object({ organization, member: member.extend({ previousRole: z.enum(roles) }) }),
  'invitation.created': z.object({ organization, invitation }),
  'invitation.accepted': z.object({ organization, invitation }),
} as const satisfies Readonly<Record<EventName, z.ZodType>>;

export type EventData<N extends EventName> = z.input<(typeof events)[N]>;
