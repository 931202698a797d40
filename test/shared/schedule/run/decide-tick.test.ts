/** Whatever ticks come, in whatever order, late or twice: every moment is dealt with once, and in its turn. */
import { deepEqual, ok } from 'node:assert/strict';
import * as fc from 'fast-check';
import { test } from 'vitest';
import { nextRun } from '../../../../shared/schedule/index.ts';
import { decideTick, lateMaxSeconds } from '../../../../shared/schedule/run/decide-tick.ts';

const minuteMs = 60_000;
const schedules = fc.constantFrom(
  { cron: '*/5 * * * *', timezone: 'UTC' },
  { cron: '0 * * * *', timezone: 'Europe/Berlin' },
  { cron: '30 2 * * *', timezone: 'Europe/Berlin' },
  { cron: '0 3 13 * 5', timezone: 'America/New_York' },
  { cron: '45 1,2 * * *', timezone: 'Australia/Lord_Howe' },
);
/** Within a week around the changes of clocks in spring 2026. */
const begins = fc.constantFrom('2026-03-07T12:00:00.000Z', '2026-03-28T12:00:00.000Z', '2026-04-04T06:00:00.000Z');
/** How long nothing happens, and of what moment the tick is, counted from now. */
const ticks = fc.array(fc.record({ waits: fc.integer({ min: 0, max: 2_000 }), about: fc.integer({ min: -3_000, max: 0 }) }), {
  maxLength: 10,
});

test('every time it is due is run or given up, once and in its turn, and none is run that is over an hour old', () =>
  fc.assert(
    fc.property(schedules, begins, ticks, ({ cron, timezone }, begin, told) => {
      const next = (moment: Date): Date => nextRun(cron, timezone, moment)!;
      const first = next(new Date(begin));
      let nowMs = Date.parse(begin);
      let nextRunAt = first.toISOString();
      const dealt: string[] = [];
      for (const { waits, about } of told) {
        nowMs += waits * minuteMs;
        const [at, now] = [new Date(nowMs + about * minuteMs), new Date(nowMs)];
        for (;;) {
          const verdict = decideTick({ cron, timezone, nextRunAt, putOff: undefined }, { at, tries: 0 }, now);
          if (verdict.kind === 'nothing') {
            ok(nextRunAt > now.toISOString(), 'what is due is not passed over');
            break;
          }
          const [from, to] = verdict.kind === 'run' ? [verdict.at, verdict.at] : [verdict.first, verdict.last];
          if (verdict.kind === 'run') ok(nowMs - verdict.at.getTime() <= lateMaxSeconds * 1_000);
          for (let moment = from; moment <= to; moment = next(moment)) dealt.push(moment.toISOString());
          nextRunAt = verdict.next!.toISOString();
        }
      }
      const wanted: string[] = [];
      for (let moment = first; moment.getTime() <= nowMs; moment = next(moment)) wanted.push(moment.toISOString());
      deepEqual(dealt, wanted);
    }),
    { numRuns: 25 },
  ));

test('a message that was put off less often than another ends', () => {
  const putOff = { at: '2026-03-02T03:00:00.000Z', tries: 2, since: '2026-03-02T03:02:00.000Z', message: 'busy' };
  const schedule = { cron: '0 3 * * *', timezone: 'UTC', nextRunAt: putOff.at, putOff };
  const now = new Date('2026-03-02T03:03:00.000Z');
  const kinds = [0, 1, 2].map((tries) => decideTick(schedule, { at: new Date(putOff.at), tries }, now).kind);
  deepEqual(kinds, ['nothing', 'nothing', 'run']);
});
