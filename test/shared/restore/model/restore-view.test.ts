/** How a restore is shown by the API, in the history and in events. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { events } from '../../../../shared/contract/events/event-catalogue.ts';
import { RestoreHistory, RestoreJob } from '../../../../shared/contract/models/restore.ts';
import type { RestoreRecord } from '../../../../shared/restore/model/record.ts';
import { historyEntry, restoreData, restoreEvent } from '../../../../shared/restore/model/restore-view.ts';
import { begin, now, organization, putBackup, resetTable, targetId } from '../../../harness/builders/sample-restore.ts';
import { strictCopy } from '../../../harness/builders/strict-copy.ts';

let begun: RestoreRecord;
beforeEach(() => {
  resetTable();
  begun = begin(putBackup(), { collections: ['users'], maxWritesPerSecond: 3 }).restore;
});

const plan = { create: 4, overwrite: 3, skip: 5, delete: 2, unchanged: 7 };
const ended = (more: Partial<RestoreRecord> = {}): RestoreRecord => ({
  ...begun,
  status: 'completed',
  phase: 'Completed',
  plan,
  notFound: ['nowhere'],
  sealedAt: '2026-03-01T10:00:10.000Z',
  safetyBackupId: begun.journal.backupId,
  written: 6,
  deleted: 2,
  raced: 1,
  reads: 1_000,
  collectionsRestored: 1,
  startedAt: '2026-03-01T10:00:00.400Z',
  completedAt: '2026-03-01T10:00:42.900Z',
  undoUntil: '2026-03-08T10:00:42.900Z',
  ...more,
});

test('view: it has the fields of the interface only, without the journal location and key', () => {
  const record = ended({ journal: { ...begun.journal, keyFile: Buffer.from('sealed') } });
  const shown = restoreData(record);
  deepEqual(strictCopy(RestoreJob).parse(shown), shown);
  const text = JSON.stringify([
    shown,
    historyEntry(record),
    restoreEvent(record, { project: undefined, target: undefined, organization }),
  ]);
  ok(!text.includes(begun.journal.path) && !text.includes('keyFile') && !text.includes('ORG#'));
});

test('view: a new restore has no results', () => {
  const shown = restoreData(begun);
  deepEqual([shown.status, shown.phase, shown.plan, shown.attempts], ['pending', 'Initializing', null, 1]);
  deepEqual(shown.progress, { percent: 0, documents: 0, totalDocuments: null });
  deepEqual([shown.documentsRestored, shown.documentsSkipped, shown.documentsFailed, shown.failures], [0, 0, 0, []]);
  deepEqual([shown.safetyBackupId, shown.undoUntil, shown.duration, shown.startedAt], [null, null, null, null]);
});

test('view: every document is restored, deleted, skipped or failed', () => {
  const shown = restoreData(ended());
  deepEqual([shown.documentsRestored, shown.documentsUnchanged, shown.documentsDeleted], [13, 7, 2]);
  deepEqual([shown.documentsSkipped, shown.documentsFailed], [6, 0]);
  deepEqual(shown.plan, { ...plan, documentsErased: 0, notFound: ['nowhere'] });
  equal(shown.documentsErased, 0);
  equal(restoreData(ended({ erasedInCheck: 2, erased: 1 })).documentsErased, 3);
  deepEqual([shown.notFound, shown.notFoundCount, shown.unknownCollections], [['nowhere'], 1, []]);
  deepEqual(shown.progress, { percent: 100, documents: 21, totalDocuments: 21 });
  equal(shown.duration, 43);
});

test('view: a dry run has restored nothing', () => {
  const shown = restoreData(ended({ dryRun: true, written: 0, deleted: 0, raced: 0 }));
  deepEqual([shown.documentsRestored, shown.documentsUnchanged, shown.documentsSkipped], [0, 0, 0]);
  deepEqual(shown.plan?.create, 4);
});

test('view: the cost is what the target bills, never too low', () => {
  const { cost } = restoreData(ended({ reads: 100_000, written: 100_000, deleted: 100_000 }));
  deepEqual(cost, { reads: 100_000, writes: 100_000, deletes: 100_000, estimatedUsd: 0.26 });
});

for (const [status, shown] of [
  ['pending', 'In Progress'],
  ['running', 'In Progress'],
  ['completed', 'Success'],
  ['failed', 'Failed'],
  ['cancelled', 'Failed'],
] as const)
  test(`view: the history shows ${status} as ${shown}`, () => {
    const line = historyEntry(ended({ status }));
    deepEqual([line.status, line.jobStatus], [shown, status]);
    deepEqual(RestoreHistory.parse(line).targetProject, { id: targetId, name: 'Copy' });
    deepEqual(RestoreHistory.parse(line).collections, ['users']);
    deepEqual(
      [line.date, line.sourceBackup.id, line.sourceBackup.createdAt],
      [now.toISOString(), begun.backupId, begun.backupCreatedAt],
    );
  });

test('view: events carry the current names of both projects', () => {
  const names = { project: { name: 'New name' }, target: undefined };
  const data = restoreEvent(ended(), { ...names, organization });
  deepEqual([data.restore.projectName, data.restore.targetProjectName], ['New name', 'Copy']);
  const told = events['restore.completed'].parse(data);
  deepEqual(told.organization, { id: organization.id, name: 'Acme' });
  // Events omit lists that may be long.
  for (const name of ['failures', 'collections', 'documentIds', 'plan']) ok(!(name in told.restore), name);
  for (const name of [
    'restoreJobId',
    'backupId',
    'targetProjectId',
    'documentsRestored',
    'collectionsRestored',
    'mergeMode',
    'duration',
  ])
    ok(name in told.restore, name);
  const error = { code: 'CANCELLED', message: 'x' } as const;
  events['restore.failed'].parse({ ...data, restore: { ...data.restore, error } });
  events['restore.progress'].parse({ ...data, progress: data.restore.progress });
});

test('view: the first 100 names that the backup lacks are shown, with their number', () => {
  const unknownCollections = Array.from({ length: 150 }, (_, n) => `c${n}`);
  const shown = restoreData(ended({ unknownCollections, unknownCollectionsCount: 2_000 }));
  deepEqual([shown.unknownCollections, shown.unknownCollectionsCount], [unknownCollections.slice(0, 100), 2_000]);
  const { unknownCollectionsCount, notFound } = historyEntry(ended({ unknownCollections, unknownCollectionsCount: 2_000 }));
  deepEqual([unknownCollectionsCount, notFound], [2_000, ['nowhere']]);
});
