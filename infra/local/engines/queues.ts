/**
 * SQS and S3: fauxqs in this process, under the account of the stage.
 *
 * Delays run `delayScale` times faster: DelaySeconds of messages and queues, and the back-off set by ChangeMessageVisibility.
 * The visibility timeout of a queue or a receive does not: it guards work that takes real time.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { Server } from 'node:net';
import { join } from 'node:path';
import type { Resource } from '../parts.ts';
import { openUpstream } from './forward.ts';
import { jsonProtocol } from './protocol.ts';
import { queueNameOf, queueNeeds } from './queue-needs.ts';
import { type Answer, AwsError, type Json, type Service } from './service.ts';

export interface Queues {
  readonly sqs: Service;
  /** Where fauxqs listens, and where it keeps the buckets: s3-front.ts is what others see of them. */
  readonly port: number;
  readonly s3Dir: string;
  createBucket(name: string): void;
  /** Puts a message into a queue, for services that do so themselves. */
  send(message: QueueMessage): void;
  provision(resource: Resource): Promise<Record<string, string>>;
  stop(): Promise<void>;
}

export interface QueueMessage {
  readonly queueArn: string;
  readonly body: string;
  readonly attributes?: Readonly<Record<string, string>>;
  readonly groupId?: string;
}

export interface QueuesOptions {
  readonly dir: string;
  readonly region: string;
  readonly account: string;
  readonly delayScale: number;
  /** The front's address, which is not known before it listens. */
  readonly url: () => string;
}

/** The account fauxqs believes it is. */
const localAccount = '000000000000';
const delaySecondsMax = 900;

export const openQueues = async (options: QueuesOptions): Promise<Queues> => {
  const [dataDir, s3StorageDir] = [join(options.dir, 'queues'), join(options.dir, 's3')];
  for (const each of [dataDir, s3StorageDir]) mkdirSync(each, { recursive: true, mode: 0o700 });
  // A third of a second to load: other engines start meanwhile.
  const { startFauxqs } = await import('fauxqs');
  const server = await onLoopback(() =>
    startFauxqs({ port: 0, logger: false, defaultRegion: options.region, dataDir, s3StorageDir }),
  );
  const upstream = openUpstream(server.port);
  const queueDelays = new Map<string, number>();

  /** `0` would lose the message: fauxqs fails to write it down. A thousandth of a second is soon enough. */
  const backOff = (seconds: unknown): unknown =>
    typeof seconds === 'number' ? Math.max(seconds / options.delayScale, 0.001) : seconds;

  const delay = (entry: Json, queue: string): Json => {
    const { DelaySeconds: asked } = entry;
    if (typeof asked === 'number' && (asked < 0 || asked > delaySecondsMax))
      throw new AwsError(
        'InvalidParameterValue',
        `Value ${asked} for parameter DelaySeconds is invalid. Reason: must be >= 0 and <= 900.`,
      );
    const seconds = typeof asked === 'number' ? asked : (queueDelays.get(queue) ?? 0);
    return queue.endsWith('.fifo') ? entry : { ...entry, DelaySeconds: seconds / options.delayScale };
  };

  const scaled = (action: string, input: Json): Json => {
    const entries = (input.Entries ?? []) as readonly Json[];
    const visible = (entry: Json): Json => ({ ...entry, VisibilityTimeout: backOff(entry.VisibilityTimeout) });
    if (action === 'SendMessage') return delay(input, queueNameOf(input));
    if (action === 'SendMessageBatch') return { ...input, Entries: entries.map((entry) => delay(entry, queueNameOf(input))) };
    if (action === 'ChangeMessageVisibility') return visible(input);
    if (action === 'ChangeMessageVisibilityBatch') return { ...input, Entries: entries.map(visible) };
    return input;
  };

  const ask = (action: string, input: Json): Promise<Answer> =>
    upstream.send({
      method: 'POST',
      path: '/',
      headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `AmazonSQS.${action}` },
      body: JSON.stringify(input),
    });

  const sqs: Service = {
    ...jsonProtocol('1.0'),
    needs: (operation) => queueNeeds(operation, `arn:aws:sqs:${options.region}:${options.account}:`),
    answer: async ({ action, input }) => {
      const answer = await ask(action, scaled(action, input));
      return speaksOfQueues.has(action) ? translate(answer, options) : answer;
    },
  };

  return {
    sqs,
    port: server.port,
    s3Dir: s3StorageDir,
    createBucket: (name) => void server.createBucket(name),
    send: ({ queueArn, body, attributes = {}, groupId }) => {
      const name = queueArn.slice(queueArn.lastIndexOf(':') + 1);
      if (!server.inspectQueue(name)) throw new AwsError('AWS.SimpleQueueService.NonExistentQueue', `${queueArn} does not exist`);
      server.sendMessage(name, body, {
        messageAttributes: Object.fromEntries(
          Object.entries(attributes).map(([key, StringValue]) => [key, { DataType: 'String', StringValue }]),
        ),
        delaySeconds: (queueDelays.get(name) ?? 0) / options.delayScale,
        ...(groupId !== undefined && { messageGroupId: groupId, messageDeduplicationId: randomUUID(), delaySeconds: 0 }),
      });
    },
    provision: async ({ type, name, properties }) => {
      if (type === 'AWS::S3::Bucket') {
        server.createBucket(name);
        return {};
      }
      queueDelays.set(name, Number(properties.DelaySeconds ?? 0));
      const attributes = attributesOf(properties, options.account);
      // Creating a queue that fauxqs knows from an earlier run would empty it.
      if (server.inspectQueue(name))
        await ask('SetQueueAttributes', { QueueUrl: `http://127.0.0.1/${localAccount}/${name}`, Attributes: attributes });
      else server.createQueue(name, { region: options.region, attributes });
      return { QueueUrl: `${options.url()}/${options.account}/${name}` };
    },
    stop: async () => {
      upstream.close();
      await server.stop();
    },
  };
};

/** fauxqs listens on every address of the machine and cannot be told otherwise; what is in it is for this machine only. */
const onLoopback = async <T>(start: () => Promise<T>): Promise<T> => {
  const { listen } = Server.prototype;
  Server.prototype.listen = function (this: Server, options: object, ...rest: never[]) {
    const here = 'host' in options && options.host === '0.0.0.0' ? { ...options, host: '127.0.0.1' } : options;
    return listen.call(this, here, ...rest);
  } as typeof listen;
  try {
    return await start();
  } finally {
    Server.prototype.listen = listen;
  }
};

const speaksOfQueues = new Set(['GetQueueUrl', 'GetQueueAttributes', 'ListQueues']);

const translate = ({ status, headers, body }: Answer, { url, account }: QueuesOptions): Answer => ({
  status,
  headers,
  body: body
    .toString()
    .replace(new RegExp(`http://[^/"]+/${localAccount}/`, 'g'), `${url()}/${account}/`)
    .replaceAll(`:${localAccount}:`, `:${account}:`),
});

const attributeNames = [
  'DelaySeconds',
  'MaximumMessageSize',
  'MessageRetentionPeriod',
  'ReceiveMessageWaitTimeSeconds',
  'VisibilityTimeout',
  'FifoQueue',
  'ContentBasedDeduplication',
];

const attributesOf = (properties: Json, account: string): Record<string, string> => {
  const { RedrivePolicy: redrive } = properties;
  const policy = typeof redrive === 'string' ? redrive : JSON.stringify(redrive);
  return {
    ...Object.fromEntries(
      attributeNames.flatMap((name) => (properties[name] === undefined ? [] : [[name, String(properties[name])]])),
    ),
    ...(redrive !== undefined && { RedrivePolicy: policy.replaceAll(`:${account}:`, `:${localAccount}:`) }),
  };
};
