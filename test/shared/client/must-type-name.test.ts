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
