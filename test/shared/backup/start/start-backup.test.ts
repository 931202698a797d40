/** What may be done to a backup in which state: starting, cancelling, verifying and deleting, decided without a table. */
import { deepEqual, equal, match, ok, rejects, throws } from 'node:assert/strict';
import { afterAll, beforeEach, describe, test } from 'vitest';
import { assertValidCollections, cancelBackup, startBackup } from '../../../../shared/backup/index.ts';
import { backupStatuses } from '../../../../shared/contract/job-enums.ts';
import type { DestinationRecord } from '../../../../shared/destination/index.ts';
import { defaultDestination } from '../../../../shared/destination/index.ts';
import type { CallerContext, OrganizationRecord } from '../../../../shared/organization/index.ts';
import { epochSeconds, newId, type Write } from '../../../../shared/platform/index.ts';
import type { ProjectRecord } from '../../../../shared/project/index.ts';
import { type BackupRecord, deleteBackup, expiryOf, startVerification } from '../../../../shared/stored-backup/index.ts';
import { scriptAws } from '../../../harness/aws/scripted-aws.ts';
import { backupOf, now, organization, project, projectId, tenant } from '../../../harness/builders/sample-backup.ts';
import { InMemoryTable } from '../../../harness/table/in-memory-table.ts';

const table = new InMemoryTable();
const aws = await scriptAws(table.script);
afterAll(() => aws.stop());
beforeEach(() => {
  table.items.clear();
  table.put({ ...project, pk: `ORG#${tenant.organizationId}`, sk: `PROJECT#${projectId}` });
});

const keysOf = (writes: readonly Write[]): string[] =>
  writes.map((write) => {
    const { sk } = 'put' in write ? write.put : 'update' in write ? write.update : 'remove' in write ? write.remove : write.check;
    return `${Object.keys(write).find((name) => /put|update|remove|check/.test(name))} ${sk.split('#')[0]}`;
  });
const code = (wanted: string) => (error: Error & { code?: string }) => error.code === wanted;

describe('start: a backup', () => {
  const destination = { id: newId('storageDestination'), name: 'Bucket', type: 's3', prefix: '' } as DestinationRecord;
  const encryption = { mode: 'kms', keyId: 'arn' } as const;
  const wish = {
    type: 'full',
    collections: ['*'],
    excludeCollections: ['logs'],
    includeAuthUsers: true,
    trigger: 'manual',
    createdBy: { type: 'user', id: 'usr_x' },
  } as const;
  const start = (more: object = {}, place: object = {}) =>
    startBackup({ tenant, project, destination, encryption, ...place }, { ...wish, ...more }, now);

  test('is pending, with all its conditions in one transaction', () => {
    const { backup, writes } = start();
    deepEqual([backup.status, backup.phase, backup.trigger, backup.encryption], ['pending', 'queued', 'manual', encryption]);
    deepEqual(backup.excludedCollections, ['logs']);
    deepEqual(backup.archive, { organization: tenant.organizationId, project: projectId, backup: backup.id });
    deepEqual(keysOf(writes), [
      'update META',
      'check PROJECT',
      'put JOB',
      'update DESTINATION',
      'put BACKUP',
      `put ${tenant.organizationId}`,
      'put ARCHIVE',
      'put TASK',
    ]);
  });
  test('has its path below the prefix of the destination', () => {
    const { backup } = start();
    equal(backup.path, `${projectId}/${backup.id}`);
    const inside = start({}, { destination: { ...destination, prefix: 'a/b' } }).backup;
    equal(inside.path, `a/b/${projectId}/${inside.id}`);
  });
  test('has the requested read limit, else that of the project', () => {
    const limited = { ...project, settings: { ...project.settings, maxReads: 7 } } as ProjectRecord;
    equal(start({ maxReads: 5 }, { project: limited }).backup.maxReads, 5);
    equal(start({}, { project: limited }).backup.maxReads, 7);
    equal('maxReads' in start().backup, false);
  });
  test('is retained for days from its completion', () => {
    const { backup } = start({ retention: 2 });
    equal(backup.expiresAt, null);
    equal(expiryOf(backup, new Date('2026-03-01T11:00:00Z')), '2026-03-03T11:00:00.000Z');
    equal(expiryOf(start().backup, now), null);
  });
});

describe('start: a request', () => {
  const refuse =
    (collections: string[], excludeCollections: string[] = []) =>
    () =>
      assertValidCollections({ collections, excludeCollections });
  test('with impossible collections or oversized lists is refused', () => {
    refuse(['*'], ['a', 'b/c/d'])();
    throws(refuse(['x'.repeat(1_501)]), code('VALIDATION_ERROR'));
    throws(refuse(['*'], ['a/b']), code('VALIDATION_ERROR'));
    throws(refuse(['*'], ['*']), code('VALIDATION_ERROR'));
    throws(refuse(Array.from({ length: 1_000 }, (_, n) => `${n}`.padEnd(100, 'x'))), code('VALIDATION_ERROR'));
  });

  const ids = [newId('storageDestination'), newId('storageDestination')] as const;
  const withDefaults = (ofProject: string | null, ofOrganization: string | null) =>
    [
      { ...organization, defaultStorageId: ofOrganization } as OrganizationRecord,
      { ...project, settings: { ...project.settings, defaultStorageId: ofProject } } as ProjectRecord,
    ] as const;
  test('without a destination uses that of the project, else of the organization, else is refused', async () => {
    for (const id of ids) table.put({ pk: `ORG#${tenant.organizationId}`, sk: `DESTINATION#${id}`, id });
    const chosen = async (ofProject: string | null, ofOrganization: string | null) =>
      (await defaultDestination(tenant, ...withDefaults(ofProject, ofOrganization))).id;
    equal(await chosen(ids[0], ids[1]), ids[0]);
    equal(await chosen(null, ids[1]), ids[1]);
    await rejects(chosen(null, null), code('VALIDATION_ERROR'));
    // A default that is gone is not passed over in silence.
    await rejects(chosen(newId('storageDestination'), ids[1]), code('STORAGE_NOT_FOUND'));
  });
});

const acting = { tenant, organization, role: 'member', actor: { type: 'user', id: 'usr_x', email: null } } as CallerContext;

describe('cancel: a backup', () => {
  for (const status of ['pending', 'running'] as const)
    test(`that is ${status} ends at once, releases its project and emits one event`, async () => {
      const { backup, change } = await cancelBackup(acting, backupOf({ status, phase: 'copying' }), now);
      deepEqual([backup.status, backup.phase, backup.error?.code], ['cancelled', 'finished', 'CANCELLED']);
      deepEqual(keysOf(change.writes), ['update BACKUP', 'remove JOB', 'put EVENT']);
      const [, , event] = change.writes as unknown as readonly { put: { type: string; data: { backup: BackupRecord } } }[];
      deepEqual([event?.put.type, event?.put.data.backup.error?.code], ['backup.failed', 'CANCELLED']);
    });
  for (const status of backupStatuses.filter((other) => other !== 'pending' && other !== 'running'))
    test(`that is ${status} stays so`, () => rejects(cancelBackup(acting, backupOf({ status }), now), code('CONFLICT')));
});

describe('verify: a backup', () => {
  const running = (checkedAt: string) =>
    ({ status: 'running', depth: 'full', checkedAt, objects: 0, percent: 0, findings: [] }) as const;
  test('that is completed gets a running verification and a task', () => {
    const { backup, change } = startVerification(tenant, { backup: backupOf(), depth: 'sample', now });
    deepEqual(backup.verification, { ...running(now.toISOString()), depth: 'sample' });
    deepEqual(keysOf(change.writes), ['update BACKUP', 'put VERIFYING', 'put TASK']);
  });
  for (const status of backupStatuses.filter((other) => other !== 'completed'))
    test(`that is ${status} is refused`, () =>
      throws(() => startVerification(tenant, { backup: backupOf({ status }), depth: 'full', now }), code('CONFLICT')));
  test('has one verification at a time, unless that has died', () => {
    const verification = { ...running('2026-03-01T09:59:00.000Z'), findings: [] };
    throws(() => startVerification(tenant, { backup: backupOf({ verification }), depth: 'full', now }), code('CONFLICT'));
    const dead = { ...verification, checkedAt: '2026-02-27T09:00:00.000Z' };
    ok(startVerification(tenant, { backup: backupOf({ verification: dead }), depth: 'full', now }));
    const passed = { ...verification, status: 'passed' as const };
    ok(startVerification(tenant, { backup: backupOf({ verification: passed }), depth: 'full', now }));
  });
});

describe('delete: a backup', () => {
  const remove = (more: Partial<BackupRecord>, child?: BackupRecord) =>
    deleteBackup(tenant, { backup: backupOf(more), child, now });
  test('that is completed is uncounted, its record stays 30 days, and a task deletes its objects', () => {
    const { writes } = remove({ size: 10 });
    deepEqual(keysOf(writes), ['update BACKUP', 'put ARCHIVE', 'update META', 'update DESTINATION', 'put TASK']);
    const values = (writes[0] as { values: Record<string, unknown> }).values;
    deepEqual([values[':status'], values[':ttl']], ['deleted', epochSeconds(now) + 30 * 24 * 3_600]);
    deepEqual((writes[2] as { values: object }).values, { ':backupCount': -1, ':storageUsed': -10 });
  });
  test('that is a safety backup is audited with its restore', () => {
    deepEqual(remove({ trigger: 'safety', safetyOf: 'rst_x' }).audit[0]?.details?.restoreJobId, 'rst_x');
    ok(!Object.hasOwn(remove({}).audit[0]?.details ?? {}, 'restoreJobId'));
  });
  for (const status of ['failed', 'cancelled', 'expired'] as const)
    test(`one that ${status === 'failed' ? 'failed' : `is ${status}`} was off the counts already`, () =>
      deepEqual(keysOf(remove({ status }).writes), ['update BACKUP', 'put ARCHIVE', 'put TASK']));
  for (const status of ['pending', 'running'] as const)
    test(`that is ${status} is refused`, () => throws(() => remove({ status }), code('JOB_IN_PROGRESS')));
  test('that a restore reads is refused until the restore has ended', () => {
    for (const restoring of [1, 2])
      throws(() => remove({ restoring }), { code: 'JOB_IN_PROGRESS', details: { kind: 'restore' } });
    const where = (more: Partial<BackupRecord>) => (remove(more).writes[0] as { condition: string }).condition;
    match(where({ restoring: 0 }), /#restoring = :was_restoring/, 'one that begins at the same moment wins');
    match(where({}), /attribute_not_exists\(#restoring\)/);
  });
  test('that is deleted answers BACKUP_NOT_FOUND', () => throws(() => remove({ status: 'deleted' }), code('BACKUP_NOT_FOUND')));
  test('that is locked is refused until the lock ends', () => {
    throws(() => remove({ lockedUntil: '2026-03-01T10:00:01.000Z' }), code('CONFLICT'));
    ok(remove({ lockedUntil: '2026-03-01T10:00:00.000Z' }));
  });
  test('that another depends on is refused', () => throws(() => remove({}, backupOf({ type: 'incremental' })), code('CONFLICT')));
});
