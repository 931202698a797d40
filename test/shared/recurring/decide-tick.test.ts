/** Random ticks, late, early or duplicate: every due time is handled once, in order. */
import { deepEqual, ok } from 'node:assert/strict';
import * as fc from 'fast-check';
import { test } from 'vitest';
import { nextRun } from '../../../shared/recurring/cron/next-run.ts';
import { decideTick, missedAfterSeconds } from '../../../shared/recurring/decide-tick.ts';

const minuteMs = 60_000;
const schedules = fc.constantFrom(
  { cron: '*/5 * * * *', timezone: 'UTC' },
  { cron: '0 * * * *', timezone: 'Europe/Berlin' },
  { cron: '30 2 * * *', timezone: 'Europe/Berlin' },
  { cron: '0 3 13 * 5', timezone: 'America/New_York' },
  { cron: '45 1,2 * * *', timezone: 'Australia/Lord_Howe' },
);
/** Within a week of the clock changes in spring 2026. */
const begins = fc.constantFrom('2026-03-07T12:00:00.000Z', '2026-03-28T12:00:00.000Z', '2026-04-04T06:00:00.000Z');
/** Minutes until the tick, and the time it is for, relative to then. */
const ticks = fc.array(fc.record({ waits: fc.integer({ min: 0, max: 2_000 }), offset: fc.integer({ min: -3_000, max: 0 }) }), {
  maxLength: 10,
});

test('tick decision: every due time is run or missed once, in order, and none is run more than an hour late', () =>
  fc.assert(
    fc.property(schedules, begins, ticks, ({ cron, timezone }, begin, received) => {
      const next = (moment: Date): Date => nextRun(cron, timezone, moment)!;
      const first = next(new Date(begin));
      let nowMs = Date.parse(begin);
      let nextRunAt = first.toISOString();
      const dealt: string[] = [];
      for (const { waits, offset } of received) {
        nowMs += waits * minuteMs;
        const [at, now] = [new Date(nowMs + offset * minuteMs), new Date(nowMs)];
        for (;;) {
          const decision = decideTick({ cron, timezone, nextRunAt, putOff: undefined }, { at, tries: 0 }, now);
          if (decision.kind === 'ignore') {
            ok(nextRunAt > now.toISOString(), 'a due run is not ignored');
            break;
          }
          const [from, to] = decision.kind === 'run' ? [decision.at, decision.at] : [decision.first, decision.last];
          if (decision.kind === 'run') ok(nowMs - decision.at.getTime() <= missedAfterSeconds * 1_000);
          for (let moment = from; moment <= to; moment = next(moment)) dealt.push(moment.toISOString());
          nextRunAt = decision.next!.toISOString();
        }
      }
      const wanted: string[] = [];
      for (let moment = first; moment.getTime() <= nowMs; moment = next(moment)) wanted.push(moment.toISOString());
      deepEqual(dealt, wanted);
    }),
    { numRuns: 25 },
  ));

test('tick decision: of two postponed messages the one postponed less often is ignored', () => {
  const putOff = { at: '2026-03-02T03:00:00.000Z', tries: 2, since: '2026-03-02T03:02:00.000Z', message: 'busy' };
  const schedule = { cron: '0 3 * * *', timezone: 'UTC', nextRunAt: putOff.at, putOff };
  const now = new Date('2026-03-02T03:03:00.000Z');
  const kinds = [0, 1, 2].map((tries) => decideTick(schedule, { at: new Date(putOff.at), tries }, now).kind);
  deepEqual(kinds, ['ignore', 'ignore', 'run']);
});
