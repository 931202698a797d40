import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { isFoundDamaged, isOwnBackup, isRestorePoint } from '../../../shared/client/index.ts';
import { backupData, expiryOf, isRestorePointBackup } from '../../../shared/stored-backup/index.ts';
import { backupOf, now } from '../../harness/builders/sample-backup.ts';

for (const trigger of ['pitr-base', 'manual'] as const)
  for (const more of [{}, { retentionDays: 8 }])
    test(`isRestorePoint: ${trigger} ${JSON.stringify(more)} is judged from the response as from the record`, () => {
      const backup = backupOf({ trigger, ...more });
      const completed = { ...backup, expiresAt: expiryOf(backup, now) };
      equal(isRestorePoint(backupData(completed) as never), isRestorePointBackup(completed));
    });

test('isOwnBackup: what a restore made or what comes from another database does not stand for the project', () => {
  const isOwn = (more: Parameters<typeof backupOf>[0]): boolean => isOwnBackup(backupData(backupOf(more)) as never);
  deepEqual(
    [{}, { trigger: 'import' }, { trigger: 'import', isForeign: true }, { trigger: 'safety' }, { isPartial: true }].map((more) =>
      isOwn(more as Parameters<typeof backupOf>[0]),
    ),
    [true, true, false, false, false],
  );
});

test('isFoundDamaged: by a failed verification, and by what cleared the time of one that had passed', () => {
  const at = '2026-11-18T08:00:00.000Z';
  const verified = (status: 'running' | 'passed' | 'failed', verifiedAt: string | null) =>
    isFoundDamaged({
      verification: { status, depth: 'full', checkedAt: at, objects: 4, percent: 100, findings: [] },
      verifiedAt,
    });
  deepEqual([verified('failed', null), verified('passed', null)], [true, true]);
  deepEqual([verified('passed', at), verified('running', null)], [false, false]);
  equal(isFoundDamaged({ verification: null, verifiedAt: null }), false);
});
