/** How long a cycle is. */
import assert from 'node:assert/strict';
import { test } from 'vitest';
import { workers } from '../../../../shared/contract/runtime/workers.ts';
import { heardAheadMicros } from '../../../../shared/pitr/batch/list-batches.ts';
import { shortenedCycleSeconds } from '../../../../shared/pitr/capture/capture-mode.ts';

const after = (seconds: number, changes: number): number =>
  shortenedCycleSeconds(
    { pitr: { capturedTo: '2030-01-01T00:00:00.000000Z' }, positions: [] } as unknown as Parameters<
      typeof shortenedCycleSeconds
    >[0],
    { to: (Date.UTC(2030, 0, 1) / 1_000 + seconds) * 1_000_000, changes },
  );

test('capture mode: the next cycle is shortened if the names of changes would fill the memory', () => {
  assert.equal(after(1_800, 100_000), Number.POSITIVE_INFINITY);
  assert.equal(after(1_800, 300_000), 600);
  assert.equal(after(60, 600_000), 10);
  assert.equal(after(1, 10_000_000), 1);
});

test('capture mode: restores look back further than one stream can be ahead of another within a worker', () =>
  assert.equal(heardAheadMicros, 2 * workers.capture.timeoutSeconds * 1_000_000));
