/** Descriptions of the overview. */

import { overview } from '../endpoints/overview.ts';
import { Attention, FailedJob, GoodBackup, HistoryDay, Overview, ProjectOverview, RunningJob } from '../models/overview.ts';
import { type FieldTexts, fieldTexts } from './field-texts.ts';

export const overviewDescriptions: readonly FieldTexts[] = [
  fieldTexts(Overview, {
    matching: 'Projects that match search, protection and label, on all pages',
    projects: 'One page of the projects that match',
    labels: 'Labels of all projects with the number of projects, the most frequent first; at most 200',
    attention: 'What needs attention, most urgent first; at most 100 entries. Every open incident is among them',
    failedJobs: 'Backups and restores that failed within 7 days, newest first; at most 20',
    history:
      'The last 30 days, UTC. It is computed from the newest backups, about 2,000. complete is false if there are older ones; then days before from lack some',
  }),
  fieldTexts(overview.get.query, {
    search: 'Text within the name, the id, the Google Cloud project, the database or a label, in any case',
    label: 'team=shop, or team for any value; several, separated by commas, must all match',
    sort: 'protection has the least protected first, lastBackup and lastRestoreTest the oldest, and none before it; a minus sign reverses it',
  }),
  fieldTexts(Overview.shape.totals, {
    projects: 'All projects, whatever the query; so are the other counts',
    unverified: 'Protected projects of which neither a verification nor a restore test has ever passed',
    proven: 'Projects of which a restore test has passed',
    storedBytes: 'Bytes of all completed backups in your buckets',
  }),
  fieldTexts(ProjectOverview, {
    protection:
      'unprotected: there is no good backup. at_risk: there is one, and reasons say what may make it the last one or too old. protected: there is one, as new as the schedules demand, and more will follow',
    verified:
      'Whether its last verification, or a restore test, has passed: false means that its backups are stored, and nothing has read them since',
    reasons: 'Why the project is not protected, most severe first; empty if it is',
    lastGoodBackup:
      'The newest completed backup of the project that no verification found damaged. Safety backups and partial ones do not count. Null if there is none, or if it is older than the backups that were read and no project or schedule names it',
    expectedSince:
      'The last due time of its schedules, with two hours of grace: a good backup should be at least as new. Null if none was due',
    lastVerification: 'The last verification that ended, of any of its backups',
    lastRestoreTest: 'The last restore test that passed',
    lastRestore: 'The last restore into the project that was no dry run, among the newest of the organization',
    nextRun: 'The next due time of its enabled schedules',
  }),
  fieldTexts(ProjectOverview.shape.lastRestoreTest.def.innerType, {
    backupId: 'Null for a test of a moment',
    runId: 'Null if it was made by an earlier version of the service',
    documents: 'Documents that were compared; null if it was made by an earlier version of the service',
    documentsWritten: 'Documents that it wrote to its target and read back; null if it had none',
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
