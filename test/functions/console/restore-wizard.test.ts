/** The choices of the restore wizard in its address, and what they ask the service for. */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { planAgain } from '../../../functions/console/app/pages/restore/plan-again.ts';
import { addressOf, bodyOf, missingStep, readChoice } from '../../../functions/console/app/pages/restore-wizard/choice.ts';
import { findInvalid } from '../../../functions/console/app/pages/restore-wizard/mask/find-invalid.ts';
import { findUnmatched } from '../../../functions/console/app/pages/restore-wizard/mask/find-unmatched.ts';
import { windowAt } from '../../../functions/console/app/parts/source/window-at.ts';
import { paths } from '../../../functions/console/app/paths.ts';
import { ApiFailure } from '../../../shared/client/index.ts';

const searchOf = (address: string): Record<string, unknown> =>
  Object.fromEntries(new URL(address, 'http://localhost').searchParams);
const backupId = 'bkp_01JZ8Q4V0M6T3X9C2B7N5K1HRD';

test('restore wizard: paths with any character survive the address', () => {
  const documents = ['users/a,b', 'users/100%', 'users/a b/notes/ü?&=#+', 'users/%2C'];
  const collections = ['users/a,b/notes', '12'];
  const choice = readChoice(searchOf(paths.restoreWizard({ backupId, documents, collections })));
  deepEqual([choice.documents, choice.collections, choice.scope, choice.step], [documents, collections, 'documents', 'scope']);
  deepEqual(readChoice(searchOf(addressOf(choice))), choice);
});

test('restore wizard: a restore that is planned again keeps its source, scope, mode and users', () => {
  const restore = {
    backupId,
    projectId: 'prj_1',
    pointInTime: '2026-11-16T08:00:00.000Z',
    partial: { collections: ['notes'], count: 1, complete: true, reason: 'The stream was interrupted' },
    targetProjectId: 'prj_2',
    mergeMode: 'rollback',
    collections: ['users'],
    includeSubcollections: false,
    includeAuthUsers: true,
  } as unknown as Parameters<typeof planAgain>[0];
  deepEqual(bodyOf(readChoice(searchOf(planAgain(restore)))), {
    projectId: 'prj_1',
    pointInTime: '2026-11-16T08:00:00.000Z',
    allowPartial: true,
    targetProjectId: 'prj_2',
    collections: ['users'],
    options: { mergeMode: 'rollback', includeSubcollections: false, safetyBackup: true, includeAuthUsers: true },
  });
});

test('restore wizard: every choice survives the address', () => {
  const choice = readChoice({
    projectId: 'prj_1',
    at: '2026-11-16T08:00:00.000Z',
    collections: 12,
    typed: encodeURIComponent('a, b/{c}'),
    below: 'no',
    users: 'no',
    target: 'prj_2',
    mode: 'rollback',
    safety: 'no',
    limit: 250,
    partial: 'yes',
    step: 'plan',
  });
  deepEqual(readChoice(searchOf(addressOf(choice))), choice);
  deepEqual(bodyOf(choice), {
    projectId: 'prj_1',
    pointInTime: '2026-11-16T08:00:00.000Z',
    allowPartial: true,
    targetProjectId: 'prj_2',
    collections: ['12'],
    options: {
      mergeMode: 'rollback',
      includeSubcollections: false,
      safetyBackup: false,
      includeAuthUsers: false,
      maxWritesPerSecond: 250,
    },
  });
});

test('restore wizard: an address with nonsense has the safe defaults', () => {
  const choice = readChoice({ backupId, step: 'x', mode: 'delete', scope: {}, limit: '-1', documents: '%E0%A4%A', safety: null });
  deepEqual(
    [choice.step, choice.mode, choice.scope, choice.safetyBackup, choice.maxWritesPerSecond, choice.documents],
    ['scope', 'overwrite', 'documents', true, undefined, ['%E0%A4%A']],
  );
  const moment = readChoice({ projectId: 'prj_1', at: 'yesterday', step: 'plan' });
  deepEqual([moment.at, missingStep(moment)], [undefined, 'source']);
  deepEqual(bodyOf(readChoice({ backupId })), {
    backupId,
    options: { mergeMode: 'overwrite', includeSubcollections: true, safetyBackup: true },
  });
});

test('restore wizard: it names the first step that lacks a choice', () => {
  equal(missingStep(readChoice({})), 'source');
  equal(missingStep(readChoice({ projectId: 'prj_1', source: 'moment' })), 'source');
  equal(missingStep(readChoice({ backupId, scope: 'collections' })), 'scope');
  equal(missingStep(readChoice({ backupId, scope: 'documents' })), 'scope');
  equal(missingStep(readChoice({ backupId, collections: 'users', typed: 'orders' })), 'scope');
  equal(missingStep(readChoice({ backupId, scope: 'all', typed: 'orders' })), undefined);
  equal(missingStep(readChoice({ backupId })), undefined);
});

test('restore wizard: a moment outside the windows cannot be restored, and a newer one than they know may be', () => {
  const first = { from: '2026-11-16T08:00:00Z', to: '2026-11-16T09:00:00Z', complete: true };
  const second = { from: '2026-11-16T10:00:00Z', to: '2026-11-16T11:00:00Z', complete: false };
  const at = (time: string) => windowAt(`2026-11-16T${time}Z`, { windows: [first, second] }, '2026-11-16T11:05:00.000Z');
  deepEqual(['08:00:00.000', '09:00:00.900', '10:30:00'].map(at), [first, first, second]);
  deepEqual(['07:59:59', '09:00:01', '11:05:01'].map(at), [null, null, null]);
  deepEqual(['11:00:01', '11:05:00'].map(at), [undefined, undefined]);
});

test('restore wizard: rules that match nothing are named as the page counts them, for a request and for a job', () => {
  const rules = ['name', 'txet', 'mail'].map((field) => ({ collection: 'users', field, transform: 'redact' as const }));
  const details = { field: 'options.transform.rules.1', reason: 'x', unmatchedRules: [rules[1]], rules: [1] };
  const refusal = { route: 'POST /x', status: 400, message: 'x', requestId: null, retryAfter: null };
  const request = new ApiFailure({ ...refusal, code: 'VALIDATION_ERROR', details });
  const job = new Error('x', { cause: { code: 'TRANSFORM_INVALID', message: 'x', details } });
  for (const error of [request, job]) deepEqual(findUnmatched(error, rules), [{ number: 2, rule: rules[1] }]);
  const other = new ApiFailure({ ...refusal, code: 'VALIDATION_ERROR', details: { field: 'backupId', reason: 'x' } });
  for (const error of [undefined, null, new Error('x'), other]) equal(findUnmatched(error, rules), undefined);
});

test('restore wizard: what is wrong with rules is said as the page counts and labels them', () => {
  const rules = ['name', 'a..b'].map((field) => ({ collection: 'users', field, transform: 'redact' as const }));
  const failure = (details: Readonly<Record<string, unknown>>) =>
    new ApiFailure({
      route: 'POST /x',
      status: 400,
      code: 'VALIDATION_ERROR',
      message: 'x',
      requestId: null,
      retryAfter: null,
      details,
    });
  deepEqual(findInvalid(failure({ field: 'options.transform.rules.1.field', reason: 'must be a path' }), rules), [
    { number: 2, input: { label: 'Field', text: 'a..b' }, reason: 'must be a path' },
  ]);
  const errors = [
    { field: 'options.transform.rules.0.collection', reason: 'x' },
    { field: 'options.transform.rules.1', reason: 'y' },
  ];
  deepEqual(
    findInvalid(failure({ errors }), rules)?.map(({ number }) => number),
    [1, 2],
  );
  const overlap = { field: 'options.transform.rules.1', reason: 'overlaps with rule 1', rules: [0, 1], overlapping: rules };
  deepEqual(findInvalid(failure(overlap), rules)?.[0]?.reason.split(',')[0], 'overlaps with rule 1 and does something else');
  const whole = { field: 'options.transform.rules', reason: 'must have at most 10 bytes' };
  deepEqual(findInvalid(failure(whole), rules)?.[0]?.number, undefined);
  for (const details of [{}, { field: 'backupId', reason: 'x' }, { errors: [...errors, { field: 'backupId', reason: 'x' }] }])
    equal(findInvalid(failure(details), rules), undefined);
});
