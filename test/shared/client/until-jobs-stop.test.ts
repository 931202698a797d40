import { equal, rejects } from 'node:assert/strict';
import { test } from 'vitest';
import { ApiFailure, untilJobsStop } from '../../../shared/client/index.ts';

const failure = (code: string): ApiFailure =>
  new ApiFailure({ route: 'POST /x', status: 409, code, message: 'x', details: {}, requestId: null, retryAfter: null });

/** Fails as often as told, then succeeds. */
const failing = (times: number, code = 'JOB_IN_PROGRESS') => {
  let calls = 0;
  const remove = async (): Promise<number> => {
    if (++calls <= times) throw failure(code);
    return calls;
  };
  return { remove, count: () => calls };
};

test('untilJobsStop: a deletion is repeated while jobs have not stopped', async () => {
  equal(await untilJobsStop(failing(3).remove), 4);
});

test('untilJobsStop: after twenty calls, or for any other error, the error is thrown', async () => {
  const stuck = failing(100);
  await rejects(untilJobsStop(stuck.remove), { code: 'JOB_IN_PROGRESS' });
  equal(stuck.count(), 20);
  const other = failing(100, 'CONFLICT');
  await rejects(untilJobsStop(other.remove), { code: 'CONFLICT' });
  equal(other.count(), 1);
});
