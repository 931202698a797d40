import { deepEqual, throws } from 'node:assert/strict';
import { test } from 'vitest';
import { readLoadSettings } from './load-settings.ts';

test('a load takes two minutes by default', () => {
  deepEqual(readLoadSettings([]).minutes, 2);
  deepEqual(readLoadSettings(['--minutes', '0.5', '--restarts', '0']), { ...readLoadSettings([]), minutes: 0.5, restarts: 0 });
});

test('an invalid option is refused by name', () => {
  throws(() => readLoadSettings(['--minutes', '0']), /^Error: --minutes 0: must be a number above 0$/);
  throws(() => readLoadSettings(['--minutes', 'Infinity']), /--minutes/);
  throws(() => readLoadSettings(['--people', '1.5']), /--people 1.5: must be a whole number from 1/);
  throws(() => readLoadSettings(['--restarts=-1']), /--restarts -1: must be a whole number from 0/);
  throws(() => readLoadSettings(['--hours', '1']), /--hours/);
});
