/** Which cron expressions are valid, and when they are due across clock changes. */
import { deepEqual, equal, ok, throws } from 'node:assert/strict';
import { describe, test } from 'vitest';
import { ApiError } from '../../../../shared/contract/errors.ts';
import { nextRun, previousRun, schedulerExpressions } from '../../../../shared/recurring/cron/next-run.ts';
import { parseCron } from '../../../../shared/recurring/cron/parse-cron.ts';

/** Due at a moment if that is the next run after the millisecond before. */
const isDue = (cron: string, timezone: string, at: Date): boolean =>
  nextRun(cron, timezone, new Date(at.getTime() - 1))?.getTime() === at.getTime();

const runs = (
  cron: string,
  { timezone, after, count }: { readonly timezone: string; readonly after: string; readonly count: number },
): string[] => {
  const found: string[] = [];
  for (let at = new Date(after); found.length < count; ) {
    at = nextRun(cron, timezone, at)!;
    found.push(at.toISOString().slice(0, 16));
  }
  return found;
};

const runsBack = (
  cron: string,
  { timezone, before, count }: { readonly timezone: string; readonly before: string; readonly count: number },
): string[] => {
  const found: string[] = [];
  for (let at = new Date(before); found.length < count; ) {
    at = previousRun(cron, timezone, at)!;
    found.unshift(at.toISOString().slice(0, 16));
  }
  return found;
};

interface Row {
  readonly what: string;
  readonly zone: string;
  readonly cron: string;
  /** Every due time between the first and the last, in UTC. */
  readonly due: readonly string[];
}

const rows: readonly Row[] = [
  {
    what: 'a skipped 02:30 is due once, at 03:30',
    zone: 'Europe/Berlin',
    cron: '30 2 * * *',
    due: ['2026-03-27T01:30', '2026-03-28T01:30', '2026-03-29T01:30', '2026-03-30T00:30', '2026-03-31T00:30'],
  },
  {
    what: 'a skipped 02:00 is due at the clock change',
    zone: 'Europe/Berlin',
    cron: '0 2 * * *',
    due: ['2026-03-28T01:00', '2026-03-29T01:00', '2026-03-30T00:00'],
  },
  {
    what: 'a skipped time that moves to another due time is one run',
    zone: 'Europe/Berlin',
    cron: '30 2,3 * * *',
    due: ['2026-03-28T01:30', '2026-03-28T02:30', '2026-03-29T01:30', '2026-03-30T00:30', '2026-03-30T01:30'],
  },
  {
    what: 'a repeated 02:30 is due at its first occurrence only',
    zone: 'Europe/Berlin',
    cron: '30 2 * * *',
    due: ['2026-10-23T00:30', '2026-10-24T00:30', '2026-10-25T00:30', '2026-10-26T01:30', '2026-10-27T01:30'],
  },
  {
    what: 'hourly runs include the repeated hour',
    zone: 'Europe/Berlin',
    cron: '0 * * * *',
    due: ['2026-10-24T22:00', '2026-10-24T23:00', '2026-10-25T00:00', '2026-10-25T01:00', '2026-10-25T02:00', '2026-10-25T03:00'],
  },
  {
    what: 'hourly runs are an hour apart across a skipped hour',
    zone: 'Europe/Berlin',
    cron: '15 * * * *',
    due: ['2026-03-28T23:15', '2026-03-29T00:15', '2026-03-29T01:15', '2026-03-29T02:15'],
  },
  {
    what: 'midnight is not affected by a clock change at 02:00',
    zone: 'Europe/Berlin',
    cron: '@daily',
    due: ['2026-03-27T23:00', '2026-03-28T23:00', '2026-03-29T22:00', '2026-03-30T22:00'],
  },
  {
    what: '02:30 is skipped on the second Sunday of March and due at 03:30',
    zone: 'America/New_York',
    cron: '30 2 * * *',
    due: ['2026-03-07T07:30', '2026-03-08T07:30', '2026-03-09T06:30'],
  },
  {
    what: '01:30 is repeated on the first Sunday of November and due once',
    zone: 'America/New_York',
    cron: '30 1 * * *',
    due: ['2026-10-31T05:30', '2026-11-01T05:30', '2026-11-02T06:30'],
  },
  {
    what: 'half-hourly runs continue through the repeated hour',
    zone: 'America/New_York',
    cron: '*/30 * * * *',
    due: ['2026-11-01T04:30', '2026-11-01T05:00', '2026-11-01T05:30', '2026-11-01T06:00', '2026-11-01T06:30', '2026-11-01T07:00'],
  },
  {
    what: 'a run on working days keeps its local time',
    zone: 'America/New_York',
    cron: '0 18 * * mon-fri',
    due: ['2026-03-05T23:00', '2026-03-06T23:00', '2026-03-09T22:00', '2026-03-10T22:00'],
  },
  {
    what: 'if clocks go forward by half an hour, 02:15 is due at 02:45',
    zone: 'Australia/Lord_Howe',
    cron: '15 2 * * *',
    due: ['2026-10-02T15:45', '2026-10-03T15:45', '2026-10-04T15:15', '2026-10-05T15:15'],
  },
  {
    what: 'if clocks go forward by half an hour, 02:30 exists and is due at the change',
    zone: 'Australia/Lord_Howe',
    cron: '30 2 * * *',
    due: ['2026-10-02T16:00', '2026-10-03T15:30', '2026-10-04T15:30'],
  },
  {
    what: 'if clocks go back by half an hour, 01:45 is due at its first occurrence only',
    zone: 'Australia/Lord_Howe',
    cron: '45 1 * * *',
    due: ['2026-04-03T14:45', '2026-04-04T14:45', '2026-04-05T15:15'],
  },
  {
    what: 'if clocks go back by half an hour, an hourly run at :45 is due at both occurrences',
    zone: 'Australia/Lord_Howe',
    cron: '45 * * * *',
    due: ['2026-04-04T13:45', '2026-04-04T14:45', '2026-04-04T15:15', '2026-04-04T16:15'],
  },
  {
    what: 'if clocks go back by half an hour, 01:15 and 02:15 are due once each',
    zone: 'Australia/Lord_Howe',
    cron: '15 1,2 * * *',
    due: ['2026-04-03T14:15', '2026-04-03T15:15', '2026-04-04T14:15', '2026-04-04T15:45', '2026-04-05T14:45', '2026-04-05T15:45'],
  },
];

describe('cron: clock changes', () => {
  for (const { what, zone, cron, due } of rows)
    test(`${zone}: ${what}`, () => {
      const before = new Date(Date.parse(`${due[0]}Z`) - 1).toISOString();
      const after = new Date(Date.parse(`${due.at(-1)}Z`) + 1).toISOString();
      deepEqual(runs(cron, { timezone: zone, after: before, count: due.length }), due);
      deepEqual(runsBack(cron, { timezone: zone, before: after, count: due.length }), due);
      for (const at of due) ok(isDue(cron, zone, new Date(`${at}Z`)), at);
    });

  test('the second occurrence of a local time is not due, nor is the UTC time of a skipped one', () => {
    equal(isDue('30 2 * * *', 'Europe/Berlin', new Date('2026-10-25T01:30:00Z')), false);
    equal(isDue('30 2 * * *', 'Europe/Berlin', new Date('2026-03-29T00:30:00Z')), false);
    equal(isDue('45 1 * * *', 'Australia/Lord_Howe', new Date('2026-04-04T15:15:00Z')), false);
  });
});

test('cron: a moment that is off by a second is not due', () => {
  ok(isDue('0 3 * * *', 'UTC', new Date('2026-01-01T03:00:00Z')));
  for (const at of ['2026-01-01T03:00:01Z', '2026-01-01T02:59:59.999Z', '2026-01-01T03:00:00.001Z'])
    equal(isDue('0 3 * * *', 'UTC', new Date(at)), false, at);
});

test('cron: within the due minute the next run is later and the previous one is not', () => {
  const at = new Date('2026-01-01T03:00:00.500Z');
  deepEqual(nextRun('0 3 * * *', 'UTC', at), new Date('2026-01-02T03:00:00Z'));
  deepEqual(previousRun('0 3 * * *', 'UTC', at), new Date('2026-01-01T03:00:00Z'));
});

describe('cron: valid expressions', () => {
  const january = '2026-01-01T00:00:00Z';
  for (const [cron, due] of [
    ['@hourly', ['2026-01-01T01:00', '2026-01-01T02:00']],
    ['@daily', ['2026-01-02T00:00', '2026-01-03T00:00']],
    ['@midnight', ['2026-01-02T00:00', '2026-01-03T00:00']],
    ['@weekly', ['2026-01-04T00:00', '2026-01-11T00:00']],
    ['@monthly', ['2026-02-01T00:00', '2026-03-01T00:00']],
    ['@yearly', ['2027-01-01T00:00', '2028-01-01T00:00']],
    ['@annually', ['2027-01-01T00:00', '2028-01-01T00:00']],
    ['*/5 * * * *', ['2026-01-01T00:05', '2026-01-01T00:10']],
    ['0 0 29 2 *', ['2028-02-29T00:00', '2032-02-29T00:00']],
    // February has no 31st, and no day of March replaces it.
    ['0 0 1,31 2,3 *', ['2026-02-01T00:00', '2026-03-01T00:00', '2026-03-31T00:00']],
    ['0 0 31 * *', ['2026-01-31T00:00', '2026-03-31T00:00']],
    ['0 6-18/6 * * *', ['2026-01-01T06:00', '2026-01-01T12:00', '2026-01-01T18:00', '2026-01-02T06:00']],
    ['0 0 * JAN,dec *', ['2026-01-02T00:00']],
    ['0 0 1 jan-mar *', ['2026-02-01T00:00', '2026-03-01T00:00', '2027-01-01T00:00']],
    ['0 0 * * 7', ['2026-01-04T00:00', '2026-01-11T00:00']],
    ['0 0 * * 0', ['2026-01-04T00:00', '2026-01-11T00:00']],
    ['0 0 * * Sun', ['2026-01-04T00:00', '2026-01-11T00:00']],
    ['0 0 * * fri-sun', ['2026-01-02T00:00', '2026-01-03T00:00', '2026-01-04T00:00', '2026-01-09T00:00']],
    ['0 0 * * 5-7', ['2026-01-02T00:00', '2026-01-03T00:00', '2026-01-04T00:00', '2026-01-09T00:00']],
    ['05 08 * * *', ['2026-01-01T08:05']],
    // Either day is enough if both fields are restricted.
    ['0 0 13 * fri', ['2026-01-02T00:00', '2026-01-09T00:00', '2026-01-13T00:00', '2026-01-16T00:00']],
    // A field that begins with a star counts as unrestricted: odd days that are Mondays.
    ['0 0 */2 * mon', ['2026-01-05T00:00', '2026-01-19T00:00', '2026-02-09T00:00']],
    ['0 0 1 * */2', ['2026-02-01T00:00', '2026-03-01T00:00', '2026-08-01T00:00']],
  ] as const)
    test(cron, () => deepEqual(runs(cron, { timezone: 'UTC', after: january, count: due.length }), due));

  test('fields may be separated by any spaces and tabs', () => {
    deepEqual(runs(' 0\t3   * * *', { timezone: 'UTC', after: january, count: 1 }), ['2026-01-01T03:00']);
  });
});

describe('cron: invalid expressions are refused with a reason', () => {
  for (const [cron, reason] of [
    ['', /five fields/],
    ['* * * *', /five fields/],
    ['* * * * * *', /five fields/],
    ['0 0 3 * * *', /five fields/],
    ['0 0 * * * 2026', /five fields/],
    ['@reboot', /@daily/],
    ['@every 5m', /@daily/],
    ['@', /@daily/],
    ['99 * * * *', /minute must be from 0 to 59, not 99/],
    ['60 * * * *', /minute/],
    ['0 24 * * *', /hour must be from 0 to 23/],
    ['0 0 0 * *', /day of month must be from 1 to 31/],
    ['0 0 32 * *', /day of month/],
    ['0 0 * 0 *', /month must be from 1 to 12/],
    ['0 0 * 13 *', /month/],
    ['0 0 * * 8', /day of week must be from 0 to 7/],
    ['0 0 L * *', /day of month allows/],
    ['0 0 15W * *', /day of month allows/],
    ['0 0 ? * *', /day of month allows/],
    ['0 0 * * 1#2', /day of week allows/],
    ['0 0 * * 5L', /day of week allows/],
    ['0 0 * * monday', /day of week allows/],
    ['0 0 mon * *', /day of month allows/],
    ['H 3 * * *', /minute allows/],
    ['0~30 3 * * *', /minute allows/],
    ['-5 * * * *', /minute allows/],
    ['5- * * * *', /minute allows/],
    ['1,,2 * * * *', /minute allows/],
    [', * * * *', /minute allows/],
    ['1.5 * * * *', /minute allows/],
    ['+5 * * * *', /minute allows/],
    ['0x5 * * * *', /minute allows/],
    ['000 * * * *', /minute allows/],
    ['5-10-15 * * * *', /minute allows/],
    ['*/5/2 * * * *', /minute allows/],
    ['*-5 * * * *', /minute allows/],
    ['** * * * *', /minute allows/],
    ['٣ * * * *', /minute allows/],
    ['*/ * * * *', /minute allows/],
    ['*/x * * * *', /minute allows/],
    ['5/10 * * * *', /step only after \* or a range/],
    ['*/0 * * * *', /steps from 1 to 60/],
    ['*/61 * * * *', /steps from 1 to 60/],
    ['0 */25 * * *', /steps from 1 to 24/],
    ['50-10 * * * *', /ends before it begins/],
    ['0 0 * * sat-mon', /ends before it begins/],
    ['0 0 30 2 *', /does not exist/],
    ['0 0 31 2,4,6,9,11 *', /does not exist/],
    ['0 0 30 feb */2', /does not exist/],
    ['* * * * *', /at least 5 minutes between runs, not 1/],
    ['*/4 * * * *', /at least 5 minutes between runs, not 4/],
    ['*/7 * * * *', /not 4/],
    ['0,3 * * * *', /not 3/],
    ['59,0 * * * *', /not 1/],
    ['1-10/3 3 * * *', /not 3/],
    ['0,57 * * * *', /not 3/],
    // Across midnight.
    ['0,58 0,23 * * *', /not 2/],
    ['0,58 0,23 1,2 * *', /not 2/],
    ['0,58 0,23 1 * mon', /not 2/],
  ] as const)
    test(JSON.stringify(cron), () =>
      throws(
        () => parseCron(cron),
        (error) => error instanceof ApiError && error.details?.field === 'cron' && reason.test(String(error.details.reason)),
      ),
    );

  test('runs around midnight are far enough apart if no two consecutive days match', () => {
    for (const cron of ['0,58 0,23 1 * *', '0,58 0,23 * * mon', '0,58 0,22 * * *', '0,55 * * * *', '*/5 * * * *'])
      parseCron(cron);
  });

  test('any text is parsed or refused quickly', () => {
    for (const cron of ['1'.repeat(200), '*'.repeat(200), '*/5,'.repeat(50), '1-1,'.repeat(49), '@'.repeat(200), ' '.repeat(200)])
      throws(() => parseCron(`${cron} * * * *`), ApiError);
  });
});

describe('cron: Scheduler entries', () => {
  for (const [cron, entries] of [
    ['@daily', ['cron(0 0 * * ? *)']],
    ['*/5 * * * *', ['cron(0,5,10,15,20,25,30,35,40,45,50,55 * * * ? *)']],
    ['0 3 * * sun', ['cron(0 3 ? * 1 *)']],
    ['0 3 * * fri-sun', ['cron(0 3 ? * 1,6,7 *)']],
    ['0 3 1,15 * *', ['cron(0 3 1,15 * ? *)']],
    ['0 3 13 * fri', ['cron(0 3 13 * ? *)', 'cron(0 3 ? * 6 *)']],
    ['0 3 */2 * mon', ['cron(0 3 ? * 2 *)']],
    ['0 3 13 jan-mar */2', ['cron(0 3 ? 1,2,3 1,3,5,7 *)']],
  ] as const)
    test(cron, () => deepEqual(schedulerExpressions(cron), entries));

  test('the longest expression fits the limit of Scheduler', () => {
    const [longest = ''] = schedulerExpressions('1-56/5 1-23 2-31 2-12 *');
    ok(longest.length <= 256, `${longest.length}`);
  });
});
