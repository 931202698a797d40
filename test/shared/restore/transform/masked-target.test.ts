import { equal } from 'node:assert/strict';
import { test } from 'vitest';
import { mayBeSameDatabase } from '../../../../shared/restore/transform/masked-target.ts';

const source = 'projects/my-project/databases/(default)';

for (const [target, isRefused] of [
  ['projects/my-project/databases/(default)', true],
  ['projects/My-Project/databases/(default)', true],
  ['projects/123456789012/databases/(default)', true],
  ['projects/123456789012/databases/staging', false],
  ['projects/my-project/databases/staging', false],
  ['projects/staging/databases/(default)', false],
] as const)
  test(`a masked copy into ${target} is ${isRefused ? 'refused' : 'allowed'}`, () => {
    equal(mayBeSameDatabase(source, target), isRefused);
    equal(mayBeSameDatabase(target, source), isRefused);
  });

test('two projects that are both connected by their numbers are told apart', () => {
  equal(mayBeSameDatabase('projects/123/databases/(default)', 'projects/456/databases/(default)'), false);
});
