/** The write rate of a job, however many workers it has. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { BatchWriter } from '../../../../shared/firestore/write/batch-writer.ts';
import { type RateStore, SharedRateLimiter } from '../../../../shared/firestore/write/rate-limiter.ts';
import {
  grant,
  leaseMs,
  permittedPerSecond,
  type RateGrant,
  type RateState,
  slowDown,
} from '../../../../shared/firestore/write/rate-ramp.ts';
import { documentOf, integer, startTarget } from '../../../harness/faults/faulty-target.ts';
import { sourceOf } from '../../../harness/firestore/firestore-server.ts';
import { VirtualTime } from '../../../harness/time/virtual-time.ts';

const minuteMs = 60_000;
const start = 1_700_000_000_000;

/** Takes all permitted writes until a time; returns the grants with their times. */
const takeAll = (
  state: RateState | undefined,
  {
    untilMs,
    maxPerSecond,
    fromMs = start,
  }: { readonly untilMs: number; readonly maxPerSecond?: number | undefined; readonly fromMs?: number | undefined },
) => {
  const grants: RateGrant[] = [];
  let at = fromMs;
  let now = state;
  while (at < untilMs) {
    const next = grant(now, { wanted: 500, maxPerSecond, nowMs: at });
    now = next.state;
    if (next.grant) grants.push(next.grant);
    at = Math.max(at, now.givenUntilMs);
  }
  return { state: now!, grants };
};
const inWindow = (grants: readonly { fromMs: number; writes: number }[], fromMs: number, ms: number): number =>
  grants.reduce((sum, one) => sum + (one.fromMs >= fromMs && one.fromMs < fromMs + ms ? one.writes : 0), 0);

test('rate ramp: 500 writes per second at first, 50 % more every five minutes, at most 10,000', () => {
  const { state } = takeAll(undefined, { untilMs: start + 1 });
  const at = (minutes: number) => Math.floor(permittedPerSecond(state, undefined, start + minutes * minuteMs));
  deepEqual([0, 4.99, 5, 10, 15, 20].map(at), [500, 500, 750, 1_125, 1_687, 2_531]);
  equal(at(24 * 60), 10_000);
  equal(permittedPerSecond(state, 600, start + 10 * minuteMs), 600);
  equal(permittedPerSecond(state, 20, start), 20);
  const { grants } = takeAll(undefined, { untilMs: start + 6 * minuteMs });
  equal(inWindow(grants, start, 1_000), 500);
  equal(inWindow(grants, start + 4 * minuteMs, minuteMs), 500 * 60);
  ok(Math.abs(inWindow(grants, start + 5 * minuteMs, minuteMs) - 750 * 60) <= 150);
});

test('rate ramp: a grant covers a fraction of a second, at least one write and at most the wanted number', () => {
  equal(grant(undefined, { wanted: 500, maxPerSecond: undefined, nowMs: start }).grant?.writes, 100);
  equal(grant(undefined, { wanted: 7, maxPerSecond: undefined, nowMs: start }).grant?.writes, 7);
  equal(grant(undefined, { wanted: 500, maxPerSecond: 1, nowMs: start }).grant?.writes, 1);
  const { grants } = takeAll(undefined, { untilMs: start + 10_000, maxPerSecond: 1 });
  deepEqual(
    grants.map(({ fromMs }) => fromMs - start),
    Array.from({ length: 10 }, (_, n) => n * 1_000),
  );
});

test('rate ramp: capacity is granted slightly ahead, in order, and not further', () => {
  let state: RateState | undefined;
  const grants: (RateGrant | undefined)[] = [];
  for (let n = 0; n < 20; n++) {
    const next = grant(state, { wanted: 500, maxPerSecond: undefined, nowMs: start });
    state = next.state;
    grants.push(next.grant);
  }
  const given = grants.filter((one) => one !== undefined);
  deepEqual(
    given.map(({ fromMs }) => fromMs - start),
    Array.from({ length: 11 }, (_, n) => n * 200),
  );
  // A denied request changes nothing.
  equal(grant(state, { wanted: 500, maxPerSecond: undefined, nowMs: start }).state, state);
});

test('rate ramp: unused capacity expires, so a pause is followed by no burst', () => {
  const { state } = takeAll(undefined, { untilMs: start + 1_000 });
  const { grants } = takeAll(state, { untilMs: start + 62_000, fromMs: start + 60_000 });
  equal(inWindow(grants, start + 60_000, 1_000), 500);
});

test('rate ramp: a pause of one ramp step restarts the ramp', () => {
  const { state } = takeAll(undefined, { untilMs: start + 12 * minuteMs });
  equal(
    permittedPerSecond(
      grant(state, { wanted: 1, maxPerSecond: undefined, nowMs: start + 13 * minuteMs }).state,
      undefined,
      start + 13 * minuteMs,
    ),
    1_125,
  );
  const later = start + 18 * minuteMs;
  equal(permittedPerSecond(grant(state, { wanted: 1, maxPerSecond: undefined, nowMs: later }).state, undefined, later), 500);
});

test('rate ramp: an exhausted quota halves the rate once for all writes in flight and recovers within a minute', () => {
  const { state, grants } = takeAll(undefined, { untilMs: start + 2_000 });
  const [first, second] = grants as [RateGrant, RateGrant];
  const now = start + 2_000;
  const slowed = slowDown(state, { first, maxPerSecond: undefined, nowMs: now });
  equal(permittedPerSecond(slowed, undefined, now), 250);
  equal(slowDown(slowed, { first: second, maxPerSecond: undefined, nowMs: now }), slowed);
  const after = grant(slowed, { wanted: 500, maxPerSecond: undefined, nowMs: now }).grant!;
  const twice = slowDown(slowed, { first: after, maxPerSecond: undefined, nowMs: now });
  equal(permittedPerSecond(twice, undefined, now), 125);
  equal(permittedPerSecond(twice, undefined, now + 15_000), 250);
  equal(permittedPerSecond(twice, undefined, now + 30_000), 500);
  equal(permittedPerSecond(twice, undefined, now + minuteMs), 500);
  equal(permittedPerSecond(twice, 300, now + minuteMs), 300);
  let least = twice;
  for (let n = 0; n < 30; n++)
    least = slowDown(least, { first: { ...after, slowdowns: least.slowdowns }, maxPerSecond: undefined, nowMs: now });
  equal(permittedPerSecond(least, undefined, now), 10);
  equal(permittedPerSecond(slowDown(state, { first, maxPerSecond: 4, nowMs: now }), 4, now), 4);
});

test('rate ramp: no time window exceeds its capacity plus one lease', () => {
  const ask = fc.record({ afterMs: fc.nat(3_000), wanted: fc.integer({ min: 1, max: 500 }), isExhausted: fc.boolean() });
  fc.assert(
    fc.property(fc.array(ask, { maxLength: 200 }), fc.constantFrom(undefined, 5, 300, 2_000), (asks, max) => {
      let [state, now] = [undefined as RateState | undefined, start];
      const grants: RateGrant[] = [];
      for (const { afterMs, wanted, isExhausted } of asks) {
        now += afterMs;
        const next = grant(state, { wanted, maxPerSecond: max, nowMs: now });
        state = next.state;
        if (next.grant) grants.push(next.grant);
        if (next.grant && isExhausted) state = slowDown(state, { first: next.grant, maxPerSecond: max, nowMs: now });
      }
      const most = Math.min(500, max ?? 500) * 1.5;
      // Each grant may be used until its lease ends, the next one at once.
      for (const { fromMs } of grants)
        for (const ms of [1_000, 10_000]) ok(inWindow(grants, fromMs, ms) <= Math.ceil((most * (ms + leaseMs)) / 1_000));
    }),
  );
});

/** The rate state of a single worker. */
class MemoryRateStore implements RateStore {
  #state: RateState | undefined;

  async change<T>(step: (state: RateState | undefined) => { readonly state: RateState; readonly result: T }): Promise<T> {
    const { state, result } = step(this.#state);
    this.#state = state;
    return result;
  }
}

/** Workers that always have writes, each with several requests in flight, on a slow store. */
const simulate = async (workers: number, lanes: number, options: { maxWritesPerSecond?: number; storeMs?: number } = {}) => {
  const time = new VirtualTime();
  const memory = new MemoryRateStore();
  let changes = 0;
  const store: RateStore = {
    change: async (step) => {
      changes += 1;
      await time.sleep(options.storeMs ?? 8);
      return memory.change(step);
    },
  };
  const sent: { fromMs: number; writes: number }[] = [];
  let seed = 1;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  let isOver = false;
  for (let worker = 0; worker < workers; worker++) {
    const { maxWritesPerSecond } = options;
    const pace = new SharedRateLimiter({
      store,
      random,
      clock: { now: () => new Date(time.nowMs) },
      sleep: time.sleep,
      maxWritesPerSecond,
    });
    for (let lane = 0; lane < lanes; lane++)
      void (async () => {
        while (!isOver) {
          const { writes } = await pace.take(500, undefined);
          sent.push({ fromMs: time.nowMs, writes });
          await time.sleep(50 + random() * 300);
        }
      })();
  }
  const begin = time.nowMs;
  const durationMs = 10 * minuteMs;
  await time.pass(durationMs);
  isOver = true;
  await time.pass(5_000);
  return { sent: sent.filter(({ fromMs }) => fromMs < begin + durationMs), begin, changes, durationMs };
};

for (const [workers, lanes] of [
  [1, 4],
  [8, 4],
  [40, 4],
] as const)
  test(`rate limiter: ${workers} workers together use nearly the whole rate for ten minutes, and no more`, async (t) => {
    const { sent, begin, changes, durationMs } = await simulate(workers, lanes);
    const permitted = 500 * 300 + 750 * 300;
    const used = inWindow(sent, begin, durationMs);
    void t.annotate(`${(used / permitted).toFixed(4)} of what is permitted, ${changes} changes of the store`);
    ok(used / permitted >= 0.99, String(used / permitted));
    ok(used <= permitted + 750);
    for (let second = 0; second < 299; second++) ok(inWindow(sent, begin + second * 1_000, 1_000) <= 500 + 100);
    for (let second = 301; second < 599; second++) ok(inWindow(sent, begin + second * 1_000, 1_000) <= 750 + 150);
    // The table is used a few times per second, not once per request.
    ok(changes < 600 * (10 + workers), String(changes));
  });

test('rate limiter: the limit of the customer applies to all workers together', async () => {
  const { sent, begin, durationMs } = await simulate(5, 4, { maxWritesPerSecond: 30 });
  const used = inWindow(sent, begin, durationMs);
  ok(used <= 30 * 600 + 30 && used >= 30 * 600 * 0.98, String(used));
});

test('rate limiter: a slow store does not slow the job down', async () => {
  const { sent, begin, durationMs } = await simulate(3, 4, { storeMs: 60 });
  ok(inWindow(sent, begin, durationMs) / (500 * 300 + 750 * 300) >= 0.95);
});

test('batch writer: respects the rate limiter and slows down when the quota is exhausted', async (t) => {
  const time = new VirtualTime();
  // From the 400th write on the quota is exhausted for a while.
  let writes = 0;
  const target = await startTarget(t, () => {
    writes += 1;
    return writes > 400 && writes <= 900 ? { status: 'RESOURCE_EXHAUSTED' } : undefined;
  });
  const wait = async (ms: number): Promise<void> => {
    time.nowMs += ms;
  };
  const source = sourceOf(target.url, { sleep: wait });
  t.onTestFinished(() => source.close());
  const store = new MemoryRateStore();
  const pace = new SharedRateLimiter({ store, random: () => 0.5, clock: { now: () => new Date(time.nowMs) }, sleep: wait });
  const writer = new BatchWriter(source, { rateLimiter: pace });
  for (let n = 0; n < 2_000; n++) await writer.put(documentOf(`paced/${n}`, { n: integer(n) }), 'overwrite');
  equal((await writer.end()).written, 2_000);
  ok(target.requests.every((request) => request.writes <= 100));
  ok(time.nowMs - 1_700_000_000_000 >= (2_500 / 500 - 1) * 1_000);
  const slowdowns = await store.change((state) => ({ state: state!, result: state!.slowdowns }));
  ok(slowdowns > 0);
});
