/** Descriptions of backups and restores. */
import { backupContents } from '../endpoints/backup-contents.ts';
import { backups } from '../endpoints/backups.ts';
import { restores } from '../endpoints/restores.ts';
import { Anomaly, AnomalyFinding, Backup, BackupEntry, Diff, Estimate, Verification } from '../models/backup.ts';
import { Creator, Lacking, Progress, Timeline, TimelineEntry, WaitingFor } from '../models/job.ts';
import { DryRun, RestoreHistory, RestoreJob, RestorePlan } from '../models/restore.ts';
import { type FieldTexts, fieldTexts } from './field-texts.ts';

const pointInTime =
  'The restored point in time; null when a backup is restored. If the requested second is not known, the last known moment before it';

const partial =
  'What a restore with allowPartial, or of a backup that was built for a point in time, lacks: collections that are not proven complete at that moment, or documents that existed only within an interruption of capturing (sampled). Null if it lacks nothing';

const diverged =
  'The restored moment lies within a time in which captured documents may differ from what the source had: the audit found differences at its end. Null if it does not, and for a backup. A backup that has read the source is exact';

const transform = 'Only of a masked copy';
const transformPreview =
  'Up to ten documents before and after the rules, in the format of the Firestore REST API. The values of hash and fake are made with a key of the dry run alone; a restore has another';
const ruleMatches = 'Only of a masked copy: each rule with the number of documents in which it found its field';

const deleteDigest =
  'Of a plan: deletes exactly the documents that the plan would delete. If others would be deleted, because the target has changed, the job fails with PLAN_CHANGED before it writes anything';

export const jobDescriptions: readonly FieldTexts[] = [
  fieldTexts(Progress, { totalDocuments: 'Null if the source does not support counting' }),
  fieldTexts(WaitingFor, {
    reason:
      'quota: the database refuses more calls for now (RESOURCE_EXHAUSTED). database: the database does not answer. storage: the bucket does not answer',
    since: 'When the job began to wait',
    attempts: 'How many runs of a step have failed for this reason since then. Within a run, calls are repeated several times',
    problem: 'What the last of them met; null as long as none has failed',
    givesUpAt:
      'The job fails with its first attempt after this time, unless it makes progress before. Null if it has no limit but the quota of the database',
  }),
  fieldTexts(Timeline, { entries: 'The oldest first; of a job with very many, the first hundred and its end' }),
  fieldTexts(TimelineEntry, {
    kind: 'phase: a phase began. waiting: the job makes no progress. attempt_failed: a run of a step failed and will be repeated. continued: a wait is over. finding: damage was found in the backup',
    phase: 'Of phase: the one that began',
    reason: 'Of waiting and attempt_failed: what the job waits for; without it, another job',
    status: 'Of ended: the status since then',
    message: 'What happened, in words; null if the kind says it all',
  }),
  fieldTexts(Verification, {
    objects: 'Number of objects checked',
    percent: 'How much of what has to be checked was checked; 100 once it has ended',
    findings:
      'The first 100 findings. Objects that are orphan (not part of the backup), unlocked (locked for less than immutableUntil said) or hidden (by a delete marker or an overwrite; the locked version is read) are reported but do not fail the verification, because the backup is intact',
  }),
  fieldTexts(backups.verify.body, {
    depth:
      'full reads every byte and the key objects of the backups that this one depends on: it passes only if the archive command alone could read the backup',
  }),
  fieldTexts(Creator, {
    type: 'system: a schedule, point-in-time recovery or the service itself',
    id: 'Id of the user or service account; for system the id of the schedule, or the name of the part of the service',
    email: 'Null for system, and for jobs started before this was recorded',
  }),
  fieldTexts(AnomalyFinding, {
    collection: 'Id of the collection; null for all collections together',
    kind: 'deleted, changed, added: so many documents were. entropy: documents became unreadable, as encryption makes them. schema: a field disappeared from most documents. configuration: an index, a TTL policy, rules or a protection is gone; observed is then without numbers. changed and added are reported beside others; changed alone only if the documents lost most of their text',
    field: 'The field that vanished, or that became unreadable in most documents; null otherwise',
    observed: 'documents of total, as a share from 0 to 1. total is what the previous backup had',
    expected: "The range of the share that the project's own history lets expect",
  }),
  fieldTexts(Anomaly, {
    detectedAt: 'When something was last reported: later findings in captured changes add to an open mark',
    source: 'backup: found when it completed; changes captured after it may add to it. capture: found in such changes only',
    comparedWith: 'The backup before it',
    keptBackupId:
      'The last backup from before, which is neither deleted nor expired until a person acknowledges; null if there is none',
    before: 'The moment whose data that backup has; of a capture the last moment before the changes',
    acknowledgedAt: 'Null until a person has acknowledged it',
  }),
  fieldTexts(Backup, {
    anomaly:
      "What is unusual about it, compared with the project's own history; null if nothing is, or if there is no history yet",
    waitingFor:
      'Set if the backup has made no progress for 10 seconds although it tries; null otherwise. A backup.progress event is sent when it is set, at most one every 5 minutes. The timeout of the backup continues meanwhile',
    projectName: 'Current name of the project; if it is gone, its name when the backup started, or null if that was not recorded',
    createdBy: 'Null if it was not recorded',
    synthesizedFrom: 'The earlier backup that this full backup was built from, without reading the source',
    fullBecause: 'Why the backup is full although an incremental one was scheduled',
    source: 'Origin of an imported backup, as stated in the import request',
    builtFrom:
      'changes: built from the last base backup and the changes captured since, without reading the source; it is as complete and independent as any other. source: read from the source. Null until it is planned, and of an import whose manifest does not say it',
    builtFromReason: 'Why it read the source although changes are captured',
    readsBilled: 'Reads of the source that this backup was billed; those of capturing are not among them',
    costIfRead: 'If it was built from changes: what reading every document would have cost',
    auditedSince:
      'Every document was read from the source at this time or later. Of a backup that read the source its readTime; null until it is planned, and of an import whose manifest does not say it',
    readTime: 'The single point in time at which the whole database was read',
    encryption:
      'For an import, keyId is the key with which KMS opened the backup, never the one that the bucket claims; unverified if KMS did not name it',
    size: 'Stored bytes',
    originalSize: 'Bytes of the documents in the encoding of the source',
    duration: 'Milliseconds; of an imported backup the time that the import took',
    path: 'Path of the backup within the bucket',
    partial:
      'The backup holds individual documents (a safety backup), or does not state its scope. It cannot be rolled back to, and a diff covers only the documents it contains',
    foreign:
      'The backup was imported, and its manifest names another database than that of the project. It does not count as protection of the project, and restore tests do not choose it',
    lacks:
      'Of a backup that was built for a restore to a point in time: collections that are not proven complete at that moment. A restore of it reports them as partial. Absent if it lacks nothing',
    unknownCollections:
      'Named collections, included or excluded, that did not exist in the source at readTime; empty if all existed. If no included one exists, the backup fails with COLLECTION_NOT_FOUND',
    collectionCounts: 'Number of documents by collection id; the 1,000 largest collections',
    countVerified: 'Whether the number of documents was compared with a count by the source; false if the source cannot count',
    authUsers: 'Number of Firebase Authentication users in the backup',
    expiresAt: 'End of the retention period. The backup is kept longer while another backup or a point in time depends on it',
    lockedUntil: 'End of the lock that the service asked for when the backup started; until then it refuses to delete the backup',
    immutableUntil:
      'The earliest end of the locks of all objects that the backup needs, those of earlier backups included, as the store reports it. Read when the backup completes and by every verification. Null if the destination has no object lock, if the store does not report a lock of every object, or if the backup is from before this field and was not verified since',
    lockProblem:
      'Set if the store guarantees less than lockedUntil, such as when it refused to extend the lock of an earlier backup. The backup is complete, but less protected than its destination asks for',
    objectsKept:
      'Objects of a failed, cancelled, expired or deleted backup that stay in the bucket, because the store refused to delete them. After a failure the service tries for about a day. Once the store allows it, delete the backup to have them deleted',
    retention: 'Days that it is kept after its completion; absent if it is kept by retentionPolicy, or without limit',
    retentionPolicy: 'Set if the schedule keeps backups by days, weeks, months and years',
  }),
  fieldTexts(Estimate, {
    builtFrom: 'changes: it would be built from captured changes, if they prove its moment; otherwise it reads the source',
    builtFromReason: 'Why it would read the source although changes are captured',
    costIfRead: 'If it would be built from changes: what reading every document costs',
    bytes:
      'Estimated from a sample of documents. For an incremental backup: documents written since its parent; 0 if the sample has none',
    unknownCollections: 'Named collections, included or excluded, that do not exist in the source',
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
    lacks:
      'Collections that are not proven complete in a compared backup, because it was built for a point in time; their documents are not compared completely. Absent if there are none',
    complete: 'False if the counts cover only what was compared so far; they grow with each page',
    cost: 'With live: reads billed by the source so far, including previous pages',
    document:
      'With path: the document on both sides, null where it does not exist. before is in the other backup, or in this one if compared with live; after is in this backup, or in the database now',
  }),
  fieldTexts(RestorePlan, {
    create: 'Documents missing in the target; written',
    overwrite: 'Documents with different fields in the target; replaced, or merged with mergeMode merge',
    skip: 'Documents that exist in the target and are kept (skip_existing)',
    delete:
      'Documents in the target that are not in the backup; deleted by a rollback or an undo. Documents in subcollections that may have existed unobserved at the point in time are neither deleted nor counted',
    unchanged: 'Documents that already match the result of the restore; not written',
    deletions: 'Paths of the first 100 documents that are deleted; an undo also lists users that it deletes, as accounts/<id>',
    deleteDigest: 'Identifies the set of all documents that are deleted, for options.deleteDigest',
  }),
  fieldTexts(DryRun, {
    unknownCollections: 'Requested collections that are not in the backup; the first 1,000',
    unknownCollectionsCount: 'Number of requested collections that are not in the backup',
    notFound: 'Requested documents that are not in the backup, as requested; the first 1,000',
    notFoundCount: 'Number of requested documents that are not in the backup',
    backupId: 'With pointInTime: the backup that the point in time is built from',
    pointInTime,
    partial,
    diverged,
    readTime: 'When the target was read',
    changes: 'The first 100 documents that would change or be skipped',
    cost: 'Reads of the target billed for this dry run',
    transform,
    ruleMatches,
    transformPreview,
  }),
  fieldTexts(RestoreJob, {
    projectName: 'Name of the project of the backup when the restore started',
    targetProjectName: 'Name of the target when the restore started',
    createdBy: 'Null if it was not recorded',
    backupId: 'With pointInTime: the backup that is built from the point in time first; it exists once it is built',
    pointInTime,
    partial,
    diverged,
    projectId: 'Project of the backup',
    dryRun:
      'The job only plans: the plan of an undo, or of a target that is too large to read within the request. With buildOnly it only builds the backup, and plan stays null',
    documentIds: 'As requested; the first 100',
    waitingFor:
      'Set if the restore has made no progress for 10 seconds although it tries; null otherwise. A restore.progress event is sent when it is set, at most one every 5 minutes. A restore fails after 30 minutes without an answer of the bucket, and after 6 hours in which the target accepts no writes',
    cancelling:
      'True from the cancellation of a restore that writes until nothing writes any more, which takes a few seconds. Then its status is cancelled, and its counts are final',
    plan: 'Null until the whole target is checked. Nothing is written before',
    unknownCollections:
      'Requested collections that are not in the backup; the first 100. If it has none of the requested names, the restore fails with COLLECTION_NOT_FOUND or DOCUMENT_NOT_FOUND',
    unknownCollectionsCount: 'Number of requested collections that are not in the backup',
    notFound: 'Requested documents that are not in the backup, as requested; the first 100',
    notFoundCount: 'Number of requested documents that are not in the backup',
    documentsRestored: 'Documents that match the backup: acknowledged by the target, or already unchanged',
    documentsUnchanged: 'Restored documents that needed no write',
    failures: 'The first 100 failures',
    findings:
      'What would fail a verification of the backup: objects that are missing or have another size, and key objects that are missing or damaged. In a bucket with versions, also objects that others hide, beyond the 100 whose stored version is searched for (hidden). The first 100. Such a restore completes if everything it reads is intact, and writes exactly what was backed up; the backup, and one that it inherits the damage from, then counts as damaged until a verification passes. Empty if nothing was found',
    findingsCount: 'Number of findings',
    collectionsRestored: 'Number of collection ids with restored documents',
    duration: 'Seconds',
    attempts: '1, plus one for each resume',
    safetyBackupId: 'Backup of the previous contents of the target. Null until it is stored, and without safetyBackup',
    undoOf: 'The restore that this one undoes',
    undoneBy: 'The restore that undid this one',
    transform,
    ruleMatches,
    transformPreview: `Only in the response that starts a dry run as a job. ${transformPreview}`,
  }),
  fieldTexts(RestoreHistory, {
    projectName: 'Name of the project of the backup when the restore started',
    documentIds: 'As requested; the first 100',
    createdBy: 'Null if it was not recorded',
    unknownCollections: 'Requested collections that are not in the backup; the first 100',
    unknownCollectionsCount: 'Number of requested collections that are not in the backup',
    notFound: 'Requested documents that are not in the backup; the first 100',
    notFoundCount: 'Number of requested documents that are not in the backup',
    findingsCount: 'Number of findings about the backup; the restore itself lists them',
    duration: 'Seconds',
    partial,
    transform,
  }),
  fieldTexts(Lacking, {
    collections: 'The first collection ids (at most 100 and 16 KB), at any depth; empty if they are not known',
    count: 'Number of the collections; null if they are not all known',
    complete: 'Whether collections lists all of them',
    reason: 'Why they are not proven; sampled: … if capturing was interrupted at that moment',
    sampled:
      'The period without continuous capture that is not proven: documents that were created and deleted within it may be missing',
  }),
  fieldTexts(restores.create.body, {
    projectId: 'With pointInTime, instead of backupId',
    pointInTime: 'A whole second within a window of GET /projects/{projectId}/pitr/windows',
    targetProjectId: 'The project that is written to; defaults to that of the backup',
    documentIds: 'Document paths, or ids within the given collections',
    allowPartial: 'The same as options.allowPartial, which it must equal if both are given',
  }),
  fieldTexts(restores.create.body.shape.options.def.innerType, {
    mergeMode: 'Display names such as "Skip Existing" are accepted',
    collections: 'Must equal the outer collections if both are given',
    allowPartial:
      'With pointInTime: restore what is proven for that moment, if that is less than was requested; partial of the restore states what it lacks. Otherwise such a request is refused with 409 CONFLICT, whose details name the collections, their count and whether the list is complete, or the interruption of capturing (sampled)',
    buildOnly:
      'With pointInTime, and with no other option or scope than collections and includeSubcollections: only builds the backup of that moment, with all that is proven of it, so that it can be read by its backupId. With collections and includeSubcollections: false only these must be proven, otherwise everything the project had. Nothing is planned, and no database is read or written. It is kept for 8 days. 200 with an earlier job if that has built it, or builds it, and it is kept for another day',
    includeAuthUsers: 'Defaults to true when a whole backup that contains users is restored',
    safetyStorageDestinationId: 'Where the safety backup is stored. Defaults to the destination of the backup',
    transform:
      'Makes a masked copy in another project. rules: up to 200, each with collection (users, users/*/orders, **/orders, * for all), field (email, address.street, contacts.*.phone, cards[].number, **.email, *; names with special characters in back-quotes), transform (redact, hash, fake, null, keep) and, for fake, type. The most specific rule wins; contradicting ones are refused. A rule that matches nothing is refused with 400, or fails the job with TRANSFORM_INVALID before it writes, unless allowUnmatched. A list of rules alone is accepted, too. Users are not copied',
    deleteDigest,
  }),
  fieldTexts(restores.undo.body, {
    dryRun: 'Starts a job that compares the safety backup with the target and writes nothing; plan of the job has the result',
    deleteDigest,
  }),
  fieldTexts(restores.list.query, {
    projectId: 'Project of the target or of the backup',
    status: 'As jobStatus',
    from: 'Inclusive; a date means midnight UTC',
    to: 'Inclusive; a date means the whole day, UTC',
  }),
  fieldTexts(backups.create.body, {
    retention:
      'Days from completion until the backup expires; without it the backup is kept without limit. It is kept longer while another backup, a point in time, a restore or an object lock needs it, and if it is the last good backup of its kind',
  }),
  fieldTexts(backups.list.query, {
    from: 'Created at or after; a date means midnight UTC',
    to: 'Created at or before; a date means the end of that day, UTC',
    internal:
      'exclude: without backups that restores made for themselves, which are safety backups and those built for a moment. A filter by trigger lists them, too',
  }),
  fieldTexts(backupContents.register.body, { path: 'Path within the bucket of the folder that contains the manifest' }),
  fieldTexts(backupContents.register.body.shape.metadata.def.innerType, {
    createdAt: 'Defaults to the readTime of the backup. An imported backup has no retention of its own, however old it is',
  }),
  fieldTexts(backupContents.documents.query, {
    path: 'Path of a collection or document, such as users or users/ada. Defaults to the root',
    showMissing: 'Whether to list documents that do not exist but have subcollections',
    descendants:
      'Whether to list the documents of all depths below the path, in name order, instead of collections and direct children',
    startAt:
      'Path of a document below the path, which need not exist: the list begins there. Only for documents of a collection, or with descendants',
  }),
  fieldTexts(backupContents.diff.query, {
    against:
      'Id of another backup of the same project: added means in this backup but not in the other. Or live: added means in the database now but not in this backup; every document of the database is billed as a read, up to maxReads of the project, so users need role member. Only collections within the scope of both sides are compared',
    path: 'Path of a document, such as users/ada: compares only it and returns its fields on both sides. With live it costs one read',
  }),
];
