import { deepEqual } from 'node:assert/strict';
import { test } from 'vitest';
import { changedFields } from '../../../functions/console/app/pages/restore-wizard/mask/changed-fields.ts';

const reference = (project: string, path: string) => ({
  referenceValue: `projects/${project}/databases/(default)/documents/${path}`,
});

test('preview of a masked copy: shows what rules changed, not references that point to the target', () => {
  const before = { name: { stringValue: 'Ada' }, friend: reference('shop', 'users/u1'), manager: reference('shop', 'users/u2') };
  const after = {
    name: { stringValue: '[redacted]' },
    friend: reference('staging', 'users/u1'),
    manager: reference('staging', 'users/redacted'),
  };
  deepEqual(
    changedFields(before, after).map(({ name }) => name),
    ['name', 'manager'],
  );
  const list = (project: string) => ({
    all: { arrayValue: { values: [reference(project, 'users/u1'), { integerValue: '1' }] } },
  });
  deepEqual(changedFields(list('shop'), list('staging')), []);
});
