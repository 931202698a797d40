/** What the pages of exports decide without a browser. */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { exportPhaseWords, exportScope, formatWords, phasesOf } from '../../../functions/console/app/data/export/export-words.ts';
import { exportAgain } from '../../../functions/console/app/pages/export/export-again.ts';
import { bodyOf, draftOf, lineError, missingIn } from '../../../functions/console/app/pages/new-export/export-draft.ts';
import { paths } from '../../../functions/console/app/paths.ts';
import { parseSearch } from '../../../functions/console/app/search-text.ts';
import { ApiFailure } from '../../../shared/client/index.ts';
import { exportFormats, exportPhases } from '../../../shared/contract/job-enums.ts';

const draftAt = (address: string) => draftOf(parseSearch(address.split('?')[1] ?? ''));

test('exports: every format and phase of the contract has words, in its order', () => {
  deepEqual(Object.keys(formatWords), [...exportFormats]);
  deepEqual(Object.keys(exportPhaseWords), [...exportPhases]);
});

test('exports: only a moment has a phase that builds, and only tables without given columns one that reads', () => {
  const phases = (job: Partial<Parameters<typeof phasesOf>[0]>) =>
    phasesOf({ pointInTime: null, format: 'ndjson', columns: null, ...job }).join(' ');
  equal(phases({}), 'queued planning writing finishing');
  equal(phases({ format: 'csv', pointInTime: '2026-11-16T11:20:00Z' }), 'queued building planning reading writing finishing');
  equal(phases({ format: 'csv', columns: ['email'] }), 'queued planning writing finishing');
  equal(phases({ format: 'parquet' }), 'queued planning reading writing finishing');
});

test('exports: the scope names the first collection and counts the others', () => {
  equal(exportScope({ collections: ['*'] }), 'Everything');
  equal(exportScope({ collections: ['users'] }), 'users');
  equal(exportScope({ collections: ['users', 'a,b', 'c'] }), 'users and 2 more');
});

test('exports: a link chooses a backup, or a moment, with collections whose names have commas', () => {
  deepEqual(bodyOf(draftAt(paths.newExport({ backupId: 'bkp_1', collections: ['a,b', 'c'] }))), {
    backupId: 'bkp_1',
    collections: ['a,b', 'c'],
    format: 'ndjson',
  });
  const moment = draftAt(paths.newExport({ projectId: 'prj_1', pointInTime: '2026-11-16T11:20:00.000Z', format: 'parquet' }));
  deepEqual(
    [moment.kind, bodyOf(moment)],
    ['moment', { projectId: 'prj_1', pointInTime: '2026-11-16T11:20:00.000Z', format: 'parquet' }],
  );
});

test('exports: an address with other values begins an empty form, which says what is missing', () => {
  const draft = draftOf({ pointInTime: 'yesterday', format: 'xml', columns: 7, projectId: ['prj_1'] });
  deepEqual([draft.at, draft.format, draft.columns, draft.projectId], [undefined, 'ndjson', '', undefined]);
  equal(missingIn(draft), 'Choose a backup or a point in time first');
  const chosen = { ...draft, backupId: 'bkp_1' };
  equal(missingIn(chosen), undefined);
  equal(missingIn({ ...chosen, scope: 'collections' }), 'Name at least one collection first');
  equal(missingIn({ ...chosen, scope: 'collections', typed: 'users' }), 'Add or clear the collection you typed first');
  const rule = { collection: '*', field: ' ', transform: 'redact' } as const;
  equal(missingIn({ ...chosen, rules: [rule] }), 'Fill in the collection and the field of every rule first');
});

test('exports: columns and exact texts are sent for CSV alone', () => {
  const draft = { ...draftAt(paths.newExport({ backupId: 'bkp_1' })), columns: ' __id__ \n\nemail\n', exactText: true };
  deepEqual(bodyOf({ ...draft, format: 'csv' }), {
    backupId: 'bkp_1',
    format: 'csv',
    columns: ['__id__', 'email'],
    exactText: true,
  });
  deepEqual(bodyOf({ ...draft, format: 'ndjson' }), { backupId: 'bkp_1', format: 'ndjson' });
});

test('exports: a refused column is named, not its position', () => {
  const failure = (field: string) =>
    new ApiFailure({
      route: 'POST /exports',
      status: 400,
      code: 'VALIDATION_ERROR',
      message: `${field}: must be a path`,
      details: { field, reason: 'must be a path' },
      requestId: null,
      retryAfter: null,
    });
  equal(lineError(failure('columns.1'), { field: 'columns', lines: '\n__id__\n a..b' }), 'a..b must be a path.');
  equal(lineError(failure('columns'), { field: 'columns', lines: '' }), 'Must be a path.');
  equal(lineError(failure('recipients.0'), { field: 'recipients', lines: 'age1x' }), 'age1x must be a path.');
  equal(lineError(failure('format'), { field: 'columns', lines: 'a' }), undefined);
  equal(lineError(null, { field: 'columns', lines: 'a' }), undefined);
});

const job = {
  backupId: 'bkp_1',
  projectId: 'prj_1',
  pointInTime: null,
  collections: ['users'],
  format: 'csv',
  columns: ['__id__', 'a,b'],
  exactText: true,
  storageDestination: { id: 'dst_1', name: 'Lake', type: 's3' },
  recipients: ['age1a', 'age1b'],
  retention: 30,
} as unknown as Parameters<typeof exportAgain>[0];

test('exports: the same choices begin another export', () => {
  deepEqual(bodyOf(draftAt(exportAgain(job)!)), {
    backupId: 'bkp_1',
    collections: ['users'],
    format: 'csv',
    columns: ['__id__', 'a,b'],
    exactText: true,
    storageDestinationId: 'dst_1',
    recipients: ['age1a', 'age1b'],
    retention: 30,
  });
  const pointInTime = '2026-11-16T11:20:00Z';
  const { backupId, projectId, at } = draftAt(exportAgain({ ...job, backupId: 'bkp_2', pointInTime })!);
  deepEqual([backupId, projectId, at], [undefined, 'prj_1', pointInTime]);
});

test('exports: a masked export is not repeated before a person says how it is masked', () => {
  const transform = { rules: 1, documentsTransformed: 0, fieldsTransformed: 0 } as never;
  equal(missingIn(draftAt(exportAgain({ ...job, transform })!)), 'Say first whether this export is masked');
});

test('exports: one that names more than an address holds is not repeated, because a part would be another export', () => {
  const collections = Array.from({ length: 500 }, (_, n) => `collection-${n}-with-a-long-name`);
  equal(exportAgain({ ...job, collections }), undefined);
  equal(
    exportAgain({ ...job, collections: ['users'], columns: Array.from({ length: 200 }, (_, n) => `größe-${n}-äöüäöü`) }),
    undefined,
  );
});
