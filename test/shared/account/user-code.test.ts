import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'vitest';
import { newUserCode } from '../../../shared/account/user-code.ts';

test('user code: eight letters without vowels, in two groups', () => {
  const codes = Array.from({ length: 2_000 }, () => newUserCode());
  for (const code of codes) match(code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
  equal(new Set(codes).size, codes.length);
  deepEqual([...new Set(codes.join('').replaceAll('-', ''))].sort().join(''), 'BCDFGHJKLMNPQRSTVWXZ');
});

test('user code: bytes that would favour the first letters are drawn again', () => {
  const drawn: number[] = [];
  const bytes = [
    [240, 255, 0, 1, 2, 3, 4, 5],
    [239, 19],
  ];
  const code = newUserCode((count) => {
    drawn.push(count);
    return Uint8Array.from(bytes.shift() ?? []);
  });
  deepEqual({ code, drawn }, { code: 'BCDF-GHZZ', drawn: [8, 2] });
});
