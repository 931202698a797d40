import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { cleanPath, locate, pathProblem } from '../../../../functions/console/app/pages/backup/browse/document-path.ts';
import { paths } from '../../../../functions/console/app/paths.ts';
import { formatJson, typedValue } from '../../../../functions/console/app/ui/value/value-type.ts';

test('value-type: reads every type of Firestore', () => {
  const name = 'projects/p/databases/(default)/documents/users/ada';
  const vector = { __type__: { stringValue: '__vector__' }, value: { arrayValue: { values: [{ doubleValue: 0.5 }] } } };
  for (const [value, expected] of [
    [{ nullValue: null }, { type: 'null' }],
    [{ booleanValue: false }, { type: 'boolean', value: false }],
    [{ integerValue: '9223372036854775807' }, { type: 'integer', text: '9223372036854775807' }],
    [{ doubleValue: -0 }, { type: 'double', text: '-0' }],
    [{ doubleValue: 'NaN' }, { type: 'double', text: 'NaN' }],
    [{ timestampValue: '2020-01-01T00:00:00Z' }, { type: 'timestamp', at: '2020-01-01T00:00:00Z' }],
    [{ stringValue: '' }, { type: 'string', text: '' }],
    [{ bytesValue: 'AP8=' }, { type: 'bytes', base64: 'AP8=', size: 2 }],
    [{ bytesValue: '' }, { type: 'bytes', base64: '', size: 0 }],
    [{ referenceValue: name }, { type: 'reference', name, path: 'users/ada' }],
    [{ geoPointValue: { longitude: 1 } }, { type: 'geopoint', latitude: 0, longitude: 1 }],
    [{ mapValue: { fields: vector } }, { type: 'vector', dimensions: ['0.5'] }],
    [{ mapValue: {} }, { type: 'map', fields: {} }],
    [{ arrayValue: {} }, { type: 'array', values: [] }],
    [{ futureValue: 1 }, { type: 'unknown', json: '{"futureValue":1}' }],
    [{ constructor: 1 }, { type: 'unknown', json: '{"constructor":1}' }],
  ] as const)
    deepEqual(typedValue(value as never), expected);
});

test('value-type: JSON of a document keeps -0', () => {
  equal(formatJson({ a: { doubleValue: -0 } }), '{\n  "a": {\n    "doubleValue": -0\n  }\n}');
});

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
