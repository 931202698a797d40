/** A moment that is built is not built again, as long as its backup can be read for another day and would not differ. */
import { equal } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { newId, type Tenant } from '../../../../shared/platform/index.ts';
import type { RestorePoint, RestoreRecord } from '../../../../shared/restore/model/record.ts';
import { findBuiltPoint } from '../../../../shared/restore/start/find-built-point.ts';
import type { BackupRecord } from '../../../../shared/stored-backup/index.ts';
import { now, projectId, putBackup, putRestore, resetTable, targetId, tenant } from '../../../harness/builders/sample-restore.ts';

const point: RestorePoint = {
  moment: '2025-01-31T08:00:00.000000Z',
  base: { backupId: newId('backup', now), readTime: '2025-01-31T07:00:00.000000Z', since: '2025-01-31T07:00:00.000000Z' },
  isPartial: false,
  holds: [],
  storageDestination: { id: newId('storageDestination', now), name: 'Bucket', type: 's3' },
  path: 'p',
};
const afterDays = (days: number): string => new Date(now.getTime() + days * 86_400_000).toISOString();

beforeEach(resetTable);

const built = (restore: Partial<RestoreRecord> = {}, backup: Partial<BackupRecord> = {}): RestoreRecord =>
  putRestore(putBackup({ expiresAt: afterDays(8), ...backup }), {
    status: 'completed',
    targetProjectId: projectId,
    buildsOnly: true,
    point,
    ...(restore.status === undefined && { pointMade: 1 }),
    ...restore,
  });

const found = async (wanted: Partial<RestorePoint> = {}, by: Tenant = tenant, project = projectId): Promise<string | undefined> =>
  (await findBuiltPoint(by, { projectId: project, point: { ...point, ...wanted }, now }))?.id;

test('built point: the same moment is found, another one, another project and another organization are not', async () => {
  const { id } = built();
  equal(await found(), id);
  equal(await found({ path: 'elsewhere', holds: ['x'] }), id);
  equal(await found({ moment: '2025-01-31T08:00:01.000000Z' }), undefined);
  equal(await found({}, tenant, targetId), undefined);
  equal(await found({}, { organizationId: newId('organization', now) } as Tenant), undefined);
});

test('built point: what a restore has built is found, too, unless its target is another project, which the caller may not see', async () => {
  const { id } = built({ buildsOnly: false });
  equal(await found(), id);
  resetTable();
  built({ buildsOnly: false, targetProjectId: targetId });
  equal(await found(), undefined);
});

test('built point: a running build is joined, and a running restore is not', async () => {
  const { id } = built({ status: 'running' });
  equal(await found(), id);
  resetTable();
  built({ status: 'running', buildsOnly: false, pointMade: 1 });
  equal(await found(), undefined);
  built({ status: 'running', cancelling: true });
  equal(await found(), undefined);
});

const unusable: readonly (readonly [string, Partial<RestoreRecord>, Partial<BackupRecord>])[] = [
  ['a failed build', { status: 'failed' }, {}],
  ['a restore that failed, whose client would report that', { status: 'failed', buildsOnly: false, pointMade: 1 }, {}],
  ['a deleted backup', {}, { status: 'deleted' }],
  ['an expired backup', {}, { status: 'expired' }],
  ['a backup that expires within a day', {}, { expiresAt: afterDays(0.9) }],
  ['a moment of which less was proven', { point: { ...point, isPartial: true } }, {}],
  ['a moment that an audit has found to differ since', {}, {}],
];
for (const [name, restore, backup] of unusable)
  test(`built point: ${name} is not found`, async () => {
    built(restore, backup);
    const diverged = name.includes('audit') ? ({ documents: 1 } as unknown as NonNullable<RestorePoint['diverged']>) : undefined;
    equal(await found(diverged ? { diverged } : {}), undefined);
  });
