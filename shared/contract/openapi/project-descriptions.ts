/** Descriptions of projects, point-in-time recovery and schedules. */
import * as z from 'zod/mini';
import { pitr } from '../endpoints/pitr.ts';
import { projects } from '../endpoints/projects.ts';
import { scheduleFields } from '../endpoints/schedules.ts';
import { events } from '../events/event-catalogue.ts';
import { backupTimeoutMinutes, scheduleIntervalMinutesMin } from '../limits.ts';
import { Pitr, PitrAudit, PitrDivergence, PitrGap, PitrWindows } from '../models/pitr.ts';
import { Project, ProjectDatabase, ProjectSettings, ShownReadPrice } from '../models/project.ts';
import { CaptureOffer, ProjectReads, ReadDay, ReadsByKind } from '../models/project-reads.ts';
import { Schedule, ScheduleOutcome, ScheduleWait } from '../models/schedule.ts';
import {
  WorkloadIdentity,
  WorkloadIdentitySetup,
  workloadIdentityPoolId,
  workloadIdentityProviderId,
} from '../workload-identity.ts';
import { type FieldTexts, fieldTexts } from './field-texts.ts';

export const projectDescriptions: readonly FieldTexts[] = [
  fieldTexts(Pitr, {
    auditDays: 'Within so many days every document is read again and compared with what was captured',
    baseBackupId: 'The newest base backup; captured changes apply to it',
    lastCapture: 'The last capture: number of changes, and reads billed by the source',
    problem:
      'What is wrong: why captures fail (after three consecutive failures), that a capture waits for a free worker, or which collections are not captured completely and when the base backup comes that ends this, or why the store does not lock the captures for as long as they are kept. Null otherwise',
    audit: 'What was read again and compared with what was captured; null before the first base backup',
    anomaly:
      'The newest finding in captured changes that is not acknowledged, as in a backup; null if there is none. It marks the base backup keptBackupId: POST /backups/{backupId}/acknowledge of that one ends it',
    cost: 'Reads billed by the source for all captures, excluding base backups',
  }),
  fieldTexts(PitrAudit, {
    auditedSince: 'When the oldest document was last read from the source: by a base backup, or by the audit',
    lastAt: 'When the audit last read a part of the documents',
    dueAt: 'When the next part is due. Null while nothing is captured',
    documents: 'Documents read and compared so far',
    differences: 'Documents that differed from what was captured',
    cost: 'Reads billed by the source for the audit',
    problem: 'Why the part that is due was not read; null otherwise',
  }),
  fieldTexts(PitrDivergence, {
    captured:
      'The version that was captured; null if no document was. sha256 is the digest of the encoded document, in base64url',
    source: 'The version that the source had; null if it had no document',
  }),
  fieldTexts(PitrGap, {
    to: 'Null while the gap is open',
    collections:
      'Collection ids, at any depth; absent if the entry applies to all collections. In a window that is not complete: the first of the collections known to be complete, because others have a gap or subcollections were not counted yet; includeSubcollections: false restores the documents directly in them. In a gap: the first affected ones, empty if they are unknown',
    collectionCount: 'Number of the collections, of which collections lists the first; null if they are unknown',
  }),
  fieldTexts(PitrWindows, {
    windows:
      'Ranges of whole seconds. In a complete window every second can be restored with all collections, as far as precision and undetectedUpToSeconds do not say otherwise. With collection: ranges in which this collection is complete, or proven not to exist',
    collections: 'Number of captured collection ids, and a page of them; with collection: this one, if it is captured',
    diverged:
      'Times, both ends exclusive, in which captured documents may differ from what the source had: the audit found differences at the end, and corrected what is restored from then on. documentCount is how many differed',
    undetectedUpToSeconds:
      'A subcollection with an id that was never seen before is detected by counting. One that existed for less than this, between two counts, may be undetected; the longest time between two counts. Null before the second count',
    sampled:
      'Times between two known moments, both exclusive, in which capturing was interrupted and which could not be proven by counting the source at each second of them: documents that were created and deleted within may be missing. The windows there are not complete, so a restore is refused unless it has allowPartial',
  }),
  fieldTexts(PitrWindows.shape.windows.def.element, {
    complete: 'Whether all collections are proven complete. A restore of more than that is refused, unless it has allowPartial',
    precision:
      'interval if too many documents changed to look up every second, or there are more than 5,000 collection ids: a restore uses the last known moment before the requested second and returns it. Absent if the window has the configured precision',
  }),
  fieldTexts(pitr.windows.query, { collection: 'The id, or a path, of a collection' }),
  fieldTexts(pitr.enable.body, {
    auditDays: 'Within so many days every document is read again and compared; a part of them each day',
    precision: 'second: every whole second can be restored; interval: only the end of each capture, for fewer reads',
    storageDestinationId: 'Where changes are stored. Defaults to the destination of the project or organization',
  }),
  fieldTexts(pitr.update.body, {
    auditDays: 'Within so many days every document is read again and compared; a part of them each day',
    precision: 'second: every whole second can be restored; interval: only the end of each capture, for fewer reads',
  }),
  fieldTexts(events['pitr.change_captured'], { gap: 'Set if captures were lost for a time; there are no changes then' }),
  fieldTexts(Project, {
    labels: 'Keys and values by which the project is found, such as team: shop; at most 10',
    connection: 'How the source is accessed: by a user’s grant, a Google service account, or workload identity without a key',
    pitr: 'Point-in-time recovery and, while enabled, its settings',
  }),
  fieldTexts(ProjectSettings, {
    maxReads: 'A backup that would read more (documents; of the Enterprise edition read units) is stopped',
    readBudgetPerDay:
      'What capture, counts, audit, base backups and backups may read a day: {documents} (of the Enterprise edition read units), or {usd} at the list price of its location. When it is short the audit slows down first, then counts are made less often; GET /projects/{projectId}/reads tells what that means. Absent: 1.1 reads for each changed document, all documents within auditDays, and 0.5 % of all documents for counts',
    searchFields:
      'Fields whose values are often searched for with ==, at most 8, such as email or address.city. The next backups store filters of their values and of the ids, encrypted, in at most 3 % of their size; GET /search then reads only the documents that they do not rule out. Without fields there are no filters. Backups that are stored do not change',
  }),
  fieldTexts(ProjectReads, {
    documents: 'In the last backup. Null before the first: then there is no forecast',
    changedPerDay: 'Mean of the last seven whole days with captures; null without',
    budget:
      'Reads a day, and what they cost; isDefault: none is set, so it is what the formula of settings.readBudgetPerDay allows',
    auditDays:
      'Within so many days the budget lets everything be read again; null if the audit is paused, or nothing is captured',
    countsPerDay: 'Reads a day for counts',
    forecast: 'Reads a day with the settings as they are',
    consequences: 'What the budget means for what is proven, in sentences',
    choices: 'The reads a day with each value of a setting, the others as they are',
    offers: 'Schedules that read everything, where capturing changes would cost less',
    days: 'Oldest first, UTC; backups count on the day on which they end',
  }),
  fieldTexts(ReadDay, { exceeded: 'More was read than the budget that is set' }),
  fieldTexts(ReadsByKind, {
    changes: 'Documents that listeners were sent, and their first look-ups',
    lookups: 'Further look-ups, which prove every second',
    listing: 'Root collections, and the time of the source',
    proofs: 'What proves the seconds of interruptions',
    counts: 'What proves that no collection is missing',
    audit: 'Documents read again',
    bases: 'Base backups',
    backups: 'All other backups',
  }),
  fieldTexts(CaptureOffer, { assumption: 'What the number with capture rests on' }),
  fieldTexts(ProjectDatabase, {
    state:
      'known; permission_missing: the account may not ask the Admin API (grant the permission, which the role of the reader contains); unknown: it was not asked yet, or did not answer. Asked when connecting, and once a day',
    permission: 'The permission that is missing',
    pointInTimeRecovery: 'Whether Firestore itself keeps versions for 7 days',
    realtimeUpdates: 'Whether changes can be listened to, which point-in-time recovery does',
    readPrice: 'The list price that estimates, caps and costs are made with, without free quotas and discounts',
  }),
  fieldTexts(ShownReadPrice, {
    unit: 'What is billed: a document (Standard edition), or 4 KiB of what was read (Enterprise edition)',
    usdPerMillionChanges: 'Of what a listener is sent',
    ofLocation: 'False if no price of the location is known: then it is the dearest one known of the edition',
    source: 'The page that publishes the price: compare with it',
  }),
  fieldTexts(Project.shape.connection, {
    email: 'Of the user or service account. Empty for a workload identity without a service account',
    audience: 'Of a workload identity: the pool provider in the customer’s Google Cloud project',
  }),
  fieldTexts(projects.update.body, { labels: 'Only the given labels change; null removes one' }),
  fieldTexts(projects.create.body, {
    workloadIdentity:
      'Access without a key: a workload identity pool provider that trusts this organization. GET /projects/workload-identity has the commands that create it. A provider that also accepts other organizations of this service is refused',
    credentials:
      'A Google service account. Without it, the grant given at sign-in is used. An API key uses the grant of its creator, only for databases that the organization has connected',
  }),
  fieldTexts(WorkloadIdentity, {
    audience: 'The full name of the provider; or its parts:',
    projectNumber: 'The number of the Google Cloud project that has the pool',
    poolId: `Defaults to ${workloadIdentityPoolId}`,
    providerId: `Defaults to ${workloadIdentityProviderId}`,
    serviceAccountEmail: 'A service account to act as. Without it the roles are granted to the organization’s principal itself',
  }),
  fieldTexts(projects.workloadIdentity.query, {
    sourceProjectId: 'The Google Cloud project that gets the pool',
    projectNumber: 'Without it the commands ask Google for it, and audience and principal are null',
    poolId: `Defaults to ${workloadIdentityPoolId}`,
    providerId: `Defaults to ${workloadIdentityProviderId}`,
    serviceAccountEmail: 'The third command lets the organization act as this account, which has the roles',
    bucket: 'A bucket of Cloud Storage: the third command grants the role on it instead of the database',
    role: 'Of the database: roles/datastore.viewer (the default) is enough for backups; restores need roles/datastore.user. Of a bucket: roles/storage.objectUser (the default); object locks need roles/storage.objectAdmin',
  }),
  fieldTexts(WorkloadIdentitySetup, {
    awsAccountId: 'The AWS account of this deployment',
    roleArn: 'The role of this deployment that the pool trusts',
    sessionArn: 'The session of that role for this organization: the identity that Google sees',
    attributeMapping: 'Of the provider',
    attributeCondition: 'Of the provider. It must accept this organization only',
    audience: 'The full name of the provider, to connect the project or the bucket with',
    principal: 'The member of Google’s policies that gets the roles',
    commands: 'Exactly three, to paste into a shell with gcloud',
  }),
  fieldTexts(projects.create.body.shape.settings.def.innerType, {
    backupTimeoutMinutes: `Minutes that a backup may take; defaults to ${backupTimeoutMinutes}`,
  }),
  fieldTexts(projects.update.body, {
    organizationId:
      'Moves the project. Requires role admin in both organizations. Unless the caller is the owner of both, the credentials of its connection and its storage destinations stay: reconnect the project and set them again. A workload identity always stays, because its pool trusts one organization',
  }),
  fieldTexts(projects.collections.list, { count: 'Null if the source does not support counting' }),
  fieldTexts(Schedule, {
    retention: 'Days; null if backups are kept by retentionPolicy or without limit',
    nextRunAt: 'The next due time; while a run waits for capacity that of this run. Null while paused',
    waitingFor:
      'A run is due, but the organization already runs as many backups as it may (limits.concurrentBackups of the organization). It keeps its place and starts when it can, within a minute, unless its next due time comes first: then it is reported as missed. Null otherwise',
    lastRunAt: 'When the schedule last started a backup, or should have',
    lastSuccessAt: 'When a backup of the schedule last completed',
    lastOutcome:
      'How the last run ended; null before. A cancelled backup is no outcome. backupId is null if no backup was started, and for runs before this was recorded',
    failing: 'Null again once a backup of the schedule completes',
    warning:
      'The schedule names collections, included or excluded, that did not exist in its last completed backup. Null again once one completes without a warning. If none of them exists, the backup fails instead',
  }),
  fieldTexts(z.object(scheduleFields), {
    cron: `Five fields as in crontab(5), or a name such as @daily; runs are at least ${scheduleIntervalMinutesMin} minutes apart`,
    timezone:
      'IANA time zone, such as Europe/Berlin. A new schedule without one gets that of the organization, which is UTC unless changed',
    type: 'An incremental backup without a usable parent becomes a full one, and fullBecause of the backup says why',
    source:
      'auto: a backup of all collections is built from captured changes where they prove its moment. read: it always reads the source',
    enabled: 'False pauses the schedule',
    retention: 'Days that backups are kept; replaces retentionPolicy. Without either, backups are kept without limit',
    retentionPolicy: 'Number of days, ISO weeks, months and years whose last backup is kept; replaces retention',
    storageDestinationId:
      'Where the backups are stored. If omitted, the default of the project or organization at the time of each run',
  }),
  fieldTexts(ScheduleWait, {
    position: 'Its place among the waiting runs of the organization. 1 starts next; the run that was due first comes first',
  }),
  fieldTexts(ScheduleOutcome, {
    status:
      'missed: no backup was started, because the run was not delivered in time, or waited for capacity until its next due time. failed: it could not be started, or did not complete',
  }),
];
