/** Descriptions of the overview. */
import { Attention, FailedJob, GoodBackup, HistoryDay, Overview, ProjectOverview, RunningJob } from '../models/overview.ts';
import { type FieldTexts, fieldTexts } from './field-texts.ts';

export const overviewDescriptions: readonly FieldTexts[] = [
  fieldTexts(Overview, {
    projects: 'The 1,000 newest projects',
    attention: 'What needs attention, most urgent first; at most 100 entries. Every open incident is among them',
    failedJobs: 'Backups and restores that failed within 7 days, newest first; at most 20',
    history:
      'The last 30 days, UTC. It is computed from the newest backups, about 2,000. complete is false if there are older ones; then days before from lack some',
  }),
  fieldTexts(Overview.shape.totals, {
    projects: 'All projects; the other counts of projects are those of the listed ones',
    storedBytes: 'Bytes of all completed backups in your buckets',
  }),
  fieldTexts(ProjectOverview, {
    protection:
      'unprotected: there is no good backup. at_risk: there is one, and reasons say what may make it the last one or too old. protected: there is one, as new as the schedules demand, and more will follow',
    reasons: 'Why the project is not protected, most severe first; empty if it is',
    lastGoodBackup:
      'The newest completed backup of the project that no verification found damaged. Safety backups and partial ones do not count. Null if there is none, or if it is older than the backups that were read and no project or schedule names it',
    expectedSince:
      'The last due time of its schedules, with two hours of grace: a good backup should be at least as new. Null if none was due',
    lastVerification: 'The last verification that ended, of any backup that was read',
    lastRestoreTest: 'When a backup was last restored completely',
    lastRestore: 'The last restore into the project that was no dry run, among the newest of the organization',
    nextRun: 'The next due time of its enabled schedules',
  }),
  fieldTexts(GoodBackup, {
    ageSeconds: 'Age of the data, from readTime',
    size: 'Stored bytes',
    documents: 'Number of documents',
  }),
  fieldTexts(RunningJob, { phase: 'As phase of the backup or restore' }),
  fieldTexts(Attention, {
    severity: 'critical: data would be lost, or is not protected now. warning: it may come to that',
    since: 'Null if it is not known',
    projectId: 'Null if it concerns the whole organization',
    resource: 'What to look at or to change',
    incidentId:
      'The open incident about it; null if there is none, such as for what was never set up. INCIDENT_OPEN: an open incident that nothing else in the list shows',
  }),
  fieldTexts(FailedJob, {
    projectId: 'The project of a backup, or the target of a restore',
    trigger: 'Null for a restore',
  }),
  fieldTexts(HistoryDay, {
    backups: 'Backups that completed on this day, without safety backups',
    failed: 'Backups that failed on this day',
    addedBytes: 'Stored bytes of the backups that completed on this day',
    storedBytes:
      'Stored bytes at the end of the day. A backup that was made before the ones that were read, and deleted since, is not counted',
    documents: 'Documents in the last good backups of all projects at the end of the day',
    cost: 'Document reads of the backups and restores that ended on this day, and what Firestore charges for them and for the writes and deletes of the restores, by list price',
  }),
];
