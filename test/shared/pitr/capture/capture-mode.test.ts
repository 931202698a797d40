/** How long a turn is. */
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

test('where so much changes that its names would fill the memory, the next turn comes sooner', () => {
  assert.equal(after(1_800, 100_000), Number.POSITIVE_INFINITY);
  assert.equal(after(1_800, 300_000), 600);
  assert.equal(after(60, 600_000), 10);
  assert.equal(after(1, 10_000_000), 1);
});

test('whoever looks for a change looks as far back as one stream can be ahead of another: no worker has so long', () =>
  assert.equal(heardAheadMicros, 2 * workers.capture.timeoutSeconds * 1_000_000));
