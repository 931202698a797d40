import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { ApiError } from '../../../../shared/contract/errors.ts';
import { eventNames, simpleEventNames } from '../../../../shared/contract/events/event-names.ts';
import { allowedEvents, checkEvents, subscribes } from '../../../../shared/webhook/model/subscription.ts';

test('allowedEvents: the standard format has 40 events, the simple format nine', () => {
  assert.equal(allowedEvents('standard').length, 40);
  assert.equal(new Set(eventNames).size, 40);
  assert.deepEqual(
    allowedEvents('simple'),
    ['backup.started', 'backup.completed', 'backup.failed']
      .concat(['restore.started', 'restore.completed', 'restore.failed'])
      .concat(['schedule.created', 'schedule.updated', 'schedule.deleted']),
  );
});

describe('subscribes', () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['*', 'backup.started', true],
    ['*', 'invitation.accepted', true],
    ['backup.started', 'backup.started', true],
    ['backup.started', 'backup.failed', false],
    ['backup.*', 'backup.started', true],
    ['backup.*', 'backup.progress', true],
    ['backup.*', 'restore.started', false],
    ['backup.*', 'backup', false],
    ['backup.*', 'backups.x', false],
    ['back.*', 'backup.started', false],
    ['backup.', 'backup.started', false],
    ['backup', 'backup.started', false],
    ['backup.st*', 'backup.started', false],
    ['*.started', 'backup.started', false],
    ['.*', 'backup.started', false],
    ['**', 'backup.started', false],
    ['', 'backup.started', false],
    ['BACKUP.*', 'backup.started', false],
    ['member.*', 'member.role_changed', true],
    ['pitr.change_captured', 'pitr.change_captured', true],
  ];
  for (const [subscription, name, isWanted] of cases)
    test(`${JSON.stringify(subscription)} ${isWanted ? 'matches' : 'does not match'} ${name}`, () =>
      assert.equal(subscribes(subscription, name as (typeof eventNames)[number]), isWanted));
});

describe('checkEvents', () => {
  const refusal = (given: readonly string[], format: 'standard' | 'simple') => {
    try {
      return checkEvents(given, format);
    } catch (error) {
      assert.ok(error instanceof ApiError && error.code === 'VALIDATION_ERROR');
      return error.details;
    }
  };
  const wrong = (given: readonly string[], format: 'standard' | 'simple') =>
    (refusal(given, format) as { invalidValues?: unknown }).invalidValues;

  test('names and patterns keep their order, without duplicates', () =>
    assert.deepEqual(checkEvents(['restore.*', '*', 'backup.failed', 'restore.*', 'backup.failed'], 'standard'), [
      'restore.*',
      '*',
      'backup.failed',
    ]));

  test('every event name of a format and its prefix pattern are accepted', () => {
    for (const format of ['standard', 'simple'] as const) {
      const names = allowedEvents(format).flatMap((name) => [name, `${name.split('.')[0]}.*`]);
      assert.deepEqual(checkEvents(names, format), [...new Set(names)]);
    }
  });

  test('values that match no event are refused; the error lists the invalid and the allowed values', () => {
    assert.deepEqual(refusal(['*', 'x', 'backup.done', 'backup.*', 'storage.gone'], 'standard'), {
      field: 'events',
      reason: 'must be event names of the format, a prefix such as backup.*, or *',
      invalidValues: ['x', 'backup.done', 'storage.gone'],
      allowedValues: eventNames,
    });
    assert.deepEqual(wrong(['foo.*', 'backup', '', '*.failed', '__proto__', 'constructor.*'], 'standard'), [
      'foo.*',
      'backup',
      '',
      '*.failed',
      '__proto__',
      'constructor.*',
    ]);
  });

  test('the simple format refuses names and prefixes that only the standard format has', () => {
    const standardOnly = eventNames.filter((name) => !(simpleEventNames as readonly string[]).includes(name));
    for (const name of [...standardOnly, 'pitr.*', 'member.*']) assert.deepEqual(wrong([name], 'simple'), [name]);
    assert.deepEqual((refusal(['backup.progress'], 'simple') as { allowedValues?: unknown }).allowedValues, simpleEventNames);
  });

  test('an empty list is refused, and an error lists at most 20 invalid values', () => {
    assert.deepEqual(wrong([], 'standard'), []);
    const many = Array.from({ length: 10_000 }, (_, n) => `x${n}`);
    assert.deepEqual(wrong(many, 'standard'), many.slice(0, 20));
  });
});
