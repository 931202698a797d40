/** How a document changed: one entry for each state, whatever has seen it, with what differs from the state before. */
import { deepEqual } from 'node:assert/strict';
import { test } from 'vitest';
import { type DataOf, documentHistory } from '../../../shared/client/index.ts';

type Located = DataOf<'GET /documents/locate'>;

const at = (minute: number): string => `2026-01-01T00:${String(minute).padStart(2, '0')}:00Z`;
const entry = (age: number) => ({
  type: 'document' as const,
  path: 'users/ada',
  id: 'ada',
  fields: { name: { stringValue: 'Ada' }, age: { integerValue: String(age) } },
});
const state = (age: number | undefined, written: number | undefined, hasFields = true) => ({
  exists: age !== undefined,
  erased: false,
  updateTime: written === undefined ? null : at(written),
  contentHash: age === undefined ? null : `hash ${age}`,
  document: age === undefined || !hasFields ? null : entry(age),
  message: null,
});
const backup = (
  id: string,
  minute: number,
  of: Pick<Located['backups'][number], keyof ReturnType<typeof state>>,
): Located['backups'][number] => ({
  ...{ id, readTime: at(minute), createdAt: at(minute), type: 'full', trigger: 'scheduled', changed: null, reason: null },
  ...of,
});
const change = (minute: number, age: number | undefined) => ({
  at: at(minute),
  change: age === undefined ? ('deleted' as const) : ('written' as const),
  restorableAt: age === undefined ? null : at(minute),
  contentHash: age === undefined ? null : `hash ${age}`,
  document: age === undefined ? null : entry(age),
});
const locatedOf = (more: Partial<Located>): Located => ({
  projectId: 'prj_1',
  projectName: 'Shop',
  path: 'users/ada',
  candidates: [],
  notSearched: [],
  live: null,
  backups: [],
  examined: 0,
  moments: null,
  summary: { found: true, lastSeen: null, lastChangedAt: null, vanishedBetween: null },
  recommended: null,
  ...more,
});
const momentsOf = (...changes: ReturnType<typeof change>[]): Located['moments'] => ({
  ...{ windows: [], changes, searchedFrom: null, complete: true, message: null },
});
const shown = (located: Located) =>
  documentHistory(located).map((one) => [
    one.at.slice(14, 16),
    one.isExact,
    one.change,
    one.changes?.map(({ path, change: kind }) => `${kind} ${path}`),
    one.backupIds,
    one.source?.backupId ?? one.source?.pointInTime ?? null,
    one.isLive,
  ]);

test('history: backups, captured changes and the live document are one line of states', () => {
  const located = locatedOf({
    live: { ...state(38, 45), checkedAt: at(59), reason: null },
    backups: [
      backup('bkp_4', 50, state(38, 45, false)),
      backup('bkp_3', 40, state(undefined, undefined)),
      backup('bkp_2', 20, state(36, 5, false)),
      backup('bkp_1', 10, state(36, 5)),
    ],
    moments: momentsOf(change(45, 38), change(30, undefined), change(25, 37)),
  });
  deepEqual(shown(located), [
    ['45', true, 'created', undefined, ['bkp_4'], at(45), true],
    ['30', true, 'deleted', undefined, ['bkp_3'], null, false],
    ['25', true, 'changed', ['changed age'], [], at(25), false],
    ['05', true, 'first', undefined, ['bkp_2', 'bkp_1'], 'bkp_2', false],
  ]);
});

test('history: without captures a deletion is known only by the first backup that lacks the document', () => {
  const located = locatedOf({
    live: { ...state(undefined, undefined), checkedAt: at(59), reason: null },
    backups: [backup('bkp_2', 20, state(undefined, undefined)), backup('bkp_1', 10, state(36, 5))],
  });
  deepEqual(shown(located), [
    ['20', false, 'deleted', undefined, ['bkp_2'], null, false],
    ['05', true, 'first', undefined, ['bkp_1'], 'bkp_1', false],
  ]);
});

test('history: an older state with the contents of the live document is not the live one', () => {
  const located = locatedOf({
    live: { ...state(36, 45), checkedAt: at(59), reason: null },
    moments: momentsOf(change(45, 36), change(25, 37), change(5, 36)),
  });
  deepEqual(
    shown(located).map((row) => [row[0], row.at(-1)]),
    [
      ['45', true],
      ['25', false],
      ['05', false],
    ],
  );
});

test('history: what is not known is left out, and a document that never existed has none', () => {
  const unknown = { ...state(36, 5), exists: null, contentHash: null, document: null };
  deepEqual(shown(locatedOf({ backups: [backup('bkp_1', 10, unknown)] })), []);
  deepEqual(shown(locatedOf({ backups: [backup('bkp_1', 10, state(undefined, undefined))] })), []);
});
