import { deepEqual, equal, throws } from 'node:assert/strict';
import { test } from 'vitest';
import { iso } from '../../../../shared/platform/index.ts';
import { deliveryData, requestData } from '../../../../shared/webhook/index.ts';
import type { WebhookDeliveryRecord } from '../../../../shared/webhook/model/record.ts';
import { deliveryOf, eventAt, minutes, now, webhookOf } from '../../../harness/env/webhook-records.ts';

const webhook = webhookOf();

test('delivery: lastError is shown until an attempt succeeds', () => {
  const shown = (more: Partial<WebhookDeliveryRecord>) => {
    const { status, statusCode, lastError, nextAttemptAt } = deliveryData(deliveryOf(webhook, eventAt(now), more));
    return { status, statusCode, lastError, nextAttemptAt };
  };
  const none = { nextAttemptAt: null };
  deepEqual(shown({}), { status: 'failed', statusCode: 500, lastError: 'HTTP 500', ...none });
  const waiting = { status: 'attempting', nextAttemptAt: iso(minutes(1)) } as const;
  deepEqual(shown(waiting), { statusCode: 500, lastError: 'HTTP 500', ...waiting });
  const delivered = { status: 'delivered', statusCode: 200 } as const;
  deepEqual(shown({ ...delivered, lastError: null }), { ...delivered, lastError: undefined, ...none });
  const unanswered = { statusCode: null, lastError: 'could not connect' };
  deepEqual(shown(unanswered), { status: 'failed', ...unanswered, ...none });
});

test('delivery: the request of a delivery without attempts is a conflict', () => {
  const request = { url: 'https://example.com/hooks', headers: { Authorization: '********' }, body: '{}', sentAt: iso(now) };
  deepEqual(requestData(deliveryOf(webhook, eventAt(now), { request })), { method: 'POST', ...request });
  throws(() => requestData(deliveryOf(webhook, eventAt(now))), { code: 'CONFLICT' });
});

test('delivery: the token in the URL of an older record is masked', () => {
  const request = { url: 'https://example.com/hooks?token=sesame', headers: {}, body: '{}', sentAt: iso(now) };
  equal(requestData(deliveryOf(webhook, eventAt(now), { request })).url, 'https://example.com/hooks?token=********');
});
