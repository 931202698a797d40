/** Records of webhooks and deliveries, with a table and queues, for tests without a stage. */
import { createHash } from 'node:crypto';
import { organizationKey } from '../../../shared/organization/index.ts';
import { after, epochSeconds, iso, newIdOf, unsafeTenant } from '../../../shared/platform/index.ts';
import { newDelivery } from '../../../shared/webhook/model/new-delivery.ts';
import {
  type StoredEvent,
  type WebhookDeliveryRecord,
  type WebhookRecord,
  webhookKey,
} from '../../../shared/webhook/model/record.ts';
import { sampleEvent } from '../../../shared/webhook/sample/sample-event.ts';
import { type Fault, type Input, type ScriptedAws, scriptAws } from '../aws/scripted-aws.ts';
import { InMemoryTable } from '../table/in-memory-table.ts';

export const now = new Date('2026-03-01T10:00:00.000Z');
export const tenant = unsafeTenant(newIdOf('organization', now), 'created');
export const minutes = (count: number): Date => after(now, count * 60);

export const organization = {
  ...organizationKey.organization(tenant),
  id: tenant.organizationId,
  name: 'Acme',
  ownerId: newIdOf('user', now),
};

export const webhookOf = (more: Partial<WebhookRecord> = {}): WebhookRecord => {
  const id = (more.id as string | undefined) ?? newIdOf('webhook', now);
  return {
    ...webhookKey.webhook(tenant, id),
    id,
    name: 'Pager',
    url: 'https://example.com/hooks?token=sesame',
    events: ['*'],
    enabled: true,
    format: 'standard',
    shownHeaders: {},
    timeoutMs: 30_000,
    retryEnabled: true,
    filters: { projects: [], trigger: [], excludeTrigger: [] },
    revision: 1,
    createdAt: iso(minutes(-600)),
    updatedAt: iso(minutes(-600)),
    ...more,
  };
};

/** A delivery that has failed all its attempts, by default. */
export const deliveryOf = (
  webhook: WebhookRecord,
  event: StoredEvent,
  more: Partial<WebhookDeliveryRecord> = {},
): WebhookDeliveryRecord => ({
  ...newDelivery(tenant, { webhook, event, now }),
  status: 'failed',
  attempts: 5,
  statusCode: 500,
  durationMs: 12,
  lastError: 'HTTP 500',
  lastAttemptAt: iso(now),
  nextAttemptAt: null,
  ...more,
});

/** As the outbox stores it. */
export const eventItem = (event: StoredEvent) => ({
  pk: organization.pk,
  sk: `EVENT#${event.id}`,
  ...event,
  ttl: epochSeconds(after(new Date(event.timestamp), 30 * 24 * 3_600)),
});

export const eventAt = (moment: Date, name: Parameters<typeof sampleEvent>[0] = 'backup.completed'): StoredEvent => ({
  ...sampleEvent(name, organization, moment),
  id: newIdOf('event', moment),
});

interface Entry {
  readonly Id: string;
  readonly MessageBody: string;
}

export interface WebhookRecordsEnv {
  readonly table: InMemoryTable;
  readonly aws: ScriptedAws;
  /** The error of the queue, if set. */
  refusal: { fault?: Fault | undefined };
  /** Accepted messages: the name of the queue, and the task. */
  messages(): readonly (readonly [string, Record<string, unknown>])[];
  /** Tasks in the outbox. */
  tasks(): readonly Record<string, unknown>[];
}

export const createWebhookRecordsEnv = async (): Promise<WebhookRecordsEnv> => {
  const table = new InMemoryTable();
  const refusal: WebhookRecordsEnv['refusal'] = {};
  const md5 = (text: string) => createHash('md5').update(text).digest('hex');
  const aws = await scriptAws({
    ...table.script,
    SendMessageBatch: ({ Entries }: Input) =>
      refusal.fault ?? {
        Successful: (Entries as Entry[]).map(({ Id, MessageBody }) => ({
          Id,
          MessageId: Id,
          MD5OfMessageBody: md5(MessageBody),
        })),
        Failed: [],
      },
    // What a test seals is its own ciphertext.
    Decrypt: ({ CiphertextBlob }: Input) => ({ Plaintext: CiphertextBlob }),
    // SES has addresses instead of action names.
    '': () => ({ MessageId: 'x' }),
  });
  Object.assign(process.env, {
    DELIVERY_QUEUE_URL: `${process.env.AWS_ENDPOINT_URL}/1/Quick`,
    DELIVERY_RETRY_QUEUE_URL: `${process.env.AWS_ENDPOINT_URL}/1/Slow`,
    MAIL_FROM: 'Backups <backups@example.com>',
  });
  const taskOf = (body: string) => (JSON.parse(body) as { task: Record<string, unknown> }).task;
  return {
    table,
    aws,
    refusal,
    messages: () =>
      aws
        .sent('SendMessageBatch')
        .flatMap(({ QueueUrl, Entries }) =>
          (Entries as Entry[]).map(({ MessageBody }) => [String(QueueUrl).split('/').at(-1) ?? '', taskOf(MessageBody)] as const),
        ),
    tasks: () => table.find(organization.pk, 'TASK#').map(({ message }) => taskOf(String(message))),
  };
};
