import { deepEqual } from 'node:assert/strict';
import { test } from 'vitest';
import { takePage } from '../../../../shared/platform/index.ts';

async function* letters(text: string) {
  for (const sk of text) yield { sk };
}
const page = async (text: string, limit: number) => {
  const { items, next } = await takePage(letters(text), limit);
  return [items.map(({ sk }) => sk).join(''), next];
};

test('takePage: a page has a next key only if there is one more element', async () => {
  deepEqual(await page('abc', 2), ['ab', 'b']);
  deepEqual(await page('ab', 2), ['ab', undefined]);
  deepEqual(await page('a', 2), ['a', undefined]);
  deepEqual(await page('', 2), ['', undefined]);
});
