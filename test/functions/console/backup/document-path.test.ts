import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { cleanPath, locate, pathProblem } from '../../../../functions/console/app/pages/backup/browse/document-path.ts';
import { paths } from '../../../../functions/console/app/paths.ts';

test('place: a path shows its collection and document', () => {
  deepEqual(locate(''), { parent: '', collection: undefined, document: undefined });
  deepEqual(locate('users'), { parent: '', collection: 'users', document: undefined });
  deepEqual(locate('users/ada'), { parent: '', collection: 'users', document: 'users/ada' });
  deepEqual(locate('users/ada/orders'), { parent: 'users/ada', collection: 'users/ada/orders', document: undefined });
  equal(cleanPath(' /users/ada/ '), 'users/ada');
  equal(cleanPath('projects/p/databases/(default)/documents/users/ada'), 'users/ada');
  equal(pathProblem('users/ada'), undefined);
  for (const path of ['users//ada', 'users/..', './a']) equal(typeof pathProblem(path), 'string', path);
});

test('paths: the restore wizard gets paths that contain commas and slashes', () => {
  const address = paths.restoreWizard({ backupId: 'bkp_1', documents: ['a/b,c', 'ü/%'] });
  const search = new URLSearchParams(address.split('?')[1]);
  deepEqual(search.get('documents')?.split(',').map(decodeURIComponent), ['a/b,c', 'ü/%']);
  equal(
    paths.restoreWizard({ projectId: 'prj_1', at: '2026-01-01T00:00:00Z' }),
    '/restore/new?projectId=prj_1&at=2026-01-01T00%3A00%3A00Z',
  );
  equal(paths.restoreWizard({ backupId: 'bkp_1', collections: [] }), '/restore/new?backupId=bkp_1');
});
