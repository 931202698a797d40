import { doesNotThrow, throws } from 'node:assert/strict';
import { test } from 'vitest';
import { checkAlertInput } from '../../../../shared/alert/api/alert-input.ts';
import type { ApiError } from '../../../../shared/contract/errors.ts';

Object.assign(process.env, { WEBHOOK_HOSTS: '', PUBLIC_URL: 'https://backups.example.com' });

const routingKey = '0123456789abcdef0123456789abcdef';
const needsKey = (error: unknown) =>
  (error as ApiError).code === 'VALIDATION_ERROR' && (error as ApiError).details?.field === 'routingKey';
const pager = { channel: 'pagerduty' } as const;

for (const url of ['https://collector.example.net/', 'https://events.pagerduty.com.example.net/v2/enqueue'])
  test(`the stored key of PagerDuty does not follow its alert to ${url}`, () => {
    throws(() => checkAlertInput({ url }, pager), needsKey);
    doesNotThrow(() => checkAlertInput({ url, routingKey }, pager));
  });

test('the stored key of PagerDuty stays with another path of its host, and another region of PagerDuty', () => {
  const relay = { ...pager, shownUrl: 'https://relay.example.net/********' };
  doesNotThrow(() => checkAlertInput({ url: 'https://relay.example.net/v3' }, relay));
  doesNotThrow(() => checkAlertInput({ url: 'https://events.eu.pagerduty.com/v2/enqueue' }, relay));
  doesNotThrow(() => checkAlertInput({ url: 'https://hooks.slack.com/services/x' }, { channel: 'slack' }));
});
