/**
 * All that deliveries touch, in this process: a table that keeps its conditions, queues and a Scheduler that obey a clock which
 * stands still, and endpoints that are reached over real https. Messages are given when they are due, in that order.
 */
import { createHash } from 'node:crypto';
import type { SQSEvent, SQSRecord } from 'aws-lambda';
import { afterAll, vi } from 'vitest';
import { eventKey, type TaskMessage } from '../../../shared/event/index.ts';
import { after, iso, newId, clock as ourClock, postGuarded, type Tenant, unsafeTenant } from '../../../shared/platform/index.ts';
import {
  type DeliveryDeps,
  type DeliveryRecord,
  deliver,
  matchEvents,
  type StoredEvent,
  type WebhookRecord,
  webhookKey,
} from '../../../shared/webhook/index.ts';
import type { HealthRecord } from '../../../shared/webhook/model/record.ts';
import { answerInProcess } from '../aws/in-process.ts';
import { Fault, type Input, scriptAws } from '../aws/scripted-aws.ts';
import { CrashInjector } from '../faults/crash-injector.ts';
import { type ReceivedRequest, startReceiver } from '../stage/receiver.ts';
import { StrictTable } from '../table/strict-table.ts';

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

export const table = new StrictTable();
export const receiver = await startReceiver();
/** What the queues took, and what the Scheduler holds, by name. */
export const sent: Sent[] = [];
export const entries = new Map<string, Waiting>();
let waiting: Waiting[] = [];
let nowMs = 0;
export let machine = new CrashInjector();
/** Which messages a queue does not take, and what the Scheduler says instead of making an entry. */
export const faults = { refuses: (_: string): boolean => false, ofScheduler: (): Fault | undefined => undefined };

export const clock = { now: () => new Date(nowMs) };
// Functions have no other either.
vi.spyOn(ourClock, 'now').mockImplementation(clock.now);
export const pass = (seconds: number): void => {
  nowMs += seconds * 1_000;
};

const queueOf = (url: unknown): string => String(url).split('/').at(-1) ?? '';
const md5 = (text: string): string => createHash('md5').update(text).digest('hex');

interface Entry {
  readonly Id: string;
  readonly MessageBody: string;
  readonly MessageGroupId: string;
  readonly DelaySeconds?: number;
}

const sendBatch = ({ QueueUrl, Entries }: Input): object => {
  const queue = queueOf(QueueUrl);
  const all = Entries as Entry[];
  const taken = all.filter(({ MessageBody }) => !faults.refuses(MessageBody));
  for (const { MessageBody: body, MessageGroupId: sender, DelaySeconds: delaySeconds = 0 } of taken) {
    if (delaySeconds > 900) return new Fault('InvalidParameterValue');
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
  SendMessageBatch: (input) => machine.effectAtOnce(() => sendBatch(input)),
  // The only service here without action names.
  '': (input, address) => machine.effectAtOnce(() => createSchedule(input, address)),
  // What is sealed is the text itself: who opens what is for others to test.
  Decrypt: ({ CiphertextBlob }) => ({ Plaintext: CiphertextBlob }),
});
const url = process.env.AWS_ENDPOINT_URL;
answerInProcess(table.script);
Object.assign(process.env, {
  TASK_QUEUE_URL: `${url}/1/tasks`,
  CHORE_QUEUE_URL: `${url}/1/chores`,
  MATCH_QUEUE_URL: `${url}/1/matches`,
  DELIVERY_QUEUE_URL: `${url}/1/quick`,
  SLOW_DELIVERY_QUEUE_URL: `${url}/1/slow`,
  SLOW_DELIVERY_QUEUE_ARN: 'arn:aws:sqs:eu-central-1:1:slow',
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

export const organizationId = newId('organization');
export const tenant = unsafeTenant(organizationId, 'record');

/** An empty table and no messages, at noon. */
export const newWorld = (): void => {
  table.items.clear();
  sent.length = 0;
  entries.clear();
  waiting = [];
  nowMs = Date.parse('2026-03-01T12:00:00.000Z');
  faults.refuses = () => false;
  faults.ofScheduler = () => undefined;
  setMachine(new CrashInjector());
};

export const setMachine = (next: CrashInjector): CrashInjector => {
  machine = next;
  table.onWrite = (when) => machine.atWrite(when);
  table.onRead = () => machine.atRead();
  return machine;
};

let paths = 0;
export const newPath = (): string => `/hook-${++paths}`;

export const addWebhook = (more: Partial<WebhookRecord> = {}, of: Tenant = tenant): WebhookRecord => {
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

/** One whose endpoint answered quickly the last time. */
export const addQuickWebhook = (more: Partial<WebhookRecord> = {}): WebhookRecord => {
  const webhook = addWebhook(more);
  table.put({ ...webhookKey.health(tenant, webhook.id), isSlow: false, ttl: 4_000_000_000 });
  return webhook;
};

export const newEvent = (of: Tenant = tenant): StoredEvent => ({
  id: newId('event', clock.now()),
  type: 'organization.updated',
  timestamp: iso(clock.now()),
  data: { organization: { id: of.organizationId, name: 'Acme' } },
});

interface Written {
  readonly event: StoredEvent;
  readonly of?: Tenant;
}

/** Writes events, and tells what the queue then gives to whoever matches them: each message has the id of its event. */
export const written = (...all: readonly Written[]): SQSEvent => ({
  Records: all.map(({ event, of = tenant }) => {
    table.put({ ...eventKey(of, event.id), ...event, ttl: 1 });
    const task = { kind: 'match', eventId: event.id } as const;
    const message: TaskMessage = { id: newId('task'), organizationId: of.organizationId, task };
    return { messageId: event.id, body: JSON.stringify(message) } as SQSRecord;
  }),
});

/** Has an event of now matched, by this world's clock. */
export const tell = async (event: StoredEvent = newEvent()): Promise<void> => {
  written({ event });
  const failed = await matchEvents(tenant, [event.id], after(clock.now(), 1), clock);
  if (failed.size > 0) throw new Error('an event could not be matched');
};

export const pathOf = ({ url: address }: Pick<WebhookRecord, 'url'>): string => new URL(address).pathname;
export const heardBy = (webhook: Pick<WebhookRecord, 'url'>): readonly ReceivedRequest[] =>
  receiver.requests.filter(({ path }) => path === pathOf(webhook));
export interface Metadata {
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly willRetry: boolean;
  readonly deliveryId: string;
}
export const metadataOf = ({ body }: ReceivedRequest): Metadata =>
  (JSON.parse(body.toString()) as { metadata: Metadata }).metadata;
export const attemptsHeardBy = (webhook: Pick<WebhookRecord, 'url'>): readonly number[] =>
  heardBy(webhook).map((heard) => metadataOf(heard).attempt);
export const deliveriesOf = ({ id }: Pick<WebhookRecord, 'id'>, of: Tenant = tenant): readonly DeliveryRecord[] =>
  table.find(webhookKey.delivery(of, id, '').pk, 'dlv_') as readonly DeliveryRecord[];
export const deliveryOf = (webhook: Pick<WebhookRecord, 'id'>): DeliveryRecord => {
  const [delivery, ...others] = deliveriesOf(webhook);
  if (!delivery || others.length > 0) throw new Error(`${others.length + (delivery ? 1 : 0)} deliveries instead of one`);
  return delivery;
};
export const healthOf = ({ id }: Pick<WebhookRecord, 'id'>): HealthRecord | undefined => table.get(webhookKey.health(tenant, id));

export const means = (chance = 0): DeliveryDeps => ({
  clock,
  chance: () => chance,
  post: (request) => machine.effect(() => postGuarded(request)),
  waitMs: 0,
});

interface Task {
  readonly kind: string;
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly attempt: number;
}
export const taskOf = ({ body }: { readonly body: string }): Task => (JSON.parse(body) as { task: Task }).task;
export const tasksSent = (): readonly Task[] => sent.filter(({ queue }) => queue === 'tasks').map(taskOf);

/** Of the queues that feed our own senders. A message that failed is given again after this long. */
const visibilityMs = 450_000;
export const give = (body: string, more: Partial<DeliveryDeps> = {}): Promise<void> => {
  const message = JSON.parse(body) as { organizationId: string };
  const isQuick = sent.some((one) => one.body === body && one.queue === 'quick');
  const lane = isQuick ? 'delivery' : 'slowDelivery';
  return deliver(unsafeTenant(message.organizationId, 'record'), taskOf({ body }), lane, { ...means(), ...more });
};

/** Takes what is due next, and sets the clock to that moment if it is ahead. */
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

/** Gives every message when it is due, until none is left or the time is over; tells how many were given. */
export const run = async (seconds = 7 * 24 * 3_600, more: Partial<DeliveryDeps> = {}): Promise<number> => {
  const untilMs = nowMs + seconds * 1_000;
  for (let given = 0; ; given++) {
    const next = nextDue(untilMs);
    if (!next) return given;
    await give(next.body, more).catch((error: unknown) => {
      // A machine that died is replaced; the message is given again when its time is over.
      if (!machine.isDead) throw error;
      setMachine(new CrashInjector());
      waiting.push({ ...next, dueMs: nowMs + visibilityMs });
    });
  }
};
