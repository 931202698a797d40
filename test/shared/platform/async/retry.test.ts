import { deepEqual, equal, rejects } from 'node:assert/strict';
import { test } from 'vitest';
import { type Backoff, retry } from '../../../../shared/platform/index.ts';

const failure = new Error('no');
const fails = (): Promise<never> => Promise.reject(failure);

/** The delays of a retry, with this random number. */
const delaysOf = async (backoff: Backoff, random: number): Promise<readonly number[]> => {
  const delays: number[] = [];
  const sleep = async (ms: number): Promise<void> => void delays.push(ms);
  await rejects(retry(backoff, { classify: () => true, work: fails, random: () => random, sleep }), failure);
  return delays;
};

test('retry: the delay doubles up to its maximum', async () => {
  deepEqual(await delaysOf({ attempts: 5, firstDelayMs: 100, maxDelayMs: 400 }, 1), [100, 200, 400, 400]);
  deepEqual(await delaysOf({ attempts: 3, firstDelayMs: 100 }, 1), [100, 200]);
});

test('retry: jitter is the share of the delay that is random', async () => {
  deepEqual(await delaysOf({ attempts: 2, firstDelayMs: 100 }, 0.25), [25]);
  deepEqual(await delaysOf({ attempts: 2, firstDelayMs: 100, jitter: 0.5 }, 0), [50]);
  deepEqual(await delaysOf({ attempts: 2, firstDelayMs: 100, jitter: 0.5 }, 1), [100]);
  deepEqual(await delaysOf({ attempts: 2, firstDelayMs: 100, jitter: 0 }, 0.25), [100]);
});

test('retry: a delay of 0 does not sleep', async () => {
  deepEqual(await delaysOf({ attempts: 3, firstDelayMs: 0 }, 1), []);
});

test('retry: it returns the first success and counts attempts from 1', async () => {
  const attempts: number[] = [];
  const work = async (attempt: number): Promise<string> => {
    attempts.push(attempt);
    return attempt < 3 ? fails() : 'done';
  };
  equal(await retry({ attempts: 5, firstDelayMs: 1 }, { classify: () => true, work, sleep: async () => undefined }), 'done');
  deepEqual(attempts, [1, 2, 3]);
});

test('retry: an error that is not retryable is thrown at once', async () => {
  let calls = 0;
  const work = (): Promise<never> => {
    calls += 1;
    return fails();
  };
  await rejects(retry({ attempts: 5, firstDelayMs: 1 }, { classify: () => false, work }), failure);
  equal(calls, 1);
});

test('retry: the verdict at-once retries without a delay, also after the last attempt', async () => {
  let calls = 0;
  const work = async (): Promise<string> => {
    calls += 1;
    return calls === 4 ? 'done' : fails();
  };
  const sleep = (): Promise<never> => Promise.reject(new Error('slept'));
  equal(await retry({ attempts: 2, firstDelayMs: 1 }, { classify: () => 'at-once', work, sleep }), 'done');
});

test('retry: an aborted signal ends it with the reason, before an attempt, after one and during a delay', async () => {
  const reason = new Error('enough');
  const backoff = { attempts: 3, firstDelayMs: 3_600_000 };
  await rejects(retry(backoff, { classify: () => true, work: fails, signal: AbortSignal.abort(reason) }), reason);
  const during = new AbortController();
  const abortThenFail = (): Promise<never> => {
    during.abort(reason);
    return fails();
  };
  await rejects(retry(backoff, { classify: () => true, work: abortThenFail, signal: during.signal }), reason);
  const waiting = new AbortController();
  const result = retry(backoff, { classify: () => true, work: fails, signal: waiting.signal });
  setImmediate(() => waiting.abort(reason));
  await rejects(result, reason);
});
