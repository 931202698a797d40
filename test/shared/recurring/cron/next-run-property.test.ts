/** Compares due times with a walk over every minute that knows only the local time of each. */
import { deepEqual, equal, ok } from 'node:assert/strict';
import fc from 'fast-check';
import { test } from 'vitest';
import { nextRun, previousRun, schedulerExpressions } from '../../../../shared/recurring/cron/next-run.ts';

/** Due at a moment if that is the next run after the millisecond before. */
const isDue = (cron: string, timezone: string, at: Date): boolean =>
  nextRun(cron, timezone, new Date(at.getTime() - 1))?.getTime() === at.getTime();

interface Wall {
  readonly minute: number;
  readonly hour: number;
  readonly day: number;
  readonly month: number;
  readonly weekday: number;
  /** As a number that grows by one a minute, except at clock changes. */
  readonly label: number;
}

const minuteMs = 60_000;

const labelled = (label: number): Wall => {
  const date = new Date(label * minuteMs);
  return {
    ...{ minute: date.getUTCMinutes(), hour: date.getUTCHours(), day: date.getUTCDate(), month: date.getUTCMonth() + 1 },
    ...{ weekday: date.getUTCDay(), label },
  };
};

/** Days around a clock change, with the local time of each minute. */
interface Window {
  readonly zone: string;
  readonly start: number;
  readonly walls: readonly Wall[];
}

const days = 4;

const windowOf = (zone: string, from: string): Window => {
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: zone, hourCycle: 'h23', year: 'numeric', month: 'numeric', day: 'numeric' },
    ...{ hour: 'numeric', minute: 'numeric' },
  });
  const start = Date.parse(`${from}T00:00:00Z`);
  const walls = Array.from({ length: days * 1_440 }, (_, n) => {
    const parts = format.formatToParts(start + n * minuteMs);
    const part = (type: string) => Number(parts.find((one) => one.type === type)!.value);
    return labelled(Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute')) / minuteMs);
  });
  return { zone, start, walls };
};

const windows = [
  windowOf('Europe/Berlin', '2026-03-27'),
  windowOf('Europe/Berlin', '2026-10-23'),
  windowOf('America/New_York', '2026-03-06'),
  windowOf('America/New_York', '2026-10-30'),
  windowOf('Australia/Lord_Howe', '2026-10-01'),
  windowOf('Australia/Lord_Howe', '2026-04-02'),
  windowOf('Asia/Kathmandu', '2028-02-27'),
  windowOf('UTC', '2026-12-30'),
];

/** A field as text with its values; for day fields also whether it begins with a star. */
interface Field {
  readonly text: string;
  readonly values: ReadonlySet<number>;
  readonly isOpen: boolean;
}

const between = (low: number, high: number, by = 1): number[] =>
  Array.from({ length: Math.floor((high - low) / by) + 1 }, (_, n) => low + n * by);

const partOf = (min: number, max: number): fc.Arbitrary<{ text: string; values: number[] }> =>
  fc.oneof(
    fc.integer({ min, max }).map((value) => ({ text: String(value), values: [value] })),
    fc
      .tuple(fc.integer({ min, max }), fc.integer({ min, max }), fc.integer({ min: 1, max: max - min + 1 }), fc.boolean())
      .map(([one, other, by, isStepped]) => {
        const [low, high] = [Math.min(one, other), Math.max(one, other)];
        return isStepped
          ? { text: `${low}-${high}/${by}`, values: between(low, high, by) }
          : { text: `${low}-${high}`, values: between(low, high) };
      }),
  );

const fieldOf = (min: number, max: number): fc.Arbitrary<Field> =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant({ text: '*', values: new Set(between(min, max)), isOpen: true }) },
    {
      weight: 1,
      arbitrary: fc
        .integer({ min: 1, max: max - min + 1 })
        .map((by) => ({ text: `*/${by}`, values: new Set(between(min, max, by)), isOpen: true })),
    },
    {
      weight: 3,
      arbitrary: fc.array(partOf(min, max), { minLength: 1, maxLength: 3 }).map((parts) => ({
        text: parts.map(({ text }) => text).join(),
        values: new Set(parts.flatMap(({ values }) => values)),
        isOpen: false,
      })),
    },
  );

/** At least five minutes apart, also from one hour to the next. */
const minutes: fc.Arbitrary<Field> = fc.oneof(
  fc.integer({ min: 0, max: 59 }).map((value) => ({ text: String(value), values: new Set([value]), isOpen: false })),
  fc.constantFrom(5, 6, 10, 15, 20, 30).map((by) => ({ text: `*/${by}`, values: new Set(between(0, 59, by)), isOpen: true })),
  fc.integer({ min: 0, max: 28 }).map((first) => ({
    ...{ text: `${first},${first + 31}`, values: new Set([first, first + 31]), isOpen: false },
  })),
);

const often = (field: fc.Arbitrary<Field>, text: string, all: readonly number[]): fc.Arbitrary<Field> =>
  fc.oneof({ weight: 2, arbitrary: fc.constant({ text, values: new Set(all), isOpen: true }) }, { weight: 1, arbitrary: field });
const patterns = fc.record({
  minute: minutes,
  hour: fieldOf(0, 23),
  day: often(fieldOf(1, 31), '*', between(1, 31)),
  month: often(fieldOf(1, 12), '*', between(1, 12)),
  weekday: often(fieldOf(0, 6), '*', between(0, 6)),
});
type Fields = typeof patterns extends fc.Arbitrary<infer T> ? T : never;

const textOf = ({ minute, hour, day, month, weekday }: Fields): string =>
  [minute, hour, day, month, weekday].map(({ text }) => text).join(' ');

const names = (fields: Fields, wall: Wall): boolean => {
  const byDate = fields.day.values.has(wall.day);
  const byWeek = fields.weekday.values.has(wall.weekday);
  const isDay = fields.day.isOpen || fields.weekday.isOpen ? byDate && byWeek : byDate || byWeek;
  const { minute, hour, month } = fields;
  return minute.values.has(wall.minute) && hour.values.has(wall.hour) && month.values.has(wall.month) && isDay;
};

/** First occurrences of local times, and skipped ones after as many minutes as they would have taken. */
const dueIn = (fields: Fields, { start, walls }: Window): number[] => {
  const shown = new Set<number>();
  const due = new Set<number>();
  const isEveryHour = fields.hour.values.size === 24;
  walls.forEach((wall, n) => {
    const before = walls[n - 1];
    for (let label = (before?.label ?? wall.label) + 1; label < wall.label; label++)
      if (names(fields, labelled(label))) due.add(start + (n - 1 + label - before!.label) * minuteMs);
    if (names(fields, wall) && (isEveryHour || !shown.has(wall.label))) due.add(start + n * minuteMs);
    shown.add(wall.label);
  });
  return [...due].sort((one, other) => one - other);
};

const places = fc.record({ fields: patterns, window: fc.constantFrom(...windows) });
const hourMs = 60 * minuteMs;
const length = days * 24 * hourMs;

/** A day that does not exist: refused, which another test covers. */
const isEver = ({ day, month, weekday }: Fields): boolean =>
  (!day.isOpen && !weekday.isOpen) ||
  [...month.values].some((one) => Math.min(...day.values) <= new Date(Date.UTC(2028, one, 0)).getUTCDate());

test('cron property: the next and previous run equal those of a walk over every minute', () => {
  // Clocks change on the third day.
  const offset = fc.oneof(fc.integer({ min: 0, max: length - 1 }), fc.integer({ min: 48 * hourMs, max: 66 * hourMs }));
  const moments = fc.array(offset, { minLength: 4, maxLength: 8 });
  fc.assert(
    fc.property(places, moments, ({ fields, window: { zone, start }, window }, offsets) => {
      fc.pre(isEver(fields));
      const cron = textOf(fields);
      const due = dueIn(fields, window);
      for (const offset of offsets) {
        const at = new Date(start + offset);
        const [next, previous] = [nextRun(cron, zone, at), previousRun(cron, zone, at)];
        const wanted = { next: due.find((one) => one > at.getTime()), previous: due.findLast((one) => one < at.getTime()) };
        // The walk covers only the window.
        if (wanted.next === undefined) ok(!next || next.getTime() >= start + length, `${cron} ${zone} ${next?.toISOString()}`);
        else equal(next?.getTime(), wanted.next, `after ${at.toISOString()}: ${cron} ${zone}`);
        if (wanted.previous === undefined)
          ok(!previous || previous.getTime() < start, `${cron} ${zone} ${previous?.toISOString()}`);
        else equal(previous?.getTime(), wanted.previous, `before ${at.toISOString()}: ${cron} ${zone}`);
      }
    }),
    { numRuns: 250 },
  );
});

test('cron property: each run is later than the previous one, is due, and precedes the next', () => {
  fc.assert(
    fc.property(places, fc.integer({ min: 0, max: length }), ({ fields, window: { zone, start } }, offset) => {
      fc.pre(isEver(fields));
      const cron = textOf(fields);
      let at = new Date(start + offset);
      for (let run = 0; run < 5; run++) {
        const next = nextRun(cron, zone, at)!;
        ok(next > at, `${cron} ${zone} ${at.toISOString()}`);
        ok(isDue(cron, zone, next), `${cron} ${zone} ${next.toISOString()}`);
        if (run > 0) deepEqual(previousRun(cron, zone, next), at);
        at = next;
      }
    }),
    { numRuns: 100 },
  );
});

/** Expressions as EventBridge reads them: lists, a star, and a question mark for the day that does not count. */
const tells = (entry: string, wall: Wall): boolean => {
  const [minute, hour, day, month, weekday, year] = /^cron\((.*)\)$/.exec(entry)![1]!.split(' ');
  equal([day, weekday].filter((field) => field === '?').length, 1, entry);
  equal(year, '*');
  const has = (field: string | undefined, value: number) =>
    field === '*' || field === '?' || field!.split(',').includes(`${value}`);
  return (
    has(minute, wall.minute) &&
    has(hour, wall.hour) &&
    has(month, wall.month) &&
    has(day, wall.day) &&
    has(weekday, wall.weekday + 1)
  );
};

test('cron property: Scheduler entries fire at every due time, and at no other where expressions allow it', () => {
  fc.assert(
    fc.property(places, ({ fields, window: { walls } }) => {
      fc.pre(isEver(fields));
      const entries = schedulerExpressions(textOf(fields));
      const isExact =
        !(fields.day.isOpen || fields.weekday.isOpen) || fields.day.values.size === 31 || fields.weekday.values.size === 7;
      for (const wall of walls) {
        const isTold = entries.some((entry) => tells(entry, wall));
        if (names(fields, wall)) ok(isTold, `${textOf(fields)} → ${entries} at ${JSON.stringify(wall)}`);
        else if (isExact) equal(isTold, false, `${textOf(fields)} → ${entries} at ${JSON.stringify(wall)}`);
      }
    }),
    { numRuns: 25 },
  );
});
