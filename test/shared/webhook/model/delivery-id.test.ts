import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { isId } from '../../../../shared/contract/ids.ts';
import { newId, newIdOf } from '../../../../shared/platform/index.ts';
import { deliveryIdOf } from '../../../../shared/webhook/model/delivery-id.ts';

const webhookId = 'whk_01JWNVAV000000000000000000';

// Receivers tell duplicates apart by it: another way to work it out would be another delivery.
test('the id of an event for a webhook is what it has always been', () =>
  equal(deliveryIdOf('evt_01JWNVAV00000000000000000A', webhookId), 'dlv_01JWNVAV00CBCFSQCP2C0QXQ0E'));

test('every pair has an id of its own, of the right form', () => {
  const events = Array.from({ length: 1_000 }, () => newId('event', new Date(1_780_000_000_000)));
  const webhooks = Array.from({ length: 100 }, () => newId('webhook'));
  const ids = new Set(events.flatMap((event) => webhooks.map((webhook) => deliveryIdOf(event, webhook))));
  equal(ids.size, 100_000);
  deepEqual(
    [...ids].filter((id) => !isId('delivery', id)),
    [],
  );
});

test('deliveries sort by the time of their events', () => {
  const times = [1, 1_000, 1_780_000_000_000, 1_780_000_000_001, 2 ** 47].map((ms) => new Date(ms));
  const ids = times.map((time) => deliveryIdOf(newIdOf('event', time), webhookId));
  deepEqual([...ids].sort(), ids);
});
