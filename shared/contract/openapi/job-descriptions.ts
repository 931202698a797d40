/** Descriptions of backups, restores, point-in-time recovery, projects and schedules. */
import * as z from 'zod';
import { backupContents } from '../endpoints/backup-contents.ts';
import { backups } from '../endpoints/backups.ts';
import { pitr } from '../endpoints/pitr.ts';
import { projects } from '../endpoints/projects.ts';
import { restores } from '../endpoints/restores.ts';
import { scheduleFields } from '../endpoints/schedules.ts';
import { events } from '../events/event-catalogue.ts';
import { backupTimeoutMinutes, scheduleIntervalMinutesMin } from '../limits.ts';
import { Backup, BackupEntry, Diff, Estimate, Progress, Verification } from '../models/backup.ts';
import { Pitr, PitrGap, PitrWindows } from '../models/pitr.ts';
import { Project, ProjectSettings } from '../models/project.ts';
import { DryRun, RestoreHistory, RestoreJob, RestorePlan } from '../models/restore.ts';
import { Schedule } from '../models/schedule.ts';
import { type FieldTexts, fieldTexts } from './field-texts.ts';

const pointInTime =
  'The restored point in time; null when a backup is restored. If the requested second is not known, the last known moment before it';

export const jobDescriptions: readonly FieldTexts[] = [
  fieldTexts(Progress, { totalDocuments: 'Null if the source does not support counting' }),
  fieldTexts(Verification, {
    objects: 'Number of objects checked',
    findings: 'The first 100 findings. An orphan is reported but does not fail the verification',
  }),
  fieldTexts(Backup, {
    synthesizedFrom: 'The earlier backup that this full backup was built from, without reading the source',
    fullBecause: 'Why the backup is full although an incremental one was scheduled',
    source: 'Origin of an imported backup, as stated in the import request',
    readTime: 'The single point in time at which the whole database was read',
    size: 'Stored bytes',
    originalSize: 'Bytes of the documents in the encoding of the source',
    duration: 'Milliseconds',
    path: 'Path of the backup within the bucket',
    partial:
      'The backup holds individual documents (a safety backup), or does not state its scope. It cannot be rolled back to, and a diff covers only the documents it contains',
    unknownCollections: 'Requested collections that do not exist in the source',
    collectionCounts: 'Number of documents by collection id; the 1,000 largest collections',
    countVerified: 'Whether the number of documents was compared with a count by the source; false if the source cannot count',
    authUsers: 'Number of Firebase Authentication users in the backup',
    expiresAt: 'End of the retention period. The backup is kept longer while another backup or a point in time depends on it',
    retentionPolicy: 'Set if the schedule keeps backups by days, weeks, months and years',
  }),
  fieldTexts(Estimate, {
    bytes:
      'Estimated from a sample of documents. For an incremental backup: documents written since its parent; 0 if the sample has none',
  }),
  fieldTexts(BackupEntry, {
    documents:
      'For a collection: number of documents directly in it. Absent if the collection is too large to count within one response',
    name: 'For a document: its full resource name in the source',
    fields: 'For a document: its fields in the format of the Firestore REST API',
    missing: 'With showMissing: the document does not exist but has subcollections',
    fieldsTooLarge: 'The fields are too large for one JSON response; read them with the archive command',
  }),
  fieldTexts(Diff, {
    counts: 'Number of documents. A document rewritten with the same fields is unchanged',
    complete: 'False if the counts cover only what was compared so far; they grow with each page',
    cost: 'With live: reads billed by the source so far, including previous pages',
  }),
  fieldTexts(RestorePlan, {
    create: 'Documents missing in the target; written',
    overwrite: 'Documents with different fields in the target; replaced, or merged with mergeMode merge',
    skip: 'Documents that exist in the target and are kept (skip_existing)',
    delete:
      'Documents in the target that are not in the backup; deleted by a rollback or an undo. Documents in subcollections that may have existed unobserved at the point in time are neither deleted nor counted',
    unchanged: 'Documents that already match the result of the restore; not written',
    notFound: 'Requested document paths, ids and collections that are not in the backup; the first 1,000',
  }),
  fieldTexts(DryRun, {
    backupId: 'With pointInTime: the backup that the point in time is built from',
    pointInTime,
    readTime: 'When the target was read',
    changes: 'The first 100 documents that would change or be skipped',
    cost: 'Reads of the target billed for this dry run',
  }),
  fieldTexts(RestoreJob, {
    backupId: 'With pointInTime: the backup that is built from the point in time first; it exists once it is built',
    pointInTime,
    projectId: 'Project of the backup',
    dryRun: 'The job only plans, because the target was too large to read within the request',
    documentIds: 'As requested; the first 100',
    plan: 'Null until the whole target is checked. Nothing is written before',
    documentsRestored: 'Documents that match the backup: acknowledged by the target, or already unchanged',
    documentsUnchanged: 'Restored documents that needed no write',
    failures: 'The first 100 failures',
    collectionsRestored: 'Number of collection ids with restored documents',
    duration: 'Seconds',
    attempts: '1, plus one for each resume',
    safetyBackupId: 'Backup of the previous contents of the target. Null until it is stored, and without safetyBackup',
    undoOf: 'The restore that this one undoes',
    undoneBy: 'The restore that undid this one',
  }),
  fieldTexts(RestoreHistory, { duration: 'Seconds' }),
  fieldTexts(restores.create.body, {
    projectId: 'With pointInTime, instead of backupId',
    pointInTime: 'A whole second within a window of GET /projects/{projectId}/pitr/windows',
    targetProjectId: 'Defaults to the project of the backup',
    documentIds: 'Document paths, or ids within the given collections',
  }),
  fieldTexts(restores.create.body.shape.options.unwrap(), {
    mergeMode: 'Display names such as "Skip Existing" are accepted',
    collections: 'Must equal the outer collections if both are given',
    includeAuthUsers: 'Defaults to true when a whole backup that contains users is restored',
    safetyStorageDestinationId: 'Defaults to the destination of the backup',
  }),
  fieldTexts(restores.list.query, { projectId: 'Project of the target or of the backup' }),
  fieldTexts(Pitr, {
    baseBackupId: 'The newest base backup; captured changes apply to it',
    lastCapture: 'The last capture: number of changes, and reads billed by the source',
    problem: 'Why captures fail, set after three consecutive failures; null otherwise',
    cost: 'Reads billed by the source for all captures, excluding base backups',
  }),
  fieldTexts(PitrGap, {
    to: 'Null while the gap is open',
    collections:
      'Collection ids, at any depth; absent if the entry applies to all collections. In a window: the collections known to be complete, because others have a gap or subcollections were not counted yet; includeSubcollections: false restores the documents directly in them. In a gap: empty if the ids are unknown',
  }),
  fieldTexts(PitrWindows, {
    windows:
      'Ranges of whole seconds. Every second can be restored completely unless precision, collections or sampled say otherwise',
    sampled:
      'Parts of the windows without continuous capture (at the start, after an outage, before a new collection was found). Every second can be restored, except for documents that were created and deleted within the part',
  }),
  fieldTexts(PitrWindows.shape.windows.element, {
    precision:
      'interval if too many documents changed to look up every second: a restore uses the last known moment before the requested second and returns it. Absent if the window has the configured precision',
  }),
  fieldTexts(pitr.enable.body, {
    precision: 'second: every whole second can be restored; interval: only the end of each capture, for fewer reads',
    storageDestinationId: 'Where changes are stored. Defaults to the destination of the project or organization',
  }),
  fieldTexts(pitr.update.body, {
    precision: 'second: every whole second can be restored; interval: only the end of each capture, for fewer reads',
  }),
  fieldTexts(events['pitr.change_captured'], { gap: 'Set if captures were lost for a time; there are no changes then' }),
  fieldTexts(Project, {
    connection: 'The credentials used for the source: a user’s grant or a Google service account',
    pitr: 'Point-in-time recovery and, while enabled, its settings',
  }),
  fieldTexts(ProjectSettings, { maxReads: 'A backup that would read more documents is stopped' }),
  fieldTexts(projects.create.body, {
    credentials:
      'A Google service account. Without it, the grant given at sign-in is used (for an API key: the grant of its creator)',
  }),
  fieldTexts(projects.create.body.shape.settings.unwrap(), {
    backupTimeoutMinutes: `Minutes; defaults to ${backupTimeoutMinutes}`,
  }),
  fieldTexts(projects.update.body, { organizationId: 'Moves the project. Requires role admin in both organizations' }),
  fieldTexts(projects.collections.list, { count: 'Null if the source does not support counting' }),
  fieldTexts(Schedule, {
    retention: 'Days; null if backups are kept by retentionPolicy or without limit',
    nextRunAt: 'Null while paused',
    lastRunAt: 'When the schedule last started a backup, or should have',
    lastSuccessAt: 'When a backup of the schedule last completed',
    failing: 'Null again once a backup of the schedule completes',
  }),
  fieldTexts(z.object(scheduleFields), {
    cron: `Five fields as in crontab(5), or a name such as @daily; runs are at least ${scheduleIntervalMinutesMin} minutes apart`,
    timezone: 'IANA time zone',
    type: 'An incremental backup without a usable parent becomes a full one; fullBecause states the reason',
    enabled: 'False pauses the schedule',
    retention: 'Days; replaces retentionPolicy. Without either, backups are kept without limit',
    retentionPolicy: 'Number of days, ISO weeks, months and years whose last backup is kept; replaces retention',
    storageDestinationId: 'If omitted, the default of the project or organization at the time of each run',
  }),
  fieldTexts(backups.create.body, {
    retention:
      'Days from completion until the backup expires; without it the backup is kept without limit. It is kept longer while another backup, a point in time, a restore or an object lock needs it, and if it is the last good backup of its kind',
  }),
  fieldTexts(backups.list.query, {
    from: 'Created at or after; a date means midnight UTC',
    to: 'Created at or before; a date means the end of that day, UTC',
  }),
  fieldTexts(backupContents.register.body, { path: 'Path within the bucket of the folder that contains the manifest' }),
  fieldTexts(backupContents.documents.query, {
    path: 'Path of a collection or document, such as users or users/ada. Defaults to the root',
    showMissing: 'Whether to list documents that do not exist but have subcollections',
  }),
  fieldTexts(backupContents.diff.query, {
    against:
      'Id of another backup of the same project: added means in this backup but not in the other. Or live: added means in the database now but not in this backup; every document of the database is billed as a read, up to maxReads of the project, so users need role member. Only collections within the scope of both sides are compared',
  }),
];
