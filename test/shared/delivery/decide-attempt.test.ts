/** Whether an attempt is sent, skipped, postponed or abandoned, for webhooks and alerts alike. */
import { deepEqual, equal } from 'node:assert/strict';
import { test } from 'vitest';
import { decideAttempt, loadRecorded } from '../../../shared/delivery/decide-attempt.ts';
import { type DeliveryRecord, deliveryKey, type EndpointRecord, firstRound } from '../../../shared/delivery/index.ts';
import { epochSeconds, iso, newIdOf } from '../../../shared/platform/index.ts';
import { minutes, now, tenant } from '../../harness/env/webhook-records.ts';

const endpoint: EndpointRecord = { pk: 'ORG', sk: 'E', id: newIdOf('alert', now), name: 'Pager', enabled: true, revision: 1 };
const id = newIdOf('delivery', now);
const delivery: DeliveryRecord = { ...deliveryKey.delivery(tenant, endpoint.id, id), id, ...firstRound(5, now) };
const leased = { claimedUntil: iso(minutes(1)) };

interface Case {
  readonly endpoint?: Partial<EndpointRecord> | null;
  readonly delivery?: Partial<DeliveryRecord> | null;
  readonly attempt?: number;
  readonly notBefore?: string;
}
const decide = ({ endpoint: ofEndpoint = {}, delivery: ofDelivery = {}, attempt = 1, notBefore }: Case) =>
  decideAttempt(
    {
      endpoint: ofEndpoint === null ? undefined : { ...endpoint, ...ofEndpoint },
      delivery: ofDelivery === null ? undefined : { ...delivery, ...ofDelivery },
      health: undefined,
    },
    { attempt, notBefore },
    { now, kind: { endpoint: 'alert', delivery: 'message' } },
  );

for (const [name, given, reason] of [
  ['does not exist', { delivery: null }, 'there is no message'],
  ['has expired', { delivery: { ttl: epochSeconds(now) } }, 'the message has expired'],
  ['has ended', { delivery: { status: 'delivered' } }, 'the message has ended'],
  ['has made the attempt', { delivery: { attempts: 1 } }, 'the attempt was made already'],
] as const)
  test(`attempt: one of a delivery that ${name} is skipped, even if the endpoint was deleted`, () => {
    const decision = decide({ ...given, endpoint: null });
    deepEqual([decision.kind, decision.kind === 'skip' && decision.reason], ['skip', reason]);
  });

// Abandoning it would record a failure for a message that may just arrive, and lose its outcome.
for (const [name, given] of [
  ['enabled', {}],
  ['disabled', { endpoint: { enabled: false } }],
  ['deleted', { endpoint: null }],
] as const)
  test(`attempt: one that is leased waits for its outcome while the endpoint is ${name}`, () => {
    deepEqual(decide({ ...given, delivery: leased }), { kind: 'wait', seconds: 60 });
  });

for (const [name, given, error] of [
  ['disabled', { endpoint: { enabled: false } }, 'The alert is disabled'],
  ['deleted', { endpoint: null }, 'The alert was deleted'],
] as const)
  test(`attempt: one whose lease has ended is abandoned if the endpoint is ${name}`, () => {
    const decision = decide({ ...given, delivery: { claimedUntil: iso(now) } });
    deepEqual([decision.kind, decision.kind === 'abandon' && decision.error], ['abandon', error]);
  });

test('attempt: one before its time waits, apart from the skew of clocks', () => {
  deepEqual(decide({ notBefore: iso(minutes(0.1)) }), { kind: 'wait', seconds: 6 });
  equal(decide({ notBefore: iso(minutes(5 / 60)) }).kind, 'send');
});

for (const [name, given, attempt, retry] of [
  ['the first', {}, 1, { maxAttempts: 5, willRetry: true }],
  [
    'one ahead repeats the attempt that was not recorded',
    { attempt: 3, delivery: { attempts: 1 } },
    2,
    { maxAttempts: 5, willRetry: true },
  ],
  ['the last', { attempt: 5, delivery: { attempts: 4 } }, 5, { maxAttempts: 5, willRetry: false }],
  [
    'one to an endpoint that was gone',
    { attempt: 2, delivery: { attempts: 1, statusCode: 410 } },
    2,
    { maxAttempts: 2, willRetry: false },
  ],
] as const)
  test(`attempt: ${name} has its number and says whether another follows`, () => {
    const decision = decide(given);
    deepEqual(decision.kind === 'send' && [decision.attempt, decision.retry], [attempt, retry]);
  });

test('attempt: a message that arrives before the previous attempt was recorded reads again', async () => {
  const states = [{ delivery }, { delivery: { ...delivery, attempts: 1 } }];
  const load = async () => states.shift() ?? { delivery: undefined };
  equal((await loadRecorded(load, { attempt: 2 }, 0)).delivery?.attempts, 1);
  equal(states.length, 0);
});
