import { deepEqual, rejects } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { compareNames } from '../../../../shared/archive/index.ts';
import { sortUsers, userName } from '../../../../shared/stored-backup/index.ts';

const users = async function* (ids: readonly string[], bytes = 2) {
  for (const id of ids) yield { id, json: Buffer.alloc(bytes) };
};
const ordered = async (ids: readonly string[], bytes?: number): Promise<readonly string[]> => {
  const all = [];
  for await (const { id } of sortUsers(users(ids, bytes))) all.push(id);
  return all;
};

test('sort-users: users listed in id order are returned in name order', () =>
  fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(
        fc.oneof(
          fc.string({ minLength: 1, unit: 'grapheme' }),
          fc.nat().map((n) => `__id${n}__`),
        ),
      ),
      async (ids) => {
        const sorted = [...ids].sort((a, b) => compareNames(userName(a), userName(b)));
        deepEqual(await ordered([...ids].sort()), sorted);
      },
    ),
  ));

test('sort-users: the buffer is bounded, and an unordered list is refused', async () => {
  const ids = Array.from({ length: 100 }, (_, n) => String(n).padStart(3, '0'));
  deepEqual(await ordered(ids, 1 << 20), ids);
  await rejects(ordered(ids.toReversed(), 1 << 20), /not listed in id order/);
  await rejects(ordered(['a', 'a']), /not listed in id order/);
});
