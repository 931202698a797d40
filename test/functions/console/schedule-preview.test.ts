/** What the console shows of a schedule before it is saved: the same rules as the service's. */
import { deepEqual, equal, match } from 'node:assert/strict';
import { test } from 'vitest';
import { type CronChoice, choiceOf, cronOf, describeCron } from '../../../functions/console/app/forms/cron/cron-choice.ts';
import { upcomingRuns } from '../../../functions/console/app/forms/cron/upcoming-runs.ts';
import { simulateRetention } from '../../../functions/console/app/pages/schedules/preview/simulate-retention.ts';

const now = new Date('2026-11-16T09:00:00Z');
const iso = (dates: readonly Date[]): readonly string[] => dates.map((date) => date.toISOString());

for (const [choice, cron, words] of [
  [{ kind: 'hourly', every: 1, minute: 5 }, '5 * * * *', 'Every hour at :05'],
  [{ kind: 'hourly', every: 6, minute: 15 }, '15 */6 * * *', 'Every 6 hours at :15'],
  [{ kind: 'daily', time: '02:30' }, '30 2 * * *', 'Every day at 02:30'],
  [{ kind: 'weekly', time: '04:00', weekdays: [0, 6] }, '0 4 * * 0,6', 'Every Saturday and Sunday at 04:00'],
  [{ kind: 'monthly', time: '23:59', day: 28 }, '59 23 28 * *', 'Every month on day 28 at 23:59'],
  [{ kind: 'custom', cron: '0 3 1-7 * mon' }, '0 3 1-7 * mon', '0 3 1-7 * mon'],
] as const satisfies readonly (readonly [CronChoice, string, string])[])
  test(`cron builder: ${choice.kind} becomes ${cron}, and back`, () => {
    equal(cronOf(choice), cron);
    deepEqual(choiceOf(cron), choice);
    equal(describeCron(cron), words);
    equal(upcomingRuns(cron, { timezone: 'UTC', after: now, count: 5 }).runs.length, 5);
  });

test('cron builder: expressions that it cannot draw stay as they are', () => {
  for (const cron of [
    '@daily',
    '*/30 * * * *',
    '0 0 29 * *',
    '0 */5 * * *',
    '0 2 * 1 *',
    '0 2 1 * 1',
    '0 2 * * mon',
    '0 2 * * 7',
  ])
    deepEqual(choiceOf(cron), { kind: 'custom', cron });
});

test('next runs: in the chosen zone, with daylight saving as the service has it', () => {
  const { runs } = upcomingRuns('30 2 * * *', { timezone: 'Europe/Berlin', after: new Date('2026-03-27T12:00:00Z'), count: 3 });
  // On 29 March clocks skip 02:30; the run is due as if they had not changed.
  deepEqual(iso(runs), ['2026-03-28T01:30:00.000Z', '2026-03-29T01:30:00.000Z', '2026-03-30T00:30:00.000Z']);
});

test('next runs: an expression that the service refuses shows its reason', () => {
  match(
    upcomingRuns('* * * * *', { timezone: 'UTC', after: now, count: 5 }).problem ?? '',
    /^Must leave at least 5 minutes between runs/,
  );
  match(upcomingRuns('0 0 30 2 *', { timezone: 'UTC', after: now, count: 5 }).problem ?? '', /^Names a day that does not exist/);
  match(upcomingRuns('daily', { timezone: 'UTC', after: now, count: 5 }).problem ?? '', /^Must have five fields/);
  equal(upcomingRuns('0  3\t* * *', { timezone: 'UTC', after: now, count: 1 }).problem, undefined);
});

const dayOf = (date: number): string => new Date(date).toISOString().slice(0, 10);
const nightly = { cron: '30 2 * * *', timezone: 'Europe/Berlin' };

test('retention calendar: a policy keeps the last of each day, week, month and year', () => {
  const policy = { daily: 3, weekly: 2, monthly: 2, yearly: 2 };
  const days = simulateRetention(nightly, { kind: 'policy', policy }, { now, days: 800 });
  deepEqual(
    days.filter(({ isKept }) => isKept).map(({ date, reasons }) => [dayOf(date), reasons.join(' ')]),
    [
      ['2026-11-16', 'daily weekly monthly yearly'],
      ['2026-11-15', 'daily weekly'],
      ['2026-11-14', 'daily'],
      ['2026-10-31', 'monthly'],
      ['2025-12-31', 'yearly'],
    ],
  );
});

test('retention calendar: days and forever', () => {
  const kept = (retention: Parameters<typeof simulateRetention>[1]) =>
    simulateRetention(nightly, retention, { now, days: 30 }).filter(({ isKept }) => isKept).length;
  equal(kept({ kind: 'days', days: 5 }), 5);
  equal(kept({ kind: 'forever' }), 30);
});

test('retention calendar: of a day with many runs only the last counts', () => {
  const policy = { daily: 7, weekly: 4, monthly: 12, yearly: 2 };
  const often = { cron: '*/5 * * * *', timezone: 'America/New_York' };
  const days = simulateRetention(often, { kind: 'policy', policy }, { now, days: 400 });
  equal(days.length, 401);
  equal(new Set(days.map(({ date }) => date)).size, 401);
});
