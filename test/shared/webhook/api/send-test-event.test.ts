/** Which event a test sends, and what it stores. Responses of real endpoints are tested in test/journey. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { afterAll, beforeEach, test } from 'vitest';
import type { OrganizationRecord } from '../../../../shared/organization/index.ts';
import { commit } from '../../../../shared/platform/index.ts';
import { sendTestEvent } from '../../../../shared/webhook/index.ts';
import { type WebhookDeliveryRecord, webhookKey } from '../../../../shared/webhook/model/record.ts';
import { createWebhookRecordsEnv, now, organization, tenant, webhookOf } from '../../../harness/env/webhook-records.ts';

const { table, aws } = await createWebhookRecordsEnv();
afterAll(() => aws.stop());
Object.assign(process.env, { WEBHOOK_HOSTS: '', SERVICE_VERSION: '2.0.0' });
beforeEach(() => {
  table.items.clear();
  table.put(organization);
});

const call = { tenant, organization: organization as unknown as OrganizationRecord };
/** Unsigned and sent to a blocked address, so neither KMS nor the network is used. */
const tryOut = (events: readonly string[], wanted?: string) =>
  sendTestEvent(call, { webhook: webhookOf({ format: 'simple', events, url: 'https://127.0.0.1/' }), requested: wanted, now });

for (const [events, wanted, expected] of [
  [['schedule.*', 'restore.failed', 'backup.started'], undefined, 'restore.failed'],
  [['schedule.*', 'restore.*'], undefined, 'restore.started'],
  [['*'], undefined, 'backup.completed'],
  [['restore.*', '*'], undefined, 'backup.completed'],
  [['backup.started'], 'schedule.deleted', 'schedule.deleted'],
] as const)
  test(`test event: events ${events.join(', ')}${wanted ? ` and requested event ${wanted}` : ''} send ${expected}`, async () => {
    equal((await tryOut(events, wanted)).data.event, expected);
  });

for (const wanted of ['storage.error', 'backup.*', '*', '', 'toString'])
  test(`test event: "${wanted}" is not an event of the format and is refused`, async () => {
    await rejects(tryOut(['*'], wanted), ({ code, details }: { code: string; details: Record<string, unknown> }) => {
      deepEqual([code, details.field, details.invalidValues], ['VALIDATION_ERROR', 'event', [wanted]]);
      return true;
    });
  });

test('test event: it is stored as an ended delivery and does not change the health record', async () => {
  const { data, change } = await tryOut(['backup.failed']);
  await commit(change.writes);
  const { webhookId, deliveryId } = data;
  const kept = table.get<WebhookDeliveryRecord>(webhookKey.delivery(tenant, webhookId, deliveryId))!;
  deepEqual(
    [kept.id, kept.isTest, kept.status, kept.attempts, kept.attemptsMax, kept.nextAttemptAt, kept.lastError, kept.event.type],
    [deliveryId, true, 'failed', 1, 1, null, 'could not connect', 'backup.failed'],
  );
  equal(table.find('DELIVERY#').length, 1);
  deepEqual(change.audit[0]!.details, { name: 'Pager', event: 'backup.failed', deliveryId, success: false, statusCode: null });
});
