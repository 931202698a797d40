/** The deployment sets the maximum number of webhooks per organization. */
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { afterAll, test } from 'vitest';
import { commit, newIdOf } from '../../../../shared/platform/index.ts';
import { createWebhook } from '../../../../shared/webhook/index.ts';
import { webhookPrefix } from '../../../../shared/webhook/model/record.ts';
import { createWebhookRecordsEnv, now, organization, tenant } from '../../../harness/env/webhook-records.ts';

const { table, aws } = await createWebhookRecordsEnv();
afterAll(() => aws.stop());
Object.assign(process.env, {
  WEBHOOK_HOSTS: 'localhost',
  PUBLIC_URL: 'https://backup.example.com',
  ORGANIZATION_LIMITS: JSON.stringify({ webhooks: 2 }),
});

test('create: the limit of webhooks holds for concurrent calls', async () => {
  table.put(organization);
  const wish = { name: 'Pager', url: 'https://localhost/hook', events: ['backup.*'], format: 'simple' as const };
  const add = async () => commit((await createWebhook(tenant, { id: newIdOf('webhook', now), input: wish, now })).change.writes);
  await add();
  const ends = await Promise.allSettled([add(), add()]);
  deepEqual(ends.map(({ status }) => status).sort(), ['fulfilled', 'rejected']);
  await rejects(add(), { code: 'CONFLICT', details: { max: 2 } });
  equal(table.find(organization.pk, webhookPrefix).length, 2);
});
