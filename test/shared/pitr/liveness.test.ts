/** Whom a worker listens to all the time. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everySecondsOf, isLive } from '../../../shared/pitr/liveness.ts';
import type { PitrRecord } from '../../../shared/pitr/record.ts';

const sceneOf = (groups: number, precision: PitrRecord['precision'], captureIntervalSeconds = 1_800) => ({
  pitr: { status: 'active', precision, captureIntervalSeconds } as PitrRecord,
  standings: Array.from({ length: groups }, (_, n) => ({ collectionId: `c${n}`, to: 0, token: undefined, count: 0 })),
});

test('more collections than one connection has streams for are looked at once for each turn', () => {
  assert.deepEqual([isLive(sceneOf(5_000, 'second')), isLive(sceneOf(5_001, 'second'))], [true, false]);
  assert.equal(isLive(sceneOf(1, 'interval')), false);
});

test('a turn of who listens is shorter than a worker has, any other as long as was asked for', () => {
  assert.deepEqual([everySecondsOf(sceneOf(1, 'second')), everySecondsOf(sceneOf(1, 'second', 10))], [240, 10]);
  assert.deepEqual([everySecondsOf(sceneOf(5_001, 'second')), everySecondsOf(sceneOf(1, 'interval'))], [1_800, 1_800]);
});
