/** The timeline of a job: attempts that fail alike are one entry. */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { jobEntries, type TimelineEntry } from '../../../functions/console/app/data/job-words.ts';
import { formatSecond } from '../../../functions/console/app/format/format-time.ts';

const at = (second: number): string => `2026-11-19T22:37:${String(second).padStart(2, '0')}.000Z`;
const entry = (second: number, kind: TimelineEntry['kind'], message: string | null = null): TimelineEntry => ({
  at: at(second),
  kind,
  ...(kind === 'phase' && { phase: 'writing' }),
  ...(kind === 'ended' && { status: 'completed' }),
  message,
});
const shown = (entries: readonly TimelineEntry[]) =>
  jobEntries(entries, (name) => `Phase ${name}`)?.map(({ at: from, what, detail }) => [from, what, detail]);

test('job entries: attempts that fail alike one after the other are one entry, with their number and the last time', () => {
  const failed = 'The bucket refused (503).';
  deepEqual(
    shown([
      entry(1, 'created'),
      entry(2, 'phase'),
      entry(3, 'attempt_failed', failed),
      entry(4, 'attempt_failed', failed),
      entry(5, 'attempt_failed', failed),
      entry(6, 'attempt_failed', 'Another reason'),
      entry(7, 'continued'),
      entry(8, 'attempt_failed', failed),
      entry(9, 'ended'),
    ]),
    [
      [at(1), 'Requested', null],
      [at(2), 'Phase writing', null],
      [at(3), `Tried again without success, 3 times until ${formatSecond(new Date(at(5)))}`, failed],
      [at(6), 'Tried again without success', 'Another reason'],
      [at(7), 'Went on', null],
      [at(8), 'Tried again without success', failed],
      [at(9), 'Completed', null],
    ],
  );
  equal(shown([entry(1, 'finding', 'a'), entry(2, 'finding', 'a')])?.length, 2);
  equal(jobEntries(undefined, String), undefined);
});
