import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { isId } from '../../../../shared/contract/ids.ts';
import { newId, newIdOf } from '../../../../shared/platform/index.ts';
import { deliveryIdOf } from '../../../../shared/webhook/model/delivery-id.ts';

const webhookId = 'whk_01JWNVAV000000000000000000';

// Receivers detect duplicates by this id, so its derivation must not change.
test('deliveryIdOf: the id for an event and a webhook never changes', () =>
  equal(deliveryIdOf('evt_01JWNVAV00000000000000000A', webhookId), 'dlv_01JWNVAV00CBCFSQCP2C0QXQ0E'));

test('deliveryIdOf: every pair of event and webhook has a unique, valid id', () => {
  const events = Array.from({ length: 1_000 }, () => newId('event', new Date(1_780_000_000_000)));
  const webhooks = Array.from({ length: 100 }, () => newId('webhook'));
  const ids = new Set(events.flatMap((event) => webhooks.map((webhook) => deliveryIdOf(event, webhook))));
  equal(ids.size, 100_000);
  deepEqual(
    [...ids].filter((id) => !isId('delivery', id)),
    [],
  );
});

test('deliveryIdOf: ids sort by the time of their events', () => {
  const times = [1, 1_000, 1_780_000_000_000, 1_780_000_000_001, 2 ** 47].map((ms) => new Date(ms));
  const ids = times.map((time) => deliveryIdOf(newIdOf('event', time), webhookId));
  deepEqual([...ids].sort(), ids);
});
