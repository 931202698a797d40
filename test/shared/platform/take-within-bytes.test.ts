import { deepEqual } from 'node:assert/strict';
import { test } from 'vitest';
import { takeWithinBytes } from '../../../shared/platform/index.ts';

const words = ['aa', 'bbb', 'c', 'dddd'];
const sizeOf = (word: string): number => word.length;

test('takeWithinBytes: it takes the longest prefix within the size, the limit included', () => {
  deepEqual(takeWithinBytes(words, { sizeOf, maxBytes: 6 }), ['aa', 'bbb', 'c']);
  deepEqual(takeWithinBytes(words, { sizeOf, maxBytes: 5 }), ['aa', 'bbb']);
  deepEqual(takeWithinBytes(words, { sizeOf, maxBytes: 100 }), words);
});

test('takeWithinBytes: it is a prefix: nothing is taken after the first element that does not fit', () => {
  deepEqual(takeWithinBytes(words, { sizeOf, maxBytes: 4 }), ['aa']);
  deepEqual(takeWithinBytes(words, { sizeOf, maxBytes: 1 }), []);
});

test('takeWithinBytes: it takes at most maxCount elements', () => {
  deepEqual(takeWithinBytes(words, { sizeOf, maxBytes: 100, maxCount: 2 }), ['aa', 'bbb']);
  deepEqual(takeWithinBytes(words, { sizeOf, maxBytes: 100, maxCount: 0 }), []);
  deepEqual(takeWithinBytes([], { sizeOf, maxBytes: 100 }), []);
});
