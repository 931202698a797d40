import { deepEqual } from 'node:assert/strict';
import { test } from 'vitest';
import { unstoredObjects } from '../../../../shared/stored-backup/index.ts';

const index = (name: string) => ({ index: { backup: 'b', name } });

test('unstored objects: both objects of every claimed part that is not stored', () => {
  deepEqual(
    unstoredObjects(
      [
        { number: 0, parts: 3 },
        { number: 7, parts: 1 },
        { number: 8, parts: 0 },
      ],
      [index('index/00000000-0001')],
    ),
    [
      ...['chunk/00000000-0000', 'index/00000000-0000', 'chunk/00000000-0002', 'index/00000000-0002'],
      ...['chunk/00000007-0000', 'index/00000007-0000'],
    ],
  );
});

test('unstored objects: the last part of a shard that is done has no upload, even if it stored nothing', () => {
  deepEqual(
    unstoredObjects(
      [
        { number: 0, parts: 1, isDone: true },
        { number: 1, parts: 2, isChecked: true },
      ],
      [],
    ),
    ['chunk/00000001-0000', 'index/00000001-0000'],
  );
});
