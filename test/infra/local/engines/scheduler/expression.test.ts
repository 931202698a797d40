import assert from 'node:assert/strict';
import { test } from 'vitest';
import { parseExpression } from '../../../../../infra/local/engines/scheduler/expression.ts';

const ticks = (
  expression: string,
  { timezone, after, count = 3 }: { readonly timezone: string; readonly after: string; readonly count?: number | undefined },
): string[] => {
  const { next } = parseExpression(expression, timezone);
  const found: string[] = [];
  for (let from: Date | undefined = new Date(after); from && found.length < count; ) {
    from = next(from, new Date('2025-01-01T00:00:30Z'));
    if (from) found.push(from.toISOString().slice(0, 19));
  }
  return found;
};

test('schedule expression: at() is a local time of its time zone', () => {
  assert.deepEqual(ticks('at(2025-07-01T10:00:00)', { timezone: 'America/New_York', after: '2025-01-01T00:00:00Z', count: 1 }), [
    '2025-07-01T14:00:00',
  ]);
  assert.deepEqual(ticks('at(2025-01-01T10:00:00)', { timezone: 'UTC', after: '2030-01-01T00:00:00Z', count: 1 }), [
    '2025-01-01T10:00:00',
  ]);
});

test('schedule expression: rate() ticks from its origin on, including the origin', () => {
  assert.deepEqual(ticks('rate(1 hour)', { timezone: 'UTC', after: '2024-12-31T00:00:00Z', count: 2 }), [
    '2025-01-01T00:00:30',
    '2025-01-01T01:00:30',
  ]);
  assert.deepEqual(ticks('rate(5 minutes)', { timezone: 'UTC', after: '2025-01-01T00:05:30Z', count: 2 }), [
    '2025-01-01T00:10:30',
    '2025-01-01T00:15:30',
  ]);
  assert.deepEqual(ticks('rate(2 days)', { timezone: 'UTC', after: '2025-01-02T00:00:00Z', count: 1 }), ['2025-01-03T00:00:30']);
});

test('schedule expression: cron() counts weekdays from Sunday as 1 and supports years, steps, L, W and #', () => {
  const after = '2025-03-29T00:00:00Z';
  assert.deepEqual(ticks('cron(0 12 ? * 2 *)', { timezone: 'UTC', after, count: 1 }), ['2025-03-31T12:00:00']);
  assert.deepEqual(ticks('cron(0 12 ? * MON-FRI *)', { timezone: 'UTC', after, count: 2 }), [
    '2025-03-31T12:00:00',
    '2025-04-01T12:00:00',
  ]);
  assert.deepEqual(ticks('cron(0 12 1 1 ? 2026)', { timezone: 'UTC', after }), ['2026-01-01T12:00:00']);
  assert.deepEqual(ticks('cron(0/30 12 * * ? *)', { timezone: 'UTC', after, count: 2 }), [
    '2025-03-29T12:00:00',
    '2025-03-29T12:30:00',
  ]);
  assert.deepEqual(ticks('cron(0 12 L * ? *)', { timezone: 'UTC', after, count: 2 }), [
    '2025-03-31T12:00:00',
    '2025-04-30T12:00:00',
  ]);
  assert.deepEqual(ticks('cron(0 12 15W * ? *)', { timezone: 'UTC', after: '2025-06-01T00:00:00Z', count: 1 }), [
    '2025-06-16T12:00:00',
  ]);
  assert.deepEqual(ticks('cron(0 12 ? * FRI#1 *)', { timezone: 'UTC', after, count: 1 }), ['2025-04-04T12:00:00']);
});

// AWS's documentation: a skipped local time does not tick, a repeated one ticks once.
test('schedule expression: a time skipped by daylight saving does not tick, a repeated one ticks once', () => {
  const nightly = 'cron(30 2 * * ? *)';
  assert.deepEqual(ticks(nightly, { timezone: 'Europe/Berlin', after: '2025-03-29T02:00:00Z', count: 2 }), [
    '2025-03-31T00:30:00',
    '2025-04-01T00:30:00',
  ]);
  assert.deepEqual(ticks(nightly, { timezone: 'Europe/Berlin', after: '2025-10-25T02:00:00Z', count: 2 }), [
    '2025-10-26T00:30:00',
    '2025-10-27T01:30:00',
  ]);
});

for (const bad of [
  'at(2025-13-29T10:00:00)',
  'at(tomorrow)',
  'rate(0 minutes)',
  'rate(5 weeks)',
  'rate(1.5 hours)',
  'cron(* * * * * *)',
  'cron(0 12 ? * ? *)',
  'cron(99 * * * ? *)',
  'cron(0 12 * * ?)',
  '@daily',
  '',
])
  test(`schedule expression: ${bad || 'the empty text'} is rejected`, () => {
    assert.throws(() => parseExpression(bad, 'UTC'), { name: 'ValidationException' });
  });

test('schedule expression: an unknown time zone is rejected', () => {
  assert.throws(() => parseExpression('rate(1 hour)', 'Mars/Olympus'), { name: 'ValidationException' });
});
