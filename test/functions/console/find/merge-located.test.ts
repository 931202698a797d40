/** Older pages of a search belong to the newer ones: what they say together is shown. */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { mergeLocated } from '../../../../functions/console/app/pages/find/merge-located.ts';

type Located = NonNullable<ReturnType<typeof mergeLocated>>;

const backup = (day: number, exists: boolean, changed: boolean | null = false): Located['backups'][number] => ({
  id: `bkp_${day}`,
  readTime: `2026-01-${day}T00:00:00.000Z`,
  createdAt: `2026-01-${day}T00:00:00.000Z`,
  type: 'full',
  trigger: 'scheduled',
  exists,
  erased: false,
  updateTime: null,
  contentHash: exists ? 'same' : null,
  document: null,
  message: null,
  changed,
  reason: null,
});

const page = (backups: Located['backups'], more: Partial<Located>): Located => ({
  projectId: 'prj_1',
  projectName: 'Shop',
  path: 'users/ada',
  candidates: [],
  notSearched: [],
  live: null,
  backups,
  examined: backups.length,
  moments: null,
  summary: { found: false, lastSeen: null, lastChangedAt: null, vanishedBetween: null },
  recommended: null,
  ...more,
});

test('find: an older page that has the document says what to restore, a newer one since when it is missing', () => {
  const seen = '2026-01-18T00:00:00.000Z';
  const merged = mergeLocated([
    page([backup(20, false), backup(19, false, null)], {}),
    page([backup(18, true), backup(17, true, true)], {
      summary: {
        found: true,
        lastSeen: seen,
        lastChangedAt: seen,
        vanishedBetween: { from: seen, to: '2026-01-25T00:00:00.000Z' },
      },
      recommended: { backupId: 'bkp_18', pointInTime: null, contentHash: 'same' },
    }),
  ]);
  equal(merged?.examined, 4);
  deepEqual(merged?.summary, {
    found: true,
    lastSeen: seen,
    lastChangedAt: seen,
    vanishedBetween: { from: seen, to: '2026-01-19T00:00:00.000Z' },
  });
  equal(merged?.recommended?.backupId, 'bkp_18');
  deepEqual(
    merged?.backups.map(({ id, changed }) => [id, changed]),
    [
      ['bkp_20', false],
      ['bkp_19', true],
      ['bkp_18', false],
      ['bkp_17', true],
    ],
  );
  equal(mergeLocated([]), undefined);
});
