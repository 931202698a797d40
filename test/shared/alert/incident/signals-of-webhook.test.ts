/** A webhook is an incident after three failures in a row or 15 minutes, until it works, or a person disables or deletes it. */
import { deepEqual } from 'node:assert/strict';
import { test } from 'vitest';
import { signalsOfWebhook } from '../../../../shared/alert/incident/signals-of-webhook.ts';
import { reportDelay } from '../../../../shared/delivery/endpoint-health.ts';
import type { HealthRecord } from '../../../../shared/delivery/index.ts';
import { iso } from '../../../../shared/platform/index.ts';
import type { WebhookRecord } from '../../../../shared/webhook/index.ts';
import { minutes, now } from '../../../harness/env/webhook-records.ts';

const webhook = { id: 'whk_1', name: 'Ops', enabled: true } as WebhookRecord;
const failing = (failureCount: number, at = now) => ({ failingSince: iso(at), failureCount }) as HealthRecord;
const signals = (state: { readonly webhook?: WebhookRecord; readonly health?: HealthRecord }, at = now) =>
  signalsOfWebhook('whk_1', { webhook: undefined, health: undefined, ...state }, at).map(
    ({ kind, state: is }) => `${kind} ${is}`,
  );

test('webhook: what its records say about its incidents', () => {
  const enabled = 'webhook_disabled recovered';
  deepEqual(signals({ webhook, health: failing(2) }, minutes(14)), [enabled], 'too young to be reported');
  deepEqual(signals({ webhook, health: failing(3) }), [enabled, 'webhook_failing failed']);
  deepEqual(signals({ webhook, health: failing(1) }, minutes(15)), [enabled, 'webhook_failing failed']);
  deepEqual(signals({ webhook }), [enabled, 'webhook_failing recovered']);
  deepEqual(signals({}), ['webhook_failing recovered', enabled], 'it was deleted');
  deepEqual(
    signals({ webhook: { ...webhook, enabled: false }, health: failing(9) }),
    ['webhook_failing recovered'],
    'by a person',
  );
  const disabled = { reason: 'failing', at: iso(now), failingSince: iso(now) } as const;
  const byService = { ...webhook, enabled: false, disabled };
  deepEqual(signals({ webhook: byService, health: failing(9) }), ['webhook_disabled failed'], 'it stays an incident');
});

test('webhook: a period of failures is one incident that is counted once a day', () => {
  const sources = [minutes(20), minutes(600), minutes(24 * 60), minutes(47 * 60)].map((at) =>
    signalsOfWebhook('whk_1', { webhook, health: failing(3) }, at).flatMap((signal) =>
      signal.state === 'failed' ? [signal.source.split(' ').at(-1)] : [],
    ),
  );
  deepEqual(sources.flat(), ['0', '0', '1', '1']);
});

test('webhook: the first failure is looked at after 15 minutes, the third and the first success at once', () => {
  const failed = { isSuccess: false, durationMs: 1 };
  const delivered = { isSuccess: true, durationMs: 1 };
  deepEqual(reportDelay(undefined, failed, now), 900);
  deepEqual(reportDelay(failing(1), failed, minutes(1)), undefined);
  deepEqual(reportDelay(failing(2), failed, minutes(6)), 0);
  deepEqual(reportDelay(failing(7), failed, minutes(16)), undefined, 'the look after 15 minutes has reported it');
  deepEqual(reportDelay(failing(7), delivered, minutes(16)), 0);
  deepEqual(reportDelay(undefined, delivered, now), undefined);
});
