/**
 * Child process: sends the same event as often as it is asked to, through a bare undici pool, through our client including
 * composing and signing, and through the whole delivery function with a table in this process.
 */
import { createRequire } from 'node:module';
import type { SQSEvent } from 'aws-lambda';
import { Pool } from 'undici';
import { newId, postGuarded, unsafeTenant } from '../../../shared/platform/index.ts';
import { deliveryIdOf } from '../../../shared/webhook/model/delivery-id.ts';
import { newDelivery } from '../../../shared/webhook/model/new-delivery.ts';
import { type WebhookRecord, webhookKey } from '../../../shared/webhook/model/record.ts';
import { composeRequest } from '../../../shared/webhook/request/compose-request.ts';
import { sampleEvent } from '../../../shared/webhook/sample/sample-event.ts';
import { InMemoryTable } from '../../harness/table/in-memory-table.ts';
import type { AnswerRequest } from '../handlers/without-network.ts';

export type Way = 'pool' | 'door' | 'function';
export interface Order {
  readonly way: Way;
  readonly count: number;
}
export interface Took {
  readonly perSecond: number;
  readonly perCpuSecond: number;
  readonly times: readonly number[];
}

const [target = '', bundled = ''] = process.argv.slice(2);
/** Batch size of the queue. */
const atOnce = 10;
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
Object.assign(process.env, {
  AWS_REGION: 'eu-central-1',
  AWS_ACCESS_KEY_ID: 'BENCH',
  AWS_SECRET_ACCESS_KEY: 'BENCH',
  TABLE_NAME: 'Table',
  SECRETS_KEY_ID: 'key',
  DELIVERY_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/1/Deliveries',
  DELIVERY_RETRY_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/1/SlowDeliveries',
  WEBHOOK_HOSTS: 'localhost',
  PUBLIC_URL: 'https://api.example.com',
  SERVICE_VERSION: '2.0.0',
  POWERTOOLS_LOG_LEVEL: 'SILENT',
});

const tenant = unsafeTenant(newId('organization'), 'record');
const now = new Date();
const event = sampleEvent('backup.completed', { id: tenant.organizationId, name: 'Bench' }, now);
const webhookId = newId('webhook');
const webhook: WebhookRecord = {
  ...webhookKey.webhook(tenant, webhookId),
  ...{ id: webhookId, name: 'Bench', url: `${target}/hook`, events: ['*'], enabled: true, format: 'standard' },
  ...{ sealedSecret: Buffer.from('sealed'), shownHeaders: {}, timeoutMs: 30_000, retryEnabled: true, revision: 1 },
  filters: { projects: [], trigger: [], excludeTrigger: [] },
  ...{ createdAt: now.toISOString(), updatedAt: now.toISOString() },
};
const deliveryId = deliveryIdOf(event.id, webhookId);
const compose = () =>
  composeRequest(webhook, {
    secrets: { secret, previous: undefined, headers: {} },
    event,
    attempt: {
      deliveryId,
      attempt: 1,
      retry: { maxAttempts: 5, willRetry: true },
      sentAt: new Date(),
    },
  });

/** An endpoint whose last delivery was just made. Writes do not change it. */
const table = new InMemoryTable();
table.put(webhook);
table.put(newDelivery(tenant, { webhook, event, now }));
table.put({ ...webhookKey.health(tenant, webhookId), lastTriggeredAt: '9999', isSlow: false, ttl: 9_999_999_999 });
const aws: AnswerRequest = async ({ headers, body }) => {
  const action = String(headers['x-amz-target']).split('.')[1] ?? '';
  if (action === 'Decrypt') return { Plaintext: Buffer.from(secret).toString('base64') };
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  // Queues accept everything.
  return (table.script[action]?.(JSON.parse(text)) as object | undefined) ?? {};
};
Object.assign(globalThis, { benchAws: aws });

const pool = new Pool(target, { connections: atOnce });
const { handler } = createRequire(import.meta.url)(bundled) as {
  handler: (event: SQSEvent) => Promise<{ batchItemFailures: [] }>;
};
const task = { kind: 'deliver', webhookId, deliveryId, attempt: 1 };
const body = JSON.stringify({ id: newId('task'), organizationId: tenant.organizationId, task });
const eventSourceARN = 'arn:aws:sqs:eu-central-1:1:Deliveries';
const batch = { Records: Array.from({ length: atOnce }, (_, n) => ({ messageId: String(n), body, eventSourceARN })) } as SQSEvent;
const composed = compose();

/** Each sends ten at once. */
const ways: Readonly<Record<Way, () => Promise<unknown>>> = {
  pool: () =>
    tenOf(async () =>
      (await pool.request({ method: 'POST', path: '/hook', headers: composed.headers, body: composed.body })).body.dump(),
    ),
  door: () =>
    tenOf(async () => {
      const outcome = await postGuarded({ ...compose(), timeoutMs: 30_000, trusted: ['localhost'] });
      if (outcome.kind !== 'answered') throw new Error(outcome.reason);
    }),
  function: async () => {
    const { batchItemFailures } = await handler(batch);
    if (batchItemFailures.length > 0) throw new Error('a delivery failed');
  },
};
const tenOf = (send: () => Promise<unknown>) => Promise.all(Array.from({ length: atOnce }, send));

process.on('message', async ({ way, count }: Order) => {
  const times: number[] = [];
  const before = process.cpuUsage();
  const startedMs = performance.now();
  for (let n = 0; n < count; n += atOnce) {
    const begunMs = performance.now();
    await ways[way]();
    times.push(performance.now() - begunMs);
  }
  const seconds = (performance.now() - startedMs) / 1_000;
  const { user, system } = process.cpuUsage(before);
  process.send?.({ perSecond: count / seconds, perCpuSecond: (count * 1_000_000) / (user + system), times } satisfies Took);
});
process.on('disconnect', () => process.exit());
