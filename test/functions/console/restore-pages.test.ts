/** What the pages of restores and comparisons decide without a browser. */
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'vitest';
import { deletionCount, newDeletions } from '../../../functions/console/app/data/confirmed-deletions.ts';
import { endOfDay, startOfDay } from '../../../functions/console/app/format/day-range.ts';
import { restoreOfSelected } from '../../../functions/console/app/pages/backup/compare/restore-of-selected.ts';
import { failuresCsv } from '../../../functions/console/app/pages/restore/failures-csv.ts';
import { planAgain, restoreFailed } from '../../../functions/console/app/pages/restore/plan-again.ts';
import { addressOf, missingStep, readChoice } from '../../../functions/console/app/pages/restore-wizard/choice.ts';

const choiceOf = (address: string) => readChoice(Object.fromEntries(new URL(address, 'http://localhost').searchParams));

test('deletions: new are those that the confirmed plan did not have', () => {
  const added = (confirmed: Parameters<typeof newDeletions>[1]) => newDeletions(['a/1', 'a/2'], confirmed);
  deepEqual(added({ paths: ['a/1'], total: 1 }), new Set(['a/2']));
  deepEqual(added({ paths: ['a/1', 'a/2', 'a/3'], total: 3 }), new Set());
  deepEqual(added({ paths: [], total: 0 }), new Set(['a/1', 'a/2']));
});

test('deletions: a confirmed plan that listed only a part of them does not tell what is new', () => {
  equal(newDeletions(['a/1'], { paths: ['a/2'], total: 101 }), undefined);
  equal(newDeletions(['a/1'], undefined), undefined);
});

test('deletions: users of an undo count, although they are no documents', () => {
  equal(deletionCount({ delete: 0, deletions: ['accounts/u1'] }), 1);
  equal(deletionCount({ delete: 500, deletions: ['a/1'] }), 500);
});

test('failures: the CSV quotes what it must, and no cell is a formula', () => {
  const failures = [
    { path: 'a/1,2', code: 'INVALID_ARGUMENT', message: 'says "no"' },
    { path: '=cmd/x', code: 'ABORTED', message: 'two\nlines' },
  ];
  equal(failuresCsv(failures), `path,code,message\r\n"a/1,2",INVALID_ARGUMENT,"says ""no"""\r\n'=cmd/x,ABORTED,"two\nlines"\r\n`);
});

const restore = (more: object) =>
  ({
    restoreJobId: 'rst_1',
    backupId: 'bkp_1',
    projectId: 'prj_1',
    pointInTime: null,
    partial: null,
    targetProjectId: 'prj_1',
    mergeMode: 'rollback',
    collections: ['*'],
    includeSubcollections: true,
    includeAuthUsers: false,
    undoOf: null,
    error: null,
    failures: [],
    documentsFailed: 0,
    ...more,
  }) as unknown as Parameters<typeof planAgain>[0];

test('plan again: a list of documents that is known only in part is never widened to everything', () => {
  const documentIds = Array.from({ length: 100 }, (_, n) => `a/${n}`);
  const choice = choiceOf(planAgain(restore({ documentIds })));
  deepEqual([choice.scope, choice.documents, missingStep(choice)], ['documents', [], 'scope']);
});

test('plan again: only a restore that stopped for a changed plan marks what is new', () => {
  equal(choiceOf(planAgain(restore({}))).changedFrom, undefined);
  equal(choiceOf(planAgain(restore({ error: { code: 'PLAN_CHANGED' } }))).changedFrom, 'rst_1');
});

test('plan again: a masked copy is never repeated without its rules', () => {
  const rule = (n: number) => ({ collection: 'users', field: `field${n}${'x'.repeat(60)}`, transform: 'redact', documents: 1 });
  const masked = (count: number) =>
    choiceOf(
      planAgain(
        restore({
          targetProjectId: 'prj_2',
          transform: { rules: count, allowUnmatched: false },
          ruleMatches: Array.from({ length: count }, (_, n) => rule(n)),
        }),
      ),
    );
  deepEqual([masked(2).rules.length, masked(2).step, missingStep(masked(2))], [2, 'plan', undefined]);
  const long = masked(150);
  deepEqual([long.rules, long.step, missingStep(long), long.rulesFrom], [[], 'mask', 'mask', 'rst_1']);
  // Neither another step nor an address that was cut off or changed drops the rules.
  const later = choiceOf(addressOf({ ...long, step: 'plan' }));
  deepEqual([missingStep(later), later.rulesFrom], ['mask', 'rst_1']);
  for (const mask of ['[{"collection":"users","fie', '[{"collection":"users","field":"a","transform":"scramble"}]', '"x"', '{}'])
    equal(missingStep(readChoice({ backupId: 'bkp_1', target: 'prj_2', step: 'plan', mask })), 'mask', mask);
  const chosen = { ...later, rules: [], areRulesLost: false, rulesFrom: undefined };
  equal(missingStep(choiceOf(addressOf(chosen))), undefined);
});

test('restore failed documents: exactly these, without what is below them', () => {
  const failures = [{ path: 'a/1,2', code: 'ABORTED', message: '' }];
  const choice = choiceOf(restoreFailed(restore({ failures, documentsFailed: 1 }))!);
  deepEqual([choice.documents, choice.includeSubcollections, choice.users, choice.mode], [['a/1,2'], false, false, 'rollback']);
  equal(restoreFailed(restore({ failures, documentsFailed: 2 })), undefined);
  equal(restoreFailed(restore({ failures, documentsFailed: 1, undoOf: 'rst_0' })), undefined);
  equal(restoreFailed(restore({})), undefined);
});

const backup = { id: 'bkp_1' };
const changesOf = (count: number, change: 'removed' | 'changed') =>
  Array.from({ length: count }, (_, n) => ({ path: `a/${n}`, change }));
const allOf = (changes: readonly { path: string }[]) => new Set(changes.map(({ path }) => path));

test('compare: the selected documents are restored, and nothing below them', () => {
  const changes = changesOf(2, 'changed');
  const { to, label, blocker } = restoreOfSelected({ backup, changes, selected: allOf(changes), isLive: true });
  deepEqual([label, blocker], ['Restore 2 documents…', undefined]);
  const { documents, includeSubcollections, scope, step } = choiceOf(to);
  deepEqual([step, scope, documents, includeSubcollections], ['plan', 'documents', ['a/0', 'a/1'], false]);
  match(restoreOfSelected({ backup, changes, selected: new Set(), isLive: true }).blocker!, /Select documents first/);
});

test('compare: more removed documents than an address holds are restored as what their collections lack', () => {
  const removed = changesOf(101, 'removed');
  const { to, hint } = restoreOfSelected({ backup, changes: removed, selected: allOf(removed), isLive: true });
  const { collections, mode, scope } = choiceOf(to);
  deepEqual([scope, collections, mode, hint !== undefined], ['collections', ['a'], 'skip_existing', true]);
  const changed = changesOf(101, 'changed');
  match(restoreOfSelected({ backup, changes: changed, selected: allOf(changed), isLive: true }).blocker!, /at most 100/);
  match(restoreOfSelected({ backup, changes: removed, selected: allOf(removed), isLive: false }).blocker!, /at most 100/);
});

test('days: from the first to the last millisecond in the own time zone', () => {
  const [start, end] = [new Date(startOfDay('2026-03-29')), new Date(endOfDay('2026-03-29'))];
  deepEqual([start.getDate(), start.getHours(), start.getMinutes()], [29, 0, 0]);
  deepEqual([end.getDate(), end.getHours(), end.getMinutes(), end.getMilliseconds()], [29, 23, 59, 999]);
});
