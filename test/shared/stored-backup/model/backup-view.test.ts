import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { events } from '../../../../shared/contract/events/event-catalogue.ts';
import { Backup } from '../../../../shared/contract/models/backup.ts';
import { backupData, backupEvent, backupProgress } from '../../../../shared/stored-backup/index.ts';
import { backupOf, organization, project } from '../../../harness/builders/sample-backup.ts';
import { strictCopy } from '../../../harness/builders/strict-copy.ts';

test('view: it matches the contract, without the key file and the archive identity', () => {
  const shown = backupData(backupOf({ keyFile: Buffer.from('secret'), authUsers: 3, manifestDigest: 'x' }));
  deepEqual(strictCopy(Backup).parse(shown), shown);
  equal(shown.authUsers, 3);
  equal('authUsers' in backupData(backupOf()), false);
});

test('view: a running backup is never at 100 percent', () => {
  const running = (documents: number, totalDocuments: number | null) =>
    backupProgress(backupOf({ status: 'running', documents, totalDocuments }));
  deepEqual(running(0, null), { percent: 0, documents: 0, totalDocuments: null });
  deepEqual(running(50, null), { percent: 0, documents: 50, totalDocuments: null });
  deepEqual(running(0, 0), { percent: 0, documents: 0, totalDocuments: 0 });
  deepEqual(running(1, 3), { percent: 33, documents: 1, totalDocuments: 3 });
  deepEqual(running(3, 3), { percent: 99, documents: 3, totalDocuments: 3 });
  // Documents that came while it was counted.
  equal(running(4, 3).percent, 99);
});

test('view: a completed backup is at 100 percent, even after its deletion; a failed one is not', () => {
  const at = { completedAt: '2026-03-01T10:02:30.000Z', documentCount: 7 };
  for (const status of ['completed', 'expired', 'deleted'] as const)
    deepEqual(backupProgress(backupOf({ ...at, status })), { percent: 100, documents: 7, totalDocuments: 7 });
  const error = { code: 'CANCELLED', message: 'x' } as const;
  for (const status of ['failed', 'cancelled', 'deleted'] as const)
    equal(backupProgress(backupOf({ ...at, status, error, documents: 7, totalDocuments: 7 })).percent, 99);
});

test('view: durations are in milliseconds and never negative', () => {
  const startedAt = '2026-03-01T10:00:00.000Z';
  const duration = (completedAt: string | null) => backupData(backupOf({ startedAt, completedAt })).duration;
  equal(duration('2026-03-01T10:02:30.000Z'), 150_000);
  equal(duration('2026-03-01T09:59:59.000Z'), 0);
  equal(duration(null), null);
});

test('view: reads are priced at the highest list price', () => {
  deepEqual(backupData(backupOf({ reads: 1_000_000 })).cost, { reads: 1_000_000, estimatedUsd: 0.6 });
});

test('event: it has backup, project and organization, and a formatted duration', () => {
  const record = backupOf({
    startedAt: '2026-03-01T10:00:00.000Z',
    completedAt: '2026-03-01T10:02:30.000Z',
    collectionCounts: [
      ['users', 2],
      ['notes', 1],
    ],
    size: 1_500_000,
  });
  const { backup, ...about } = events['backup.completed'].parse(backupEvent(record, project, organization));
  deepEqual(about, {
    project: { id: project.id, name: 'Shop', sourceProjectId: 'shop-1' },
    organization: { id: organization.id, name: 'Acme' },
  });
  deepEqual(
    [backup.duration, backup.durationFormatted, backup.sizeFormatted, backup.collectionsCount],
    [150_000, '2m 30s', '1.5 MB', 2],
  );
  equal(backupEvent(backupOf(), project, organization).backup.durationFormatted, null);
});

test('view: the creator and the project are named as far as the record knows them', () => {
  const { createdBy, projectName } = backupData(backupOf({ createdBy: { type: 'user', id: 'usr_1' } }));
  deepEqual({ createdBy, projectName }, { createdBy: { type: 'user', id: 'usr_1', email: null }, projectName: null });
  const known = backupOf({ createdBy: { type: 'user', id: 'usr_1', email: 'ada@example.com' }, projectName: 'Shop' });
  deepEqual(backupData(known).createdBy, { type: 'user', id: 'usr_1', email: 'ada@example.com' });
  equal(backupData(known).projectName, 'Shop');
  // A project that was renamed has its current name.
  equal(backupData(known, new Map([[known.projectId, 'Store']])).projectName, 'Store');
  const { createdBy: _, ...unknown } = backupOf();
  equal(backupData(unknown as ReturnType<typeof backupOf>).createdBy, null);
});
