/** Headers of a request: those of the service, custom ones, and how they are masked. */
import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import { secretMask as mask } from '../../../../shared/platform/index.ts';
import { composeRequest } from '../../../../shared/webhook/request/compose-request.ts';
import { firstAttempt, sampleOf, secretsOf, webhookOf } from '../../../harness/builders/sample-webhook.ts';

process.env.SERVICE_VERSION = '9.8.7';
const unixSeconds = '1772359200';
const lower = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

describe('composeRequest: custom headers', () => {
  const given = {
    'user-AGENT': 'ours/1',
    'X-Environment': 'production',
    Authorization: 'Bearer abc',
    'x-api-KEY': 'abc',
    'content-TYPE': 'text/plain',
    'x-service-SIGNATURE': 'forged',
    'Webhook-Id': 'forged',
  };
  const { headers, shownHeaders } = composeRequest(webhookOf('standard'), {
    secrets: secretsOf('the secret', 'the one before', given),
    event: sampleOf('project.created'),
    attempt: firstAttempt(),
  });

  test('are sent, and may replace the user agent', () => {
    assert.equal(headers['X-Environment'], 'production');
    assert.equal(headers.Authorization, 'Bearer abc');
    assert.equal(lower(headers)['user-agent'], 'ours/1');
    assert.equal(Object.keys(headers).filter((name) => name.toLowerCase() === 'user-agent').length, 1);
  });

  test('never replace headers of the service, in any case', () => {
    assert.equal(Object.keys(headers).length, new Set(Object.keys(lower(headers))).size);
    assert.equal(Object.values(headers).includes('forged'), false);
    assert.equal(lower(headers)['content-type'], 'application/json');
  });

  test('are shown with masked credentials, next to masked signatures', () =>
    assert.deepEqual(shownHeaders, {
      'user-AGENT': 'ours/1',
      'X-Environment': 'production',
      Authorization: mask,
      'x-api-KEY': mask,
      'Content-Type': 'application/json',
      'X-Service-Timestamp': unixSeconds,
      'X-Service-Delivery-Id': firstAttempt().deliveryId,
      'webhook-id': firstAttempt().deliveryId,
      'webhook-timestamp': unixSeconds,
      'X-Service-Signature': mask,
      'X-Service-Signature-Previous': mask,
      'webhook-signature': mask,
    }));
});
