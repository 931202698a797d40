/** Which backups captures can build on: only complete ones of one moment. */
import { equal } from 'node:assert/strict';
import { test } from 'vitest';
import { canBegin, canFollow } from '../../../../shared/pitr/base/base-backup.ts';
import type { PitrRecord } from '../../../../shared/pitr/index.ts';
import type { BackupRecord } from '../../../../shared/stored-backup/index.ts';
import { backupOf, projectId, tenant } from '../../../harness/builders/sample-backup.ts';

const now = new Date('2030-01-01T12:00:00Z');
const storageDestination = { id: 'dst_1', name: 'Bucket', type: 's3' } as const;
const pitr = {
  ...{ projectId, storageDestination, capturedTo: '2030-01-01T11:59:30Z', bases: [], gaps: [], comingBaseId: null },
} as unknown as PitrRecord;
const whole: Partial<BackupRecord> = {
  ...{ collections: ['*'], excludedCollections: [], readTime: '2030-01-01T11:59:00Z', storageDestination },
  archive: { organization: tenant.organizationId, project: projectId, backup: 'bkp_1' },
};
const fits = (more: Partial<BackupRecord>): boolean => {
  const backup = backupOf({ ...whole, ...more });
  equal(canBegin(tenant, backup, { pitr: { ...pitr, capturedTo: null }, now }), canFollow(tenant, pitr, backup));
  return canFollow(tenant, pitr, backup);
};

for (const [what, more, isFitting] of [
  ['a whole one', {}, true],
  ['a base', { trigger: 'pitr-base' }, true],
  ['an imported one, whatever it says of itself', { trigger: 'import' }, false],
  ['a moment that was put together for a restore', { trigger: 'pitr-base', retentionDays: 8 }, false],
  ['one that may lack collections', { mayLackCollections: true }, false],
  ['a partial one', { isPartial: true }, false],
  ['a damaged one', { damagedDepth: 'sample' }, false],
  ['one of some collections', { collections: ['users'] }, false],
] as const)
  test(`base backup: ${what} ${isFitting ? 'can be a base' : 'is never a base'}`, () =>
    equal(fits(more as Partial<BackupRecord>), isFitting));
