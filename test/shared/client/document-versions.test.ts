/** The states of a document become rows: equal backups are one, and each has its fields. */
import { deepEqual } from 'node:assert/strict';
import { test } from 'vitest';
import { versionsOf } from '../../../shared/client/index.ts';

const entry = (name: string) => ({ type: 'document' as const, path: 'a/x', id: 'x', name });
const inBackup = (id: string, minute: number, hash: string | null, document: string | null = null) => ({
  id,
  readTime: `2026-01-01T00:${minute}:00Z`,
  createdAt: `2026-01-01T00:${minute}:00Z`,
  type: 'full' as const,
  trigger: 'manual' as const,
  exists: hash !== null,
  erased: false,
  updateTime: null,
  contentHash: hash,
  document: document === null ? null : entry(document),
  message: null,
  changed: document !== null,
  reason: null,
});
const located = {
  projectId: 'prj_1',
  projectName: 'Shop',
  path: 'a/x',
  candidates: [],
  notSearched: [],
  live: { ...inBackup('', 59, 'new', 'new'), checkedAt: '2026-01-01T00:59:00Z', reason: null },
  backups: [
    inBackup('bkp_5', 50, 'new'),
    inBackup('bkp_4', 40, 'old'),
    inBackup('bkp_3', 30, 'old', 'old'),
    inBackup('bkp_2', 20, null),
    { ...inBackup('bkp_1', 10, null), exists: null, erased: true, reason: 'erased' as const },
  ],
  examined: 5,
  moments: {
    windows: [],
    changes: [
      {
        at: '2026-01-01T00:45:00Z',
        change: 'written' as const,
        restorableAt: '2026-01-01T00:59:00.000Z',
        contentHash: 'new',
        document: entry('new'),
      },
      { at: '2026-01-01T00:25:00Z', change: 'deleted' as const, restorableAt: null, contentHash: null, document: null },
    ],
    searchedFrom: null,
    complete: true,
    message: null,
  },
  summary: { found: true, lastSeen: null, lastChangedAt: null, vanishedBetween: null },
  recommended: { backupId: 'bkp_4', pointInTime: null, contentHash: 'old' },
};

test('find: rows are in order of time, equal backups are one row, and each state has its fields and its source', () => {
  deepEqual(
    versionsOf(located).map(({ at, state, backups, document, source, isRecommended, isLive }) => [
      at.slice(14, 16),
      state,
      backups,
      document?.name,
      source?.backupId ?? source?.pointInTime,
      isRecommended,
      isLive,
    ]),
    [
      ['50', 'exists', 1, 'new', 'bkp_5', false, true],
      ['45', 'exists', 0, 'new', '2026-01-01T00:59:00.000Z', false, true],
      ['40', 'exists', 2, 'old', 'bkp_4', true, false],
      ['25', 'deleted', 0, undefined, undefined, false, false],
      ['20', 'missing', 1, undefined, undefined, false, false],
      ['10', 'erased', 1, undefined, undefined, false, false],
    ],
  );
});

test('find: a recommended moment whose version was captured too long ago has a row of its own', () => {
  const pointInTime = '2026-01-01T00:24:00.000Z';
  const [row] = versionsOf({ ...located, recommended: { backupId: null, pointInTime, contentHash: null } }).filter(
    ({ isRecommended }) => isRecommended,
  );
  deepEqual([row?.at, row?.source, row?.document], [pointInTime, { projectId: 'prj_1', pointInTime }, null]);
});
