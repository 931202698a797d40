import { deepEqual } from 'node:assert/strict';
import { test } from 'vitest';
import { backupSearches } from '../../../../functions/console/app/frame/palette/backup-searches.ts';

const projects = [
  { id: 'prj_1', name: 'Web shop', sourceProjectId: 'acme-prod' },
  { id: 'prj_2', name: 'Shop archive', sourceProjectId: 'acme-archive' },
  { id: 'prj_3', name: 'Market', sourceProjectId: 'acme-market' },
];
const now = new Date(2026, 2, 15);
const of = (text: string) => backupSearches(text, projects, now).map(({ internal: _, ...filters }) => filters);
const days = (first: readonly [number, number, number], last: readonly [number, number, number]) => ({
  from: new Date(first[0], first[1] - 1, first[2]).toISOString(),
  to: new Date(new Date(last[0], last[1] - 1, last[2] + 1).getTime() - 1).toISOString(),
});

test('backup searches: nothing is asked for if the text names nothing of backups', () => {
  for (const text of ['', 'settings', 'backup', '7']) deepEqual(of(text), [], text);
});

test('backup searches: the projects of the text, the best first', () => {
  deepEqual(of('shop'), [{ projectId: 'prj_2' }, { projectId: 'prj_1' }]);
  deepEqual(of('web shop failed'), [{ status: 'failed', projectId: 'prj_1' }]);
  deepEqual(of('backup web full'), [{ type: 'full', projectId: 'prj_1' }]);
  deepEqual(of('market'), [{ projectId: 'prj_3' }], 'not March');
});

test('backup searches: days as people write them', () => {
  const first = days([2025, 3, 1], [2025, 3, 1]);
  for (const text of ['2025-03-01', 'Mar 1, 2025', '1 march 2025']) deepEqual(of(text), [first], text);
  deepEqual(of('2025-02'), [days([2025, 2, 1], [2025, 2, 28])]);
  deepEqual(of('2025'), [days([2025, 1, 1], [2025, 12, 31])]);
  deepEqual(of('mar 3'), [days([2026, 3, 3], [2026, 3, 3])]);
  deepEqual(of('december'), [days([2025, 12, 1], [2025, 12, 31])], 'the last one');
  deepEqual(of('web 2025-03-01'), [{ ...first, projectId: 'prj_1' }]);
  deepEqual(of('expired'), [{ status: 'expired' }]);
  deepEqual(of('2025-19-40'), []);
});
