/**
 * The environment of webhook deliveries, in this process: a table that checks conditions, queues and a Scheduler with virtual time,
 * and endpoints over real https. Messages are delivered when they are due, in that order.
 */
import { createHash } from 'node:crypto';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { afterAll, vi } from 'vitest';
import type { HealthRecord } from '../../../shared/delivery/index.ts';
import { eventKey, type TaskMessage } from '../../../shared/event/index.ts';
import { after, iso, newId, clock as ourClock, postGuarded, type Tenant, unsafeTenant } from '../../../shared/platform/index.ts';
import type { DeliveryDeps } from '../../../shared/webhook/deliver/send-attempt.ts';
import { deliver, matchEvents } from '../../../shared/webhook/index.ts';
import {
  type StoredEvent,
  type WebhookDeliveryRecord,
  type WebhookRecord,
  webhookKey,
} from '../../../shared/webhook/model/record.ts';
import { answerInProcess } from '../aws/in-process.ts';
import { Fault, type Input, scriptAws } from '../aws/scripted-aws.ts';
import { CrashInjector } from '../faults/crash-injector.ts';
import { type ReceivedRequest, startReceiver } from '../stage/receiver.ts';
import { InMemoryTable } from '../table/in-memory-table.ts';

export interface Sent {
  readonly queue: string;
  readonly body: string;
  readonly sender: string;
  readonly delaySeconds: number;
}

interface Waiting {
  readonly queue: string;
  readonly body: string;
  readonly dueMs: number;
}

interface Entry {
  readonly Id: string;
  readonly MessageBody: string;
  readonly MessageGroupId: string;
  readonly DelaySeconds?: number;
}

interface Written {
  readonly event: StoredEvent;
  readonly of?: Tenant;
}

export interface Metadata {
  readonly attempt: number;
  readonly maxAttempts?: number;
  readonly willRetry?: boolean;
  readonly deliveryId: string;
}

interface Task {
  readonly kind: string;
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly attempt: number;
}

const queueOf = (url: unknown): string => String(url).split('/').at(-1) ?? '';
const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
const pathOf = ({ url: address }: Pick<WebhookRecord, 'url'>): string => new URL(address).pathname;
const metadataOf = ({ body }: ReceivedRequest): Metadata => (JSON.parse(body.toString()) as { metadata: Metadata }).metadata;
const taskOf = ({ body }: { readonly body: string }): Task => (JSON.parse(body) as { task: Task }).task;
/** Visibility timeout of the delivery queues: a failed message is delivered again after it. */
const visibilityMs = 450_000;

const isReport = (body: string): boolean => (JSON.parse(body) as { task: Task }).task.kind === 'apply-webhook';

/** Everything a test needs, stopped after the last one. `resetEnv` empties it and is called before each test. */
export const createWebhookEnv = async () => {
  const table = new InMemoryTable();
  const receiver = await startReceiver();
  /** The messages that the queues accepted, and the Scheduler's entries by name. */
  const sent: Sent[] = [];
  /** Reports on the health of endpoints, which open and close incidents. */
  const reports: Sent[] = [];
  const entries = new Map<string, Waiting>();
  let waiting: Waiting[] = [];
  let nowMs = 0;
  let crash = new CrashInjector();
  /** Which messages a queue refuses, and the Scheduler's error. */
  const faults = { refuses: (_: string): boolean => false, ofScheduler: (): Fault | undefined => undefined };

  const clock = { now: () => new Date(nowMs) };
  // The functions use the same clock.
  vi.spyOn(ourClock, 'now').mockImplementation(clock.now);
  const pass = (seconds: number): void => {
    nowMs += seconds * 1_000;
  };

  const sendBatch = ({ QueueUrl, Entries }: Input): object => {
    const queue = queueOf(QueueUrl);
    const all = Entries as Entry[];
    const taken = all.filter(({ MessageBody }) => !faults.refuses(MessageBody));
    for (const { MessageBody: body, MessageGroupId: sender, DelaySeconds: delaySeconds = 0 } of taken) {
      if (delaySeconds > 900) return new Fault('InvalidParameterValue');
      if (isReport(body)) {
        reports.push({ queue, body, sender, delaySeconds });
        continue;
      }
      sent.push({ queue, body, sender, delaySeconds });
      waiting.push({ queue, body, dueMs: nowMs + delaySeconds * 1_000 });
    }
    return {
      Successful: taken.map(({ Id, MessageBody }) => ({ Id, MessageId: Id, MD5OfMessageBody: md5(MessageBody) })),
      Failed: all.filter((one) => !taken.includes(one)).map(({ Id }) => ({ Id, Code: 'InternalError', SenderFault: false })),
    };
  };

  const createSchedule = (input: Input, address = ''): object => {
    const name = decodeURIComponent(address.split('/').at(-1) ?? '');
    if (!/^[0-9a-zA-Z-_.]{1,64}$/.test(name)) return new Fault('ValidationException');
    const fault = faults.ofScheduler();
    if (fault) return fault;
    if (entries.has(name)) return new Fault('ConflictException', 409);
    const { Input: body } = input.Target as { Input: string };
    const [, at] = /^at\((.+)\)$/.exec(String(input.ScheduleExpression)) ?? [];
    entries.set(name, { queue: 'slow', body, dueMs: Date.parse(`${at}Z`) });
    return { ScheduleArn: name };
  };

  const aws = await scriptAws({
    SendMessageBatch: (input) => crash.effectAtOnce(() => sendBatch(input)),
    // The only service here without action names.
    '': (input, address) => crash.effectAtOnce(() => createSchedule(input, address)),
    // The ciphertext is the plain text: encryption contexts are tested elsewhere.
    Decrypt: ({ CiphertextBlob }) => ({ Plaintext: CiphertextBlob }),
  });
  const url = process.env.AWS_ENDPOINT_URL;
  answerInProcess(table.script);
  Object.assign(process.env, {
    TASK_QUEUE_URL: `${url}/1/tasks`,
    BUCKET_WORK_QUEUE_URL: `${url}/1/bucket-work`,
    EVENT_MATCH_QUEUE_URL: `${url}/1/event-match`,
    DELIVERY_QUEUE_URL: `${url}/1/quick`,
    DELIVERY_RETRY_QUEUE_URL: `${url}/1/slow`,
    DELIVERY_RETRY_QUEUE_ARN: 'arn:aws:sqs:eu-central-1:1:slow',
    RETRY_GROUP_NAME: 'retries',
    RETRY_ROLE_ARN: 'arn:aws:iam::1:role/retry',
    RETRY_DEAD_LETTERS_ARN: 'arn:aws:sqs:eu-central-1:1:dead',
    SECRETS_KEY_ID: 'key',
    WEBHOOK_HOSTS: `localhost:${receiver.port}`,
    PUBLIC_URL: 'https://backup.example.com',
    SERVICE_VERSION: '2.0.0',
  });
  afterAll(async () => {
    aws.stop();
    await receiver.stop();
  });

  const organizationId = newId('organization');
  const tenant = unsafeTenant(organizationId, 'record');

  /** Empties the table and the queues, and sets the clock to noon. */
  const resetEnv = (): void => {
    table.items.clear();
    sent.length = 0;
    reports.length = 0;
    entries.clear();
    waiting = [];
    nowMs = Date.parse('2026-03-01T12:00:00.000Z');
    faults.refuses = () => false;
    faults.ofScheduler = () => undefined;
    setCrashInjector(new CrashInjector());
  };

  const setCrashInjector = (next: CrashInjector): CrashInjector => {
    crash = next;
    table.onWrite = (when) => crash.atWrite(when);
    table.onRead = () => crash.atRead();
    return crash;
  };

  let paths = 0;
  const newPath = (): string => `/hook-${++paths}`;

  const addWebhook = (more: Partial<WebhookRecord> = {}, of: Tenant = tenant): WebhookRecord => {
    const id = newId('webhook');
    const webhook: WebhookRecord = {
      ...webhookKey.webhook(of, id),
      id,
      name: 'Ops',
      url: receiver.url(newPath()),
      events: ['*'],
      enabled: true,
      format: 'standard',
      sealedSecret: Buffer.from('whsec_c2VjcmV0IG9mIHRoZSB0ZXN0cyBvZiB3ZWJob29rcw=='),
      shownHeaders: {},
      timeoutMs: 5_000,
      retryEnabled: true,
      filters: { projects: [], trigger: [], excludeTrigger: [] },
      revision: 1,
      createdAt: iso(clock.now()),
      updatedAt: iso(clock.now()),
      ...more,
    };
    table.put(webhook);
    return webhook;
  };

  /** A webhook whose endpoint answered quickly last time. */
  const addFastWebhook = (more: Partial<WebhookRecord> = {}): WebhookRecord => {
    const webhook = addWebhook(more);
    table.put({ ...webhookKey.health(tenant, webhook.id), isSlow: false, ttl: 4_000_000_000 });
    return webhook;
  };

  const newEvent = (of: Tenant = tenant): StoredEvent => ({
    id: newId('event', clock.now()),
    type: 'organization.updated',
    timestamp: iso(clock.now()),
    data: { organization: { id: of.organizationId, name: 'Acme' } },
  });

  /** Stores events and returns the batch of their match tasks. Each message has the id of its event. */
  const written = (...all: readonly Written[]): SQSEvent => ({
    Records: all.map(({ event, of = tenant }) => {
      table.put({ ...eventKey(of, event.id), ...event, ttl: 1 });
      const task = { kind: 'match-event', eventId: event.id } as const;
      const message: TaskMessage = { id: newId('task'), organizationId: of.organizationId, task };
      return { messageId: event.id, body: JSON.stringify(message) } as SQSRecord;
    }),
  });

  /** Stores and matches an event. */
  const matchEvent = async (event: StoredEvent = newEvent()): Promise<void> => {
    written({ event });
    const failed = await matchEvents(tenant, { eventIds: [event.id], until: after(clock.now(), 1), clock });
    if (failed.size > 0) throw new Error('could not match the event');
  };

  const requestsTo = (webhook: Pick<WebhookRecord, 'url'>): readonly ReceivedRequest[] =>
    receiver.requests.filter(({ path }) => path === pathOf(webhook));
  const attemptsTo = (webhook: Pick<WebhookRecord, 'url'>): readonly number[] =>
    requestsTo(webhook).map((heard) => metadataOf(heard).attempt);
  const deliveriesOf = ({ id }: Pick<WebhookRecord, 'id'>, of: Tenant = tenant): readonly WebhookDeliveryRecord[] =>
    table.find(webhookKey.delivery(of, id, '').pk, 'dlv_') as readonly WebhookDeliveryRecord[];
  const deliveryOf = (webhook: Pick<WebhookRecord, 'id'>): WebhookDeliveryRecord => {
    const [delivery, ...others] = deliveriesOf(webhook);
    if (!delivery || others.length > 0) throw new Error(`${others.length + (delivery ? 1 : 0)} deliveries instead of one`);
    return delivery;
  };
  const healthOf = ({ id }: Pick<WebhookRecord, 'id'>): HealthRecord | undefined => table.get(webhookKey.health(tenant, id));

  const deliveryDeps = (chance = 0): DeliveryDeps => ({
    clock,
    random: () => chance,
    post: (request) => crash.effect(() => postGuarded(request)),
    waitMs: 0,
  });

  const tasksSent = (): readonly Task[] => sent.filter(({ queue }) => queue === 'tasks').map(taskOf);

  const give = (body: string, more: Partial<DeliveryDeps> = {}): Promise<void> => {
    const message = JSON.parse(body) as { organizationId: string };
    const isQuick = sent.some((one) => one.body === body && one.queue === 'quick');
    const queue = isQuick ? 'delivery' : 'deliveryRetry';
    return deliver(unsafeTenant(message.organizationId, 'record'), {
      ref: taskOf({ body }),
      queue,
      deps: { ...deliveryDeps(), ...more },
    });
  };

  /** Takes the next due message and advances the clock to it. */
  const nextDue = (untilMs: number): Waiting | undefined => {
    const [name, entry] = [...entries].sort(([, a], [, b]) => a.dueMs - b.dueMs)[0] ?? [];
    const [message] = waiting.filter(({ queue }) => queue !== 'tasks').sort((a, b) => a.dueMs - b.dueMs);
    const first = entry && (!message || entry.dueMs < message.dueMs) ? entry : message;
    if (!first || first.dueMs > untilMs) return undefined;
    if (first === entry) entries.delete(name ?? '');
    waiting = waiting.filter((one) => one !== first);
    nowMs = Math.max(nowMs, first.dueMs);
    return first;
  };

  /** Delivers every message when it is due, until none remains or the time is over. Returns the number of messages. */
  const run = async (seconds = 7 * 24 * 3_600, more: Partial<DeliveryDeps> = {}): Promise<number> => {
    const untilMs = nowMs + seconds * 1_000;
    for (let count = 0; ; count++) {
      const next = nextDue(untilMs);
      if (!next) return count;
      await give(next.body, more).catch((error: unknown) => {
        // A crashed worker is replaced; the message is delivered again after the visibility timeout.
        if (!crash.isDead) throw error;
        setCrashInjector(new CrashInjector());
        waiting.push({ ...next, dueMs: nowMs + visibilityMs });
      });
    }
  };

  return {
    table,
    receiver,
    sent,
    reports,
    entries,
    faults,
    clock,
    pass,
    organizationId,
    tenant,
    resetEnv,
    setCrashInjector,
    newPath,
    addWebhook,
    addFastWebhook,
    newEvent,
    written,
    matchEvent,
    pathOf,
    requestsTo,
    metadataOf,
    attemptsTo,
    deliveriesOf,
    deliveryOf,
    healthOf,
    deliveryDeps,
    taskOf,
    tasksSent,
    give,
    run,
    get crash() {
      return crash;
    },
  };
};
