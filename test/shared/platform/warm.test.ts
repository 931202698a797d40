import { equal, rejects } from 'node:assert/strict';
import { test } from 'vitest';
import { forgetWarm, warm, warmPromise } from '../../../shared/platform/index.ts';

test('warm: creates on first use, and once; forgetWarm starts anew', () => {
  let created = 0;
  const kept = warm(() => ({ number: ++created }));
  equal(created, 0);
  equal(kept(), kept());
  equal(kept().number, 1);
  forgetWarm();
  equal(kept().number, 2);
});

test('warm: also keeps undefined', () => {
  let runs = 0;
  const once = warm(() => void ++runs);
  once();
  once();
  equal(runs, 1);
});

test('warmPromise: calls share a fetch, and a failed one is repeated', async () => {
  let fetches = 0;
  const fetched = warmPromise(async () => {
    fetches += 1;
    if (fetches === 1) throw new Error('unavailable');
    return fetches;
  });
  const first = [fetched(), fetched()];
  for (const failing of first) await rejects(failing, /unavailable/);
  equal(await fetched(), 2);
  equal(await fetched(), 2);
});

test('warmPromise: a fetch that fails after everything was forgotten leaves the newer one alone', async () => {
  const [old, newer] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const pending = [old.promise, newer.promise];
  const fetched = warmPromise(() => pending.shift() ?? Promise.reject(new Error('fetched again')));
  const before = fetched();
  forgetWarm();
  const after = fetched();
  old.reject(new Error('gone'));
  await rejects(before, /gone/);
  newer.resolve('new');
  equal(await after, 'new');
  equal(await fetched(), 'new');
});
