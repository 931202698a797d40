/** StartMessageMoveTask: moves all dead letters back to their source queue before it answers. */
import { randomUUID } from 'node:crypto';
import { AwsError, type Json, text } from '../../base/aws-service.ts';

interface RedriveDeps {
  /** Calls SQS; throws on failure. */
  ask(action: string, input: Json): Promise<Json>;
  urlOf(queueArn: string): string;
  /** The queues whose redrive policy names this queue. */
  sourcesOf(deadLettersArn: string): readonly string[];
}

interface Moved {
  readonly TaskHandle: string;
  readonly Status: 'COMPLETED';
  readonly SourceArn: string;
  readonly DestinationArn: string;
  readonly ApproximateNumberOfMessagesMoved: number;
  readonly StartedTimestamp: number;
}

interface Received {
  readonly Body: string;
  readonly ReceiptHandle: string;
  readonly Attributes?: { readonly MessageGroupId?: string };
  readonly MessageAttributes?: Json;
}

interface Redrive {
  start(input: Json): Promise<Json>;
  list(input: Json): Json;
}

export const openRedrive = ({ ask, urlOf, sourcesOf }: RedriveDeps): Redrive => {
  const done: Moved[] = [];

  const moveAll = async (from: string, to: string): Promise<number> => {
    for (let moved = 0; ; ) {
      const { Messages = [] } = (await ask('ReceiveMessage', {
        QueueUrl: urlOf(from),
        MaxNumberOfMessages: 10,
        MessageAttributeNames: ['All'],
        AttributeNames: ['All'],
      })) as { Messages?: readonly Received[] };
      if (Messages.length === 0) return moved;
      for (const { Body, ReceiptHandle, Attributes, MessageAttributes } of Messages) {
        const { MessageGroupId } = Attributes ?? {};
        const more = { ...(MessageGroupId && { MessageGroupId }), ...(MessageAttributes && { MessageAttributes }) };
        await ask('SendMessage', { QueueUrl: urlOf(to), MessageBody: Body, ...more });
        await ask('DeleteMessage', { QueueUrl: urlOf(from), ReceiptHandle });
        moved += 1;
      }
    }
  };

  return {
    start: async (input) => {
      const SourceArn = text(input, 'SourceArn');
      const sources = sourcesOf(SourceArn);
      // As on AWS: dead letters of functions and schedules cannot be moved this way.
      if (sources.length === 0)
        throw new AwsError('InvalidParameterValue', 'Source queue must be configured as a Dead Letter Queue.');
      const DestinationArn = typeof input.DestinationArn === 'string' ? input.DestinationArn : (sources[0] ?? '');
      const StartedTimestamp = Date.now();
      const ApproximateNumberOfMessagesMoved = await moveAll(SourceArn, DestinationArn);
      const TaskHandle = randomUUID();
      done.push({
        TaskHandle,
        Status: 'COMPLETED',
        SourceArn,
        DestinationArn,
        ApproximateNumberOfMessagesMoved,
        StartedTimestamp,
      });
      return { TaskHandle };
    },
    list: (input) => ({ Results: done.filter(({ SourceArn }) => SourceArn === input.SourceArn).reverse() }),
  };
};
