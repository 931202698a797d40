import { deepEqual } from 'node:assert/strict';
import { test } from 'vitest';
import { unstoredObjects } from '../../../../shared/stored-backup/index.ts';

const index = (name: string) => ({ index: { backup: 'b', name } });

/** The chunk of the documents that were read or changed, that of the leaves that were copied, the index, and the filters of both chunks. */
const objectsOf = (part: string): readonly string[] =>
  ['chunk/0', 'chunk/5', 'index/0', 'filter/0', 'filter/5'].map((start) => `${start}${part}`);

test('unstored objects: all objects of every claimed part that is not stored', () => {
  deepEqual(
    unstoredObjects(
      [
        { number: 0, parts: 3 },
        { number: 7, parts: 1 },
        { number: 8, parts: 0 },
      ],
      [index('index/00000000-0001')],
    ),
    ['0000000-0000', '0000000-0002', '0000007-0000'].flatMap(objectsOf),
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
    objectsOf('0000001-0000'),
  );
});
