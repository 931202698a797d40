/** A small restore that can be undone needs no typed name. */
import { equal } from 'node:assert/strict';
import { test } from 'vitest';
import { mustTypeName } from '../../../shared/client/index.ts';

const must = (create: number, overwrite: number, deleted: number, safetyBackup = true) =>
  mustTypeName({ create, overwrite, delete: deleted }, { safetyBackup });

test('typed name: at most ten documents created or replaced, none deleted, and an undo need none', () => {
  equal(must(1, 0, 0), false);
  equal(must(4, 6, 0), false);
  equal(must(5, 6, 0), true);
  equal(must(0, 0, 1), true);
  equal(must(1, 0, 0, false), true);
});

test('typed name: users count as documents do, and those of an undo that are deleted, too', () => {
  const plan = { create: 1, overwrite: 0, delete: 0 };
  const must = (more: object) => mustTypeName({ ...plan, ...more }, { safetyBackup: true });
  equal(must({ authUsers: { create: 4, overwrite: 5 } }), false);
  equal(must({ authUsers: { create: 4, overwrite: 6 } }), true);
  equal(must({ deletions: ['accounts/ada'] }), true);
  equal(must({ hasUncountedUsers: true }), true);
});
