/**
 * SQS and S3: fauxqs in this process, presented under the stage's account.
 *
 * Delays are divided by `delayScale`: DelaySeconds of messages and queues, and back-off by ChangeMessageVisibility.
 * Visibility timeouts of queues and receives are not: they guard work that takes real time.
 */
import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { Server } from 'node:net';
import { join } from 'node:path';
import { type Answer, AwsError, type EngineOptions, type Json, parseObject, type Service } from '../../base/aws-service.ts';
import type { Resource } from '../../base/types.ts';
import { jsonProtocol } from '../shared/aws-protocols.ts';
import { openHttpUpstream } from '../shared/http-upstream.ts';
import { openRedrive } from './redrive.ts';
import { requiredPermissions } from './required-permissions.ts';
import { minDelaySeconds, scaleDelays } from './scale-delays.ts';

interface FauxqsEngine {
  readonly sqs: Service;
  /** The port of fauxqs and the folder of its buckets. Other parts use s3-front.ts. */
  readonly port: number;
  readonly s3Dir: string;
  createBucket(name: string): void;
  /** Sends a message for services that write to queues themselves. */
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

interface FauxqsOptions extends EngineOptions {
  readonly delayScale: number;
  /** The endpoint's address, which is known only after it listens. */
  readonly url: () => string;
}

const localAccount = '000000000000';

export const openFauxqs = async (options: FauxqsOptions): Promise<FauxqsEngine> => {
  const [dataDir, s3StorageDir] = [join(options.dir, 'queues'), join(options.dir, 's3')];
  for (const each of [dataDir, s3StorageDir]) mkdirSync(each, { recursive: true, mode: 0o700 });
  // Loading takes 300 ms; other engines start meanwhile.
  const { startFauxqs } = await import('fauxqs');
  const server = await onLoopback(() =>
    startFauxqs({ port: 0, logger: false, defaultRegion: options.region, dataDir, s3StorageDir }),
  );
  const upstream = openHttpUpstream(server.port);
  const queueDelays = new Map<string, number>();
  const scaled = scaleDelays(options.delayScale, queueDelays);

  const ask = (action: string, input: Json): Promise<Answer> =>
    upstream.send({
      method: 'POST',
      path: '/',
      headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `AmazonSQS.${action}` },
      body: JSON.stringify(input),
    });

  const nameOf = (arn: string): string => arn.slice(arn.lastIndexOf(':') + 1);
  const urlOf = (name: string): string => `http://127.0.0.1/${localAccount}/${name}`;
  const redrives = new Map<string, string>();
  const moves = openRedrive({
    ask: async (action, input) => {
      const { status, body } = await ask(action, input);
      if (status !== 200) throw new AwsError('InvalidParameterValue', `${action}: ${body}`);
      return parseObject(Buffer.from(body));
    },
    urlOf: (arn) => urlOf(nameOf(arn)),
    sourcesOf: (arn) => [...redrives].filter(([, target]) => target === arn).map(([source]) => source),
  });

  /** The receivers of an earlier run are gone: messages in flight become visible at once instead of after their timeout. */
  const takeBack = async (name: string): Promise<void> => {
    for (const { receiptHandle } of server.inspectQueue(name)?.messages.inflight ?? [])
      await ask('ChangeMessageVisibility', {
        QueueUrl: urlOf(name),
        ReceiptHandle: receiptHandle,
        VisibilityTimeout: minDelaySeconds,
      });
  };

  const { reply, ...protocol } = jsonProtocol('1.0');
  const sqs: Service = {
    ...protocol,
    needs: (operation) => requiredPermissions(operation, `arn:aws:sqs:${options.region}:${options.account}:`),
    answer: async ({ action, input }) => {
      if (action === 'StartMessageMoveTask') return reply(await moves.start(input));
      if (action === 'ListMessageMoveTasks') return reply(moves.list(input));
      const answer = await ask(action, scaled(action, input));
      return speaksOfQueues.has(action) ? translate(answer, options) : answer;
    },
  };

  return {
    sqs,
    port: server.port,
    s3Dir: s3StorageDir,
    // Objects of a directory bucket can be renamed, as their versions are (versioned-objects.ts).
    createBucket: (name) => void server.createBucket(name, { type: 'directory' }),
    send: ({ queueArn, body, attributes = {}, groupId }) => {
      const name = nameOf(queueArn);
      if (!server.inspectQueue(name)) throw new AwsError('AWS.SimpleQueueService.NonExistentQueue', `${queueArn} does not exist`);
      server.sendMessage(name, body, {
        messageAttributes: Object.fromEntries(
          Object.entries(attributes).map(([key, StringValue]) => [key, { DataType: 'String', StringValue }]),
        ),
        delaySeconds: (queueDelays.get(name) ?? 0) / options.delayScale,
        ...(groupId !== undefined && { messageGroupId: groupId, messageDeduplicationId: randomUUID(), delaySeconds: 0 }),
      });
    },
    provision: async ({ type, name, arn, properties }) => {
      if (type === 'AWS::S3::Bucket') {
        server.createBucket(name);
        return {};
      }
      queueDelays.set(name, Number(properties.DelaySeconds ?? 0));
      const attributes = attributesOf(properties, options.account);
      const { deadLetterTargetArn } = (properties.RedrivePolicy ?? {}) as { deadLetterTargetArn?: string };
      if (deadLetterTargetArn !== undefined) redrives.set(arn, deadLetterTargetArn);
      // Creating a queue that already exists would empty it.
      if (server.inspectQueue(name)) {
        await ask('SetQueueAttributes', { QueueUrl: urlOf(name), Attributes: attributes });
        await takeBack(name);
      } else server.createQueue(name, { region: options.region, attributes });
      return { QueueUrl: `${options.url()}/${options.account}/${name}` };
    },
    stop: async () => {
      upstream.close();
      await server.stop();
    },
  };
};

/** fauxqs always listens on all addresses; this restricts it to loopback. */
const onLoopback = async <T>(start: () => Promise<T>): Promise<T> => {
  const { listen } = Server.prototype;
  Server.prototype.listen = function (this: Server, options: object, ...rest: never[]) {
    const loopback = 'host' in options && options.host === '0.0.0.0' ? { ...options, host: '127.0.0.1' } : options;
    return listen.call(this, loopback, ...rest);
  } as typeof listen;
  try {
    return await start();
  } finally {
    Server.prototype.listen = listen;
  }
};

const speaksOfQueues = new Set(['GetQueueUrl', 'GetQueueAttributes', 'ListQueues']);

const translate = ({ status, headers, body }: Answer, { url, account }: FauxqsOptions): Answer => ({
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
