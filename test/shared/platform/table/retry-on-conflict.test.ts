import { deepEqual, equal, rejects } from 'node:assert/strict';
import { beforeEach, test } from 'vitest';
import { ApiError } from '../../../../shared/contract/errors.ts';
import { commit, get, isConflict, type Key, retryOnConflict, StaleReadError, set } from '../../../../shared/platform/index.ts';
import { answerOnWire } from '../../../harness/aws/in-process.ts';
import { InMemoryTable } from '../../../harness/table/in-memory-table.ts';

const table = new InMemoryTable();
answerOnWire(table.script);
const key: Key<{ readonly count: number }> = { pk: 'A', sk: 'A' };

beforeEach(() => table.items.clear());

const increment = async (): Promise<void> => {
  const { count = 0 } = (await get(key)) ?? {};
  await commit([set(key, { count: count + 1 }, { expected: { count }, onConditionFailed: () => new StaleReadError() })]);
};

test('retryOnConflict: concurrent compare-and-set loops lose no update', async () => {
  table.put({ ...key, count: 0 });
  await Promise.all(Array.from({ length: 5 }, () => retryOnConflict({ attempts: 5 }, increment)));
  deepEqual(table.get(key), { ...key, count: 5 });
});

test('retryOnConflict: a conflict is thrown after the last attempt', async () => {
  const attempts: number[] = [];
  const work = async (attempt: number): Promise<never> => {
    attempts.push(attempt);
    throw new StaleReadError();
  };
  await rejects(retryOnConflict({ attempts: 3 }, work), StaleReadError);
  deepEqual(attempts, [1, 2, 3]);
});

test('retryOnConflict: any other error is thrown at once, unless isRetryable accepts it', async () => {
  let calls = 0;
  const work = async (): Promise<never> => {
    calls += 1;
    throw new Error('no');
  };
  await rejects(retryOnConflict({ attempts: 3 }, work), /no/);
  equal(calls, 1);
  await rejects(retryOnConflict({ attempts: 3, isRetryable: () => true }, work), /no/);
  equal(calls, 4);
});

test('retryOnConflict: each wait is random up to jitterMs, and there is none without it', async () => {
  const waits: number[] = [];
  const options = { attempts: 3, random: () => 0.5, sleep: async (ms: number) => void waits.push(ms) };
  const work = (): Promise<never> => Promise.reject(new StaleReadError());
  await rejects(retryOnConflict({ ...options, jitterMs: 200 }, work), StaleReadError);
  deepEqual(waits, [100, 100]);
  await rejects(retryOnConflict(options, work), StaleReadError);
  deepEqual(waits, [100, 100]);
});

test('retryOnConflict: with jitterMaxMs the waits double up to it', async () => {
  const waits: number[] = [];
  const options = { attempts: 5, random: () => 1, sleep: async (ms: number) => void waits.push(ms) };
  const work = (): Promise<never> => Promise.reject(new StaleReadError());
  await rejects(retryOnConflict({ ...options, jitterMs: 50, jitterMaxMs: 200 }, work), StaleReadError);
  deepEqual(waits, [50, 100, 200, 200]);
});

test('isConflict: only an ApiError with code CONFLICT is one', () => {
  equal(isConflict(new StaleReadError()), true);
  equal(isConflict(new ApiError('CONFLICT', 'x')), true);
  equal(isConflict(new ApiError('SERVICE_UNAVAILABLE', 'x')), false);
  equal(isConflict(new Error('CONFLICT')), false);
});
