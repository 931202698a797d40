import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { withRepeats } from './with-repeats.ts';

/** Answers with these statuses, then with the last one. */
const answering = (...statuses: readonly number[]) => {
  const asked: number[] = [];
  const send = async () => {
    const status = statuses[Math.min(asked.length, statuses.length - 1)] ?? 0;
    asked.push(status);
    return { status };
  };
  return { asked, send };
};

test('withRepeats: a 503 is repeated until there is another answer', async () => {
  const { asked, send } = answering(503, 503, 201);
  const notes: string[] = [];
  equal((await withRepeats('POST /made-up', send, (line) => notes.push(line))).status, 201);
  deepEqual(asked, [503, 503, 201]);
  deepEqual(notes, ['POST /made-up: 503', 'POST /made-up: 503']);
});

test('withRepeats: a request that always gets a 503 gets it, after four tries', async () => {
  const { asked, send } = answering(503);
  equal((await withRepeats('GET /made-up', send, () => undefined)).status, 503);
  equal(asked.length, 4);
});

for (const status of [200, 409, 429, 500, 502])
  test(`withRepeats: a ${status} is not repeated`, async () => {
    const { asked, send } = answering(status, 503);
    equal((await withRepeats('PUT /made-up', send)).status, status);
    equal(asked.length, 1);
  });
