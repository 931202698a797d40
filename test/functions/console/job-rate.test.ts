/** The rate and the remaining time of a running job. */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { jobRate } from '../../../functions/console/app/parts/use-job-rate.ts';

const startedAt = '2026-01-01T00:00:00.000Z';
const start = Date.parse(startedAt);
const samplesOf = (...samples: readonly (readonly [seconds: number, documents: number])[]) =>
  samples.map(([seconds, documents]) => ({ at: start + seconds * 1_000, documents }));

test('job rate: nothing is told before there is something to measure', () => {
  equal(jobRate([], 100, startedAt), undefined);
  equal(jobRate(samplesOf([10, 500]), 1_000), undefined);
  equal(jobRate(samplesOf([10, 0]), 1_000, startedAt), undefined);
  equal(jobRate(samplesOf([10, 500], [10.5, 600]), 1_000), undefined);
});

test('job rate: a single state is measured from the start of the job', () => {
  deepEqual(jobRate(samplesOf([10, 500]), 1_000, startedAt), { perSecond: 50, remainingMs: 10_000 });
});

test('job rate: the states of the last half minute count, and the start no longer', () => {
  deepEqual(jobRate(samplesOf([10, 500], [12, 900]), null, startedAt), { perSecond: 200, remainingMs: undefined });
  deepEqual(jobRate(samplesOf([0, 0], [100, 10], [110, 60]), 110), { perSecond: 5, remainingMs: 10_000 });
});

test('job rate: a job that stands still is measured from its start, else not at all', () => {
  deepEqual(jobRate(samplesOf([10, 500], [20, 500]), 600, startedAt), { perSecond: 25, remainingMs: 4_000 });
  equal(jobRate(samplesOf([10, 500], [20, 500]), 600), undefined);
});
