import type { EventData } from '../events/event-catalogue.ts';
import { idPrefixes } from '../ids.ts';
import type { RestoreTestRun } from '../models/restore-test.ts';

interface SampleOf {
  readonly project: { readonly id: string; readonly name: string };
  readonly backupId: string;
  readonly ulid: string;
  readonly documents: number;
  readonly bytes: number;
  /** The time so many seconds ago. */
  readonly ago: (seconds: number) => string;
}

/** A run that restored the nightly backup of a shop into its staging project, compared it and removed it again. */
export const sampleRestoreTestRun = ({ project, backupId, ulid, documents, bytes, ago }: SampleOf): RestoreTestRun => {
  const compared = { compared: true, reason: null, documents, collections: 3, share: 1, differences: 0 };
  return {
    id: `${idPrefixes.restoreTestRun}_${ulid}`,
    restoreTestId: `${idPrefixes.restoreTest}_${ulid}`,
    name: 'Monthly proof',
    trigger: 'scheduled',
    scheduledFor: ago(242),
    projectId: project.id,
    projectName: project.name,
    status: 'passed',
    phase: 'finished',
    progress: { percent: 100, documents, totalDocuments: documents },
    backup: { pick: 'latest' },
    choice: { seed: `${idPrefixes.restoreTestRun}_${ulid}`, candidates: 1, chosenAt: ago(239) },
    backupId,
    pointInTime: null,
    readTime: ago(7_300),
    scope: { type: 'all' },
    target: { projectId: project.id.replace(/.$/, 'E'), projectName: 'Web shop staging' },
    restoreJobId: `${idPrefixes.restore}_${ulid}`,
    counts: { objects: 6, collections: 3, documents, authUsers: 0, decoded: documents, bytes },
    documentsWritten: documents,
    comparisons: {
      index: { ...compared, readTime: ago(7_300) },
      source: {
        compared: false,
        reason: 'The archive was compared with the target that it was restored to',
        readTime: null,
        documents: 0,
        collections: 0,
        share: 0,
        differences: 0,
      },
      target: { ...compared, readTime: null },
    },
    warnings: [],
    digests: {
      manifest: '7d1a54127b222502f5b79b5fb0803061152a44f92b37e23c6527baf665d4da9a',
      documents: 'b5d4045c3f466fa91fe2cc6abe79232a1a57cdf104f7a26e716e0a1e2789df78',
    },
    durations: { total: 240_000, read: null, restore: 71_000, compare: 52_000, check: null, remove: 66_000 },
    rtoSeconds: 68.4,
    differences: { total: 0, items: [] },
    check: null,
    removal: { status: 'verified', undoJobId: `${idPrefixes.restore}_${ulid}`, documents, message: null },
    evidence: {
      object: `production/${project.id}/restore-tests/${idPrefixes.restoreTestRun}_${ulid}.json`,
      digest: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
      keyId: 'M2Yw8r0mX4kq1vN9dTzBq7c5hJpLs3aEoGxRtUiWfYk',
    },
    createdBy: { type: 'system', id: `${idPrefixes.restoreTest}_${ulid}`, email: null },
    createdAt: ago(241),
    startedAt: ago(240),
    completedAt: ago(0),
    error: null,
  };
};

/** As the events carry it. */
export const asEventRun = (run: RestoreTestRun): EventData<'restore_test.completed'>['restoreTest'] => {
  const { progress: _, differences, ...shown } = run;
  return { ...shown, differences: differences.total };
};
