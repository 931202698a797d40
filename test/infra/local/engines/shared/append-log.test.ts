import assert from 'node:assert/strict';
import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { openAppendLog } from '../../../../../infra/local/engines/shared/append-log.ts';
import { tempDir } from '../../../../harness/aws/embedded-aws.ts';

test('append log: set values survive reopening, deleted ones do not', (t) => {
  const file = join(tempDir(t), 'a', 'b.jsonl');
  const first = openAppendLog<number>(file);
  first.set('x', 1);
  first.set('y', 2);
  first.set('x', 3);
  first.remove('y');
  const second = openAppendLog<number>(file);
  assert.equal(second.get('x'), 3);
  assert.deepEqual(second.values(), [3]);
});

// A process can be killed in the middle of a write.
test('append log: an incomplete line is dropped, earlier lines are kept', (t) => {
  const file = join(tempDir(t), 'b.jsonl');
  openAppendLog<number>(file).set('x', 1);
  appendFileSync(file, '{"name":"y","val');
  const again = openAppendLog<number>(file);
  assert.deepEqual(again.values(), [1]);
  again.set('z', 2);
  assert.deepEqual(openAppendLog<number>(file).values(), [1, 2]);
});

test('append log: opening keeps one line per name', (t) => {
  const file = join(tempDir(t), 'b.jsonl');
  const journal = openAppendLog<number>(file);
  for (let n = 0; n < 100; n++) journal.set('x', n);
  openAppendLog<number>(file);
  assert.equal(readFileSync(file, 'utf8').split('\n').length, 2);
});
