import { deepEqual, rejects } from 'node:assert/strict';
import { test } from 'vitest';
import { removeEach } from '../../../../shared/destination/store/remove-each.ts';

test('removeEach: a failure keeps no other element, and the first error is thrown at the end', async () => {
  const removed: number[] = [];
  const remove = async (element: number): Promise<void> => {
    if (element % 10 === 3) throw new Error(`cannot remove ${element}`);
    removed.push(element);
  };
  const elements = Array.from({ length: 30 }, (_, n) => n);
  await rejects(removeEach(elements, remove), /cannot remove 3$/);
  deepEqual(
    removed.sort((a, b) => a - b),
    elements.filter((element) => element % 10 !== 3),
  );
});
